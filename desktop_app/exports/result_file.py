"""Results onto the disk so that each is kept once: written, fsynced, verified, named, and found
again after a crash."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from desktop_app.domain.attempt import PARTIAL, Claim, Kept
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import BadResult
from desktop_app.domain.ports import Content
from desktop_app.domain.reach import reachable
from desktop_app.exports.folder_check import MIN_FREE_BYTES, FolderCheck, disk_free
from desktop_app.exports.grouped import Grouped
from desktop_app.exports.leftovers import sweep
from desktop_app.exports.placing import Folders, Placer
from desktop_app.exports.shelf import Shelf
from desktop_app.exports.steps import Steps, through
from desktop_app.exports.temp_files import Slot, drop, left_slots, slots
from desktop_app.exports.trouble import as_local_trouble

_P = ParamSpec("_P")
_T = TypeVar("_T")


class ResultKeeper:
    """Implements ``ports.ResultFiles``. Everything that blocks runs in ``executor`` (None: the
    loop's own). A cancelled caller's write still completes."""

    def __init__(
        self,
        clock: Clock,
        *,
        min_free_bytes: int = MIN_FREE_BYTES,
        executor: Executor | None = None,
        placer: Placer | None = None,
        free_bytes: Callable[[Path], int] = disk_free,
        embed: Callable[[], bool] = lambda: False,
        reach: Callable[[Path], Path] = reachable,
    ) -> None:
        """``embed``: whether pictures are to say what they were made from; asked for each.
        ``reach``: by which name a folder is opened."""
        self._reach = reach
        self._folders = FolderCheck(clock.monotonic, min_free_bytes, free_bytes)
        self._executor = executor
        self._grouped = Grouped(executor)
        self._shelf = Shelf(self._folders, placer or Placer(), embed)
        self._reached_by: dict[str, str] = {}
        self._born = clock.now()
        self._several: dict[int, int] = {}  # results of an attempt that has more than one

    def expect(self, out_dir: str) -> None:
        """This folder holds results: where it is gone it is not made again, but trouble."""
        self._folders.expect(self._reach(Path(out_dir)))

    async def check_folder(self, out_dir: str) -> None:
        """Raise LocalTrouble when the folder can't be made, is gone, read-only or nearly full."""
        folder = self._reach(Path(out_dir))
        if not self._folders.is_fresh(folder):
            await self._in_worker(self._folders.check, folder)

    async def stage(self, claim: Claim, *contents: Content) -> None:
        """Before anything else: put the answer where ``find`` sees it even if this program is
        killed at once. Not verified, and not yet safe from a power cut. Raises LocalTrouble."""
        await self._in_worker(self._stage, self._reached(claim), contents)

    async def keep(self, claim: Claim, *contents: Content, flags: tuple[str, ...] = ()) -> Kept:
        """Write and verify all that are results; PARTIAL is flagged where some are none. Called
        again for the same attempt and contents it gives the same files. Raises BadResult (nothing
        is left) or LocalTrouble (finished temp files are left, and ``find`` or another ``keep``
        goes on from them)."""
        claim = self._reached(claim)
        act = partial(self._keep, claim, contents)
        if all(content.text is not None for content in contents):
            # The next row of a lane waits for this one.
            kept = await self._grouped.do(act, at_once=claim.lane is not None)
        else:  # to be decoded, and worth a thread of its own
            kept = await self._in_worker(_for_good, act, Path(claim.out_dir))
        return replace(kept, flags=(*flags, *kept.flags)) if flags else kept

    async def find(self, claim: Claim) -> Kept | None:
        """After a crash: the verified files this very attempt left, named now if they were not
        yet, flagged PARTIAL where the answer held more; or None. Raises LocalTrouble."""
        return await self._in_worker(self._find, self._reached(claim))

    async def named(self, claim: Claim) -> Kept | None:
        """After a crash: those of the files that ``find`` would verify once more which bear their
        final names, as only verified ones do. Told by their names, and not decoded. Raises
        LocalTrouble."""
        return await self._in_worker(self._look, self._reached(claim), self._shelf.named)

    async def settled(self, claim: Claim) -> None:
        """After the commit: drop what ``keep`` left for recovery. A folder gone by now is no
        trouble: the task is committed."""
        claim = self._reached(claim)
        of = self._several.pop(claim.attempt_pk, 1)
        parts = [slot.part for slot in slots(claim, of)]
        await self._grouped.do(lambda _: _dropped(parts), at_once=claim.lane is not None)

    async def sweep(self, out_dir: str) -> int:
        """Drop what crashed runs left; call once no orphan needs ``find`` any more. Returns how
        many files went. Files of this process are not touched."""
        folder = self._reach(Path(out_dir))
        with as_local_trouble(folder):
            return await self._in_worker(sweep, folder, self._born)

    async def attach(self, out_dir: str, stem: str, source: Path, makes: str | None = None) -> Kept:
        """Copy in a file a person found, of the kind that ``makes`` says (``picture``, ``text``,
        None: either). Raises BadResult, LocalTrouble, and OperatorError where ``source`` can't be
        read."""
        folder = self._reach(Path(out_dir))
        return await self._in_worker(self._shelf.attach, folder, stem, source, makes)

    def _reached(self, claim: Claim) -> Claim:
        """The claim, its folder by the name under which it is opened."""
        folder = self._reached_by.get(claim.out_dir)
        if folder is None:
            folder = self._reached_by[claim.out_dir] = str(self._reach(Path(claim.out_dir)))
        return claim if folder == claim.out_dir else replace(claim, out_dir=folder)

    async def _in_worker(self, act: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, lambda: act(*args, **kwargs))

    def _slots(self, claim: Claim, of: int) -> list[Slot]:
        if of > 1:
            self._several[claim.attempt_pk] = of
        return slots(claim, of)

    def _stage(self, claim: Claim, contents: Sequence[Content]) -> None:
        for slot, content in zip(self._slots(claim, len(contents)), contents, strict=True):
            self._shelf.stage(slot, content)

    def _keep(self, claim: Claim, contents: Sequence[Content], folders: Folders) -> Steps[Kept]:
        kept: list[Kept] = []
        bad: list[BadResult] = []
        for slot, content in zip(self._slots(claim, len(contents)), contents, strict=True):
            try:
                kept.append((yield from self._shelf.keep(slot, content, folders)))
            except BadResult as error:
                bad.append(error)
        if not kept:
            self._several.pop(claim.attempt_pk, None)
            raise bad[0]
        return _together(kept, len(contents))

    def _find(self, claim: Claim) -> Kept | None:
        return self._look(claim, self._shelf.find)

    def _look(self, claim: Claim, look: Callable[[Slot], Kept | None]) -> Kept | None:
        if not self._folders.is_there(Path(claim.out_dir)):
            return None
        one = look(Slot(claim))
        if one is not None:
            return one
        with as_local_trouble(Path(claim.out_dir)):
            left = left_slots(claim)
        found = [kept for slot in self._slots(claim, len(left)) if (kept := look(slot))]
        return _together(found, len(left)) if found else None


def _for_good(act: Callable[[Folders], Steps[Kept]], out: Path) -> Kept:
    folders = Folders()
    kept = through(act(folders))
    with as_local_trouble(out):
        folders.sync()
    return kept


def _dropped(parts: Sequence[Path]) -> Steps[None]:
    yield  # what is to be written goes first
    for part in parts:
        with contextlib.suppress(OSError):
            drop(part)


def _together(kept: Sequence[Kept], of: int) -> Kept:
    """The results of one answer, which held ``of``."""
    whole = replace(kept[0], more=tuple(kept[1:])) if len(kept) > 1 else kept[0]
    return whole if len(kept) == of else whole.flagged(PARTIAL)
