"""What a batch will take of the disk that its folder is on, said before it fills."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.text import Message, message

GUESS = {"picture": 2_000_000}
GUESS_OTHER = 8_000
"""Bytes of a result where no earlier one tells."""

MARGIN = 200_000_000
"""What stays free: below it nothing more is sent."""


@dataclass(frozen=True, slots=True)
class DiskNeed:
    """Bytes. ``free`` None: the disk can't be asked. ``measured``: ``each`` is the mean of earlier
    results of the connection, else a guess."""

    free: int | None
    needed: int
    each: int
    measured: bool

    @property
    def is_short(self) -> bool:
        """Whether the disk is too small."""
        return self.free is not None and self.free < self.needed + MARGIN

    def said(self) -> Message:
        """One sentence."""
        known = "" if self.measured else "_guess"
        short = "_short" if self.is_short else ""
        if self.free is None:
            short = "_unknown"
        return message(
            f"services.disk{short}{known}",
            free=_size(self.free or 0),
            needed=_size(self.needed),
            each=_size(self.each),
        )


def need(makes: str, results: int, mean: float | None, free: int | None) -> DiskNeed:
    """What so many results take; ``mean`` is the size of earlier ones."""
    each = round(mean) if mean is not None else GUESS.get(makes, GUESS_OTHER)
    return DiskNeed(free, each * results, each, mean is not None)


def free_at(folder: str) -> int | None:
    """Bytes free where this folder is or will be; None where that can't be told. Blocks."""
    path = Path(folder).absolute()
    for place in (path, *path.parents):
        try:
            return shutil.disk_usage(place).free
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return None
    return None


def _size(count: int) -> str:
    """``1.2 GB``, as Windows and macOS show a disk."""
    size = float(count)
    for unit in ("KB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.1f} {unit}" if size < 10 else f"{size:,.0f} {unit}"
    return f"{size / 1000:,.1f} TB"
