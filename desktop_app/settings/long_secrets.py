"""How a key becomes entries of the password store: Windows takes 1,280 characters an entry, and
some keys have 3,000."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Protocol

PART = 1000
MOST = 20_000
_HEAD = re.compile(r"batchwright-parts:([0-9a-f]{8}):(\d{1,3})")


class Damaged(Exception):
    """Some parts of a key are gone."""


class Entries(Protocol):
    """The three calls of a password store; ``delete`` of a missing entry does nothing."""

    def read(self, user: str) -> str | None: ...
    def write(self, user: str, secret: str) -> None: ...
    def delete(self, user: str) -> None: ...


def read(entries: Entries, user: str) -> str | None:
    """The whole key. Raises Damaged when parts are missing."""
    first = entries.read(user)
    if not first:
        return None
    parts = [entries.read(name) for name in _part_names(user, first)]
    if not parts:
        return first
    if any(part is None for part in parts):
        raise Damaged
    return "".join(part for part in parts if part)


def write(
    entries: Entries,
    user: str,
    secret: str,
    token: Callable[[], str] = lambda: secrets.token_hex(4),
) -> None:
    """Store the key; the former one stays readable until the one write that replaces it."""
    old = entries.read(user)
    if len(secret) <= PART and _HEAD.fullmatch(secret) is None:
        entries.write(user, secret)
    else:
        cuts = [secret[at : at + PART] for at in range(0, len(secret), PART)]
        head = f"batchwright-parts:{token()}:{len(cuts)}"
        for name, cut in zip(_part_names(user, head), cuts, strict=True):
            entries.write(name, cut)
        entries.write(user, head)
    _drop_parts(entries, user, old)


def delete(entries: Entries, user: str) -> None:
    """Forget the key and its parts."""
    old = entries.read(user)
    entries.delete(user)
    _drop_parts(entries, user, old)


def _part_names(user: str, head: str) -> list[str]:
    found = _HEAD.fullmatch(head)
    if found is None:
        return []
    token, count = found.groups()
    return [f"{user} [{token} {number}]" for number in range(1, int(count) + 1)]


def _drop_parts(entries: Entries, user: str, head: str | None) -> None:
    for name in _part_names(user, head or ""):
        entries.delete(name)
