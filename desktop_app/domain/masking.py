"""How a key can look in a text, in one place: what is sent, stored, logged or saved is searched for
all of it, since servers repeat keys encoded, escaped, and cut off."""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
from collections.abc import Callable, Iterable

SHOWN = 8
"""From this many signs of a key in a row on, a text gives it away."""
_WORDLIKE = 12
_WORD = re.compile(r"[a-z]*")


class Mask:
    """Takes keys out of texts, and their beginnings and ends where those were cut off."""

    def __init__(self, secrets: Iterable[str | None], mark: str) -> None:
        self._mark = mark
        self._secrets: frozenset[str] = frozenset(secret for secret in secrets if secret)
        # The longest first: a key that begins like another must not leave its tail behind.
        found = {spelling for secret in self._secrets for spelling in spellings(secret)}
        self._spellings = sorted(found, key=len, reverse=True)

    def also(self, secret: str) -> Mask:
        """One that hides this secret as well."""
        return self if secret in self._secrets else Mask(self._secrets | {secret}, self._mark)

    def __call__(self, text: str, lookalikes: Callable[[str], str] = lambda text: text) -> str:
        """The text without any of the keys. ``lookalikes`` hides what only looks like one; it
        comes before the pieces, which would leave a shortened key without its beginning."""
        for spelling in self._spellings:
            text = text.replace(spelling, self._mark)
        text = lookalikes(text)
        for secret in self._secrets:
            text = _without_pieces(text, secret, self._mark)
        return text


def spellings(secret: str) -> set[str]:
    """The secret as it is, as URLs, JSON and Python write it, and in base64 at any place."""
    found = {
        secret,
        urllib.parse.quote(secret, safe=""),
        urllib.parse.quote(secret),
        json.dumps(secret)[1:-1],
        repr(secret)[1:-1],
    }
    data = secret.encode()
    if len(data) < SHOWN:
        return found
    for before in range(3):
        # Signs at both edges depend on what stands beside the secret.
        coded = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        whole = len(coded) - (1 if (before + len(data)) % 3 else 0)
        core = coded[(0, 2, 3)[before] : whole]
        found |= {core, core.replace("+", "-").replace("/", "_")}
    return found


def _without_pieces(text: str, secret: str, mark: str) -> str:
    if len(secret) < 2 * SHOWN:
        return text
    head, tail = secret[:SHOWN], secret[-SHOWN:]
    at = 0
    while (at := text.find(head, at)) >= 0:
        end = at + SHOWN
        while end < len(text) and end - at < len(secret) and text[end] == secret[end - at]:
            end += 1
        text, at = _cut(text, at, end, mark)
    at = 0
    while (at := text.find(tail, at)) >= 0:
        start, end = at, at + SHOWN
        while (
            start > 0 and end - start < len(secret) and text[start - 1] == secret[start - end - 1]
        ):
            start -= 1
        text, at = _cut(text, start, end, mark)
    return text


def _cut(text: str, start: int, end: int, mark: str) -> tuple[str, int]:
    """Replace the piece unless it may be a plain word; returns where to go on as well."""
    piece = text[start:end]
    if len(piece) < _WORDLIKE and _WORD.fullmatch(piece):
        return text, end
    return text[:start] + mark + text[end:], start + len(mark)
