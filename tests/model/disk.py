"""The output folder, which outlives the program and may be away for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from desktop_app.domain.attempt import PARTIAL, Claim, Kept
from desktop_app.domain.errors import BadResult, LocalTrouble
from desktop_app.domain.ports import Content
from desktop_app.domain.text import message
from tests.model.life import Life

PICTURE = b"picture"


class Disk:
    """What lies there. ``slots`` are the results of each attempt's answer, in its order: staged,
    under their final names, or gone; ``safe`` are attempts whose pictures the program has put there
    once."""

    def __init__(self) -> None:
        self.slots: dict[int, list[bytes | Kept | None]] = {}
        self.by_hand: list[Kept] = []
        self.safe: set[int] = set()
        self.gone = False

    @property
    def kept(self) -> dict[int, list[Kept]]:
        """What bears its final name, by attempt."""
        named = {pk: [k for k in slots if isinstance(k, Kept)] for pk, slots in self.slots.items()}
        return {pk: kept for pk, kept in named.items() if kept}

    def paths(self) -> set[str]:
        """Every result that lies there."""
        every = [kept for some in self.kept.values() for kept in some]
        return {kept.path for kept in (*every, *self.by_hand)}

    def slots_of(self, attempt_pk: int, of: int) -> list[bytes | Kept | None]:
        """Those of an answer that holds so many results."""
        slots = self.slots.setdefault(attempt_pk, [])
        slots += [None] * (of - len(slots))
        return slots


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
        slots = self._disk.slots_of(claim.attempt_pk, len(contents))
        for at, content in enumerate(contents):
            await self._touch()
            if not isinstance(slots[at], Kept):
                slots[at] = content.data
        if any(content.data == PICTURE for content in contents):
            self._disk.safe.add(claim.attempt_pk)
        await asyncio.sleep(0.001)

    async def keep(self, claim: Claim, *contents: Content, flags: tuple[str, ...] = ()) -> Kept:
        slots = self._disk.slots_of(claim.attempt_pk, len(contents))
        for at, content in enumerate(contents):
            await self._touch()
            await asyncio.sleep(0.002)
            slots[at] = _named(claim, at) if content.data == PICTURE else None
        kept = _together(slots)
        if kept is None:
            raise BadResult(message("exports.no_picture"))
        await asyncio.sleep(0.001)
        return replace(kept, flags=(*flags, *kept.flags))

    async def find(self, claim: Claim) -> Kept | None:
        await self._touch()
        slots = self._disk.slots_of(claim.attempt_pk, 0)
        for at, slot in enumerate(slots):
            if not isinstance(slot, Kept):
                slots[at] = _named(claim, at) if slot == PICTURE else None
        return _together(slots)

    async def named(self, claim: Claim) -> Kept | None:
        await self._touch()
        slots = self._disk.slots_of(claim.attempt_pk, 0)
        return _together([slot if isinstance(slot, Kept) else None for slot in slots])

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


def _named(claim: Claim, at: int) -> Kept:
    of = f"-{at + 1}" if at else ""
    return Kept(f"{claim.file_stem}-{claim.attempt_pk}{of}.png", 7, "image/png")


def _together(slots: Sequence[bytes | Kept | None]) -> Kept | None:
    kept = [slot for slot in slots if isinstance(slot, Kept)]
    if not kept:
        return None
    whole = replace(kept[0], more=tuple(kept[1:]))
    return whole if len(kept) == len(slots) else whole.flagged(PARTIAL)
