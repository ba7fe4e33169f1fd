"""What the program needs to know of its own releases, and no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Release:
    """One release: ``version`` such as ``1.2.3``, what changed in plain text, and the page to get
    it from (an https address)."""

    version: str
    notes: str
    page: str


class ReleaseFeed(Protocol):
    """Where releases are told."""

    async def newest(self) -> Release | None:
        """The newest one that is meant for everybody, or None where there is none yet. Raises
        OperatorError where it can't be asked."""
        ...
