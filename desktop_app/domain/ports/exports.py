"""What is asked of the disk: results kept once, sheets written whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Protocol

from desktop_app.domain.attempt import Claim, Kept
from desktop_app.domain.ports.answers import Content
from desktop_app.domain.ports.reads import ExportRow
from desktop_app.domain.text import Message


class ResultFiles(Protocol):
    """Results onto the disk: temp file, fsync, verify, rename without replacing, fsync folder."""

    def expect(self, out_dir: str) -> None:
        """This folder holds results: where it is gone it is not made again, but trouble."""
        ...

    async def check_folder(self, out_dir: str) -> None:
        """Raise LocalTrouble when the folder is gone, read-only or nearly full."""
        ...

    async def stage(self, claim: Claim, *contents: Content) -> None:
        """As soon as an answer is in: put it where ``find`` sees it even if this program is killed
        at once. Quick: neither verified nor fsynced. Raises LocalTrouble."""
        ...

    async def keep(self, claim: Claim, *contents: Content, flags: tuple[str, ...] = ()) -> Kept:
        """Write and verify all. Where some are no results, the others are kept and flagged
        PARTIAL. Raises BadResult (none is a result) or LocalTrouble (disk)."""
        ...

    async def find(self, claim: Claim) -> Kept | None:
        """After a crash: the verified files this very attempt left, flagged PARTIAL where the
        answer held more; or None."""
        ...

    async def named(self, claim: Claim) -> Kept | None:
        """Of what ``find`` would look into, that which bore its final name already, and so had
        been verified: told by its name and its bytes, and not decoded. Raises LocalTrouble."""
        ...

    async def settled(self, claim: Claim) -> None:
        """After the commit: drop what ``keep`` left for recovery."""
        ...

    async def sweep(self, out_dir: str) -> int:
        """Once no orphan needs ``find`` any more: drop what a crash left there. Returns how many
        files went. Raises LocalTrouble."""
        ...

    async def attach(self, out_dir: str, stem: str, source: Path, makes: str | None = None) -> Kept:
        """Copy in a file a person found; verified like any other. ``makes`` is the kind it must
        be (``picture``, ``text``); None takes either."""
        ...


class SheetWriter(Protocol):
    """Writes result and failure sheets; streams."""

    async def write(
        self,
        target: Path,
        columns: tuple[str, ...],
        rows: AsyncIterator[Sequence[ExportRow]],
        say: Callable[[Message], str],
        *,
        thumbnails: bool = False,
    ) -> tuple[Path, int]:
        """Returns the path really written (a locked target becomes ``name-2``) and the rows.
        ``thumbnails``: small pictures in a workbook, up to some thousands."""
        ...
