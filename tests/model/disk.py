"""The output folder, which outlives the program and may be away for a while."""

from __future__ import annotations

import asyncio
from pathlib import Path

from desktop_app.domain.attempt import Claim, Kept
from desktop_app.domain.errors import BadResult, LocalTrouble
from desktop_app.domain.ports import Content
from desktop_app.domain.text import message
from tests.model.life import Life

PICTURE = b"picture"


class Disk:
    """What lies there. ``safe`` are attempts whose picture the program has put there once."""

    def __init__(self) -> None:
        self.staged: dict[int, bytes] = {}
        self.kept: dict[int, Kept] = {}
        self.by_hand: list[Kept] = []
        self.safe: set[int] = set()
        self.gone = False

    def paths(self) -> set[str]:
        """Every result that lies there."""
        return {kept.path for kept in (*self.kept.values(), *self.by_hand)}


class Files:
    """ResultFiles of one life on that disk."""

    def __init__(self, disk: Disk, life: Life) -> None:
        self._disk = disk
        self._life = life

    async def _touch(self) -> None:
        await asyncio.sleep(0.002)
        if self._life.dead:
            raise asyncio.CancelledError
        if self._disk.gone:
            raise LocalTrouble(message("exports.gone"))

    def expect(self, out_dir: str) -> None:
        pass

    async def check_folder(self, out_dir: str) -> None:
        await self._touch()

    async def stage(self, claim: Claim, *contents: Content) -> None:
        (content,) = contents
        await self._touch()
        self._disk.staged[claim.attempt_pk] = content.data
        if content.data == PICTURE:
            self._disk.safe.add(claim.attempt_pk)
        await asyncio.sleep(0.001)

    async def keep(self, claim: Claim, *contents: Content, flags: tuple[str, ...] = ()) -> Kept:
        (content,) = contents
        await self._touch()
        await asyncio.sleep(0.002)
        self._disk.staged.pop(claim.attempt_pk, None)
        if content.data != PICTURE:
            raise BadResult(message("exports.no_picture"))
        kept = self._place(claim)
        await asyncio.sleep(0.001)
        return kept

    def _place(self, claim: Claim) -> Kept:
        kept = Kept(f"{claim.file_stem}-{claim.attempt_pk}.png", 7, "image/png")
        return self._disk.kept.setdefault(claim.attempt_pk, kept)

    async def find(self, claim: Claim) -> Kept | None:
        await self._touch()
        if self._disk.staged.get(claim.attempt_pk) == PICTURE:
            self._place(claim)
        self._disk.staged.pop(claim.attempt_pk, None)
        return self._disk.kept.get(claim.attempt_pk)

    async def named(self, claim: Claim) -> Kept | None:
        await self._touch()
        return self._disk.kept.get(claim.attempt_pk)

    async def settled(self, claim: Claim) -> None:
        await self._touch()

    async def sweep(self, out_dir: str) -> int:
        await self._touch()
        return 0

    async def attach(self, out_dir: str, stem: str, source: Path, makes: str | None = None) -> Kept:
        await self._touch()
        kept = Kept(f"{stem} by hand {len(self._disk.by_hand)}.png", 7, "image/png")
        self._disk.by_hand.append(kept)
        return kept
