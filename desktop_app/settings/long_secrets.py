"""How a key becomes entries of the password store: Windows takes 1,280 characters an entry, and
some keys have 3,000."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from typing import Protocol

PART = 1000
"""Characters an entry. Windows' store takes 2,560 bytes, two for each."""

MOST = 20_000
_HEAD = re.compile(r"batchwright-parts:([0-9a-f]{8}):(\d{1,3})")
_NOTHING = ""


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
    """Store the key; the former one stays readable until the one write that replaces it. What an
    interrupted write leaves of a key is put away by the next write or ``delete``."""
    old = _tidy(entries, user)
    if len(secret) <= PART and _HEAD.fullmatch(secret) is None:
        cuts, first = [], secret
    else:
        cuts = [secret[at : at + PART] for at in range(0, len(secret), PART)]
        first = f"batchwright-parts:{token()}:{len(cuts)}"
    noted = _note(entries, user, [first, old])
    for name, cut in zip(_part_names(user, first) if cuts else [], cuts, strict=True):
        entries.write(name, cut)
    entries.write(user, first)
    if noted:
        _tidy(entries, user)


def delete(entries: Entries, user: str) -> None:
    """Forget the key and its parts."""
    old = _tidy(entries, user)
    noted = _note(entries, user, [old])
    entries.delete(user)
    if noted:
        _tidy(entries, user)


def _note(entries: Entries, user: str, heads: Sequence[str]) -> bool:
    """Write down whose parts may be left over from now on. Whether there are any."""
    parted = [head for head in heads if _part_names(user, head)]
    if parted:
        entries.write(_note_name(user), " ".join(parted))
    return bool(parted)


def _tidy(entries: Entries, user: str) -> str:
    """Put away the parts that were noted and belong to no key now. What the entry holds."""
    now = entries.read(user) or _NOTHING
    noted = entries.read(_note_name(user))
    if noted:
        for head in noted.split():
            if head != now:
                for name in _part_names(user, head):
                    entries.delete(name)
        entries.delete(_note_name(user))
    return now


def _note_name(user: str) -> str:
    return f"{user} [batchwright parts]"


def _part_names(user: str, head: str) -> list[str]:
    found = _HEAD.fullmatch(head)
    if found is None:
        return []
    token, count = found.groups()
    return [f"{user} [{token} {number}]" for number in range(1, int(count) + 1)]
