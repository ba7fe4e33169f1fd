"""Which of two versions is the newer one, also where one is a release candidate."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FORM = re.compile(
    r"""
    v? (?P<numbers>\d{1,6}(?:\.\d{1,6}){0,3})
    (?: [-_.]? (?P<stage>dev|alpha|a|beta|b|c|rc|pre|preview|post) [-_.]? (?P<count>\d{0,6}) )?
    (?: \+ [a-z0-9.\-]+ )?
    """,
    re.IGNORECASE | re.VERBOSE | re.ASCII,
)
_RANKS = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "rc": 3, "pre": 3, "preview": 3}
_FINAL = 4
_POST = 5


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """In order: ``1.9`` before ``1.10``, ``1.0rc1`` before ``1.0``, and ``1`` the same as ``1.0``.
    What is read is the common part of PEP 440 and semantic versions."""

    numbers: tuple[int, ...]
    rank: int = _FINAL
    count: int = 0

    @property
    def is_final(self) -> bool:
        """Whether it is meant for everybody."""
        return self.rank >= _FINAL


def version_of(text: str) -> Version | None:
    """None for what is none."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        return None
    numbers = [int(part) for part in found["numbers"].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    stage = (found["stage"] or "").lower()
    rank = _RANKS.get(stage, _POST if stage else _FINAL)
    return Version(tuple(numbers), rank, int(found["count"] or 0))
