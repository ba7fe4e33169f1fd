"""Exchanges a damaged store for the new one so that a kill at any moment loses neither."""

from __future__ import annotations

from itertools import count, takewhile
from pathlib import Path

SIDES = ("", "-wal", "-shm")


class Aside:
    """One store's place. ``made``: where its successor is built; while that file is there without
    the store, a restore was interrupted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.made = path.with_name(path.name + ".restored")
        self._earlier = self._interrupted()

    @property
    def is_in_place(self) -> bool:
        """Whether the store's own file is there, with something in it."""
        return self._path.exists() and self._path.stat().st_size > 0

    @property
    def source(self) -> Path | None:
        """The damaged file to read from: in place, or set aside by the restore that was
        interrupted. None where there is none."""
        if self.is_in_place:
            return self._path
        return self._earlier

    def exchange(self) -> Path | None:
        """Rename the damaged file with all that belongs to it, and the new one into its place.
        Returns where the damaged one is, None where there was none."""
        target = self._earlier or self._free()
        # The store's own file first: without it the rest is nothing, and nobody starts empty.
        for side in SIDES:
            file, kept = _side(self._path, side), _side(target, side)
            if file.exists() and not kept.exists():
                file.rename(kept)
            file.unlink(missing_ok=True)
        # It speaks of the damaged file's attempts: without it every open one counts as sent.
        self._path.with_name(self._path.name + ".wire").unlink(missing_ok=True)
        self.made.replace(self._path)
        return target if target.exists() else None

    def _named(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.stem}.damaged-{number}{self._path.suffix}")

    def _free(self) -> Path:
        names = map(self._named, count(1))
        return next(name for name in names if not any(_side(name, s).exists() for s in SIDES))

    def _interrupted(self) -> Path | None:
        """The file that a restore set aside before it was killed."""
        if self.is_in_place or not self.made.exists():
            return None
        kept = list(takewhile(Path.exists, map(self._named, count(1))))
        return kept[-1] if kept else None


def _side(path: Path, side: str) -> Path:
    return path.with_name(path.name + side)


def traces(path: Path) -> bool:
    """Whether something beside it tells that there was a store: a copy, one that was set aside, or
    one that was being restored."""
    patterns = (
        f"{path.stem}.backup-*{path.suffix}",
        f"{path.name}.v*.bak",
        f"{path.stem}.damaged-*{path.suffix}",
        f"{path.name}.restored",
    )
    return any(next(path.parent.glob(pattern), None) is not None for pattern in patterns)
