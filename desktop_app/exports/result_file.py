"""Results onto the disk so that each is kept once: written, fsynced, verified, named, and found
again after a crash."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import ParamSpec, TypeVar
from uuid import uuid4

from desktop_app.domain.attempt import Claim, Kept
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import BadResult
from desktop_app.domain.ports import Content
from desktop_app.domain.safe_names import safe_name
from desktop_app.domain.text import OperatorError, message
from desktop_app.exports.content_check import (
    Checked,
    check_attached,
    check_content,
    under_other_names,
)
from desktop_app.exports.folder_check import MIN_FREE_BYTES, FolderCheck, disk_free
from desktop_app.exports.leftovers import sweep
from desktop_app.exports.placing import (
    Placer,
    fsync_folder,
    linked_name,
    note_of,
    read_note,
)
from desktop_app.exports.staging import (
    bytes_of,
    check_staged,
    find_staged,
    sha256_of,
    stage,
    staged_of,
)
from desktop_app.exports.temp_files import PREFIX, drop, part_of, writing_of
from desktop_app.exports.trouble import as_local_trouble
from desktop_app.exports.verified import Verified, read_noted, read_verified

_PART_NAME_BYTES = 200
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
    ) -> None:
        self._folders = FolderCheck(clock.monotonic, min_free_bytes, free_bytes)
        self._executor = executor
        self._placer = placer or Placer()
        self._born = clock.now()

    async def check_folder(self, out_dir: str) -> None:
        """Raise LocalTrouble when the folder can't be made, is gone, read-only or nearly full."""
        folder = Path(out_dir)
        if not self._folders.is_fresh(folder):
            await self._in_worker(self._folders.check, folder)

    async def stage(self, claim: Claim, content: Content) -> None:
        """Before anything else: put the answer where ``find`` sees it even if this program is
        killed at once. Not verified, and not yet safe from a power cut. Raises LocalTrouble."""
        await self._in_worker(self._stage, claim, content)

    async def keep(self, claim: Claim, content: Content, flags: tuple[str, ...] = ()) -> Kept:
        """Write and verify. Called again for the same attempt and content it gives the same file.
        Raises BadResult (nothing is left) or LocalTrouble (a finished temp file is left, and
        ``find`` or another ``keep`` goes on from it)."""
        kept = await self._in_worker(self._keep, claim, content)
        return replace(kept, flags=flags)

    async def find(self, claim: Claim) -> Kept | None:
        """After a crash: the verified file this very attempt left, named now if it was not yet;
        or None. Raises LocalTrouble."""
        return await self._in_worker(self._find, claim)

    async def settled(self, claim: Claim) -> None:
        """After the commit: drop what ``keep`` left for recovery. A folder gone by now is no
        trouble: the task is committed."""
        await self._in_worker(_drop_quietly, part_of(claim))

    async def sweep(self, out_dir: str) -> int:
        """Drop what crashed runs left; call once no orphan needs ``find`` any more. Returns how
        many files went. Files of this process are not touched."""
        with as_local_trouble(Path(out_dir)):
            return await self._in_worker(sweep, Path(out_dir), self._born)

    async def attach(self, out_dir: str, stem: str, source: Path, makes: str | None = None) -> Kept:
        """Copy in a file a person found, of the kind that ``makes`` says (``picture``, ``text``,
        None: either). Raises BadResult, LocalTrouble, and OperatorError where ``source`` can't be
        read."""
        return await self._in_worker(self._attach, Path(out_dir), stem, source, makes)

    async def _in_worker(self, act: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, lambda: act(*args, **kwargs))

    def _stage(self, claim: Claim, content: Content) -> None:
        out = Path(claim.out_dir)
        self._folders.make(out)
        with as_local_trouble(out):
            stage(staged_of(claim, content), bytes_of(content))

    def _keep(self, claim: Claim, content: Content) -> Kept:
        out = Path(claim.out_dir)
        self._folders.make(out)
        with as_local_trouble(out):
            data, staged = bytes_of(content), staged_of(claim, content)
            earlier = self._find_finished(claim)
            if earlier is not None and earlier.sha256 == sha256_of(data):
                staged.unlink(missing_ok=True)
                return earlier
            part = part_of(claim)
            temp = staged if staged.exists() else writing_of(part)
            try:
                result = self._write(temp, part, data, lambda read: check_content(read, content))
            except BadResult:
                staged.unlink(missing_ok=True)
                raise
            return self._place(out, claim.file_stem, part, result)

    def _find(self, claim: Claim) -> Kept | None:
        finished = self._find_finished(claim)
        if finished is not None:
            return finished
        out = Path(claim.out_dir)
        with as_local_trouble(out):
            staged = find_staged(claim)
            if staged is None:
                return None
            part = part_of(claim)
            try:
                data = staged.read_bytes()
                result = self._write(staged, part, data, partial(check_staged, staged))
            except BadResult:
                staged.unlink(missing_ok=True)
                return None
            return self._place(out, claim.file_stem, part, result)

    def _find_finished(self, claim: Claim) -> Kept | None:
        out = Path(claim.out_dir)
        part = part_of(claim)
        with as_local_trouble(out):
            note = read_note(note_of(part))
            if not part.exists():
                return None if note is None else read_noted(out, note.path, note.sha256)
            result = read_verified(part)
            if result is None:
                drop(part)
                return None
            for checked in under_other_names(result.checked):
                name = linked_name(part, _wanted(out, claim.file_stem, checked.suffix))
                if name is not None:
                    fsync_folder(name.parent)
                    return replace(result, checked=checked).kept(out, name)
            if note is not None:
                _remove_placeholder(out / note.path)
            return self._place(out, claim.file_stem, part, result)

    def _attach(self, out: Path, stem: str, source: Path, makes: str | None) -> Kept:
        try:
            data = source.read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise OperatorError(
                message("exports.attach_unreadable", file=source.name, reason=reason)
            ) from error
        self._folders.make(out)
        part = out / f"{PREFIX}attach{uuid4().hex}.part"
        with as_local_trouble(out):
            try:
                check = partial(check_attached, suffix=source.suffix, makes=makes)
                result = self._write(writing_of(part), part, data, check)
                return self._place(out, stem, part, result)
            finally:
                drop(part)

    def _write(
        self, temp: Path, part: Path, data: bytes, check: Callable[[bytes], Checked]
    ) -> Verified:
        """Write (unless ``temp`` was staged), fsync, read back, verify; only then does the file
        bear the part's name."""
        try:
            with temp.open("rb+" if temp.exists() else "wb") as file:
                if os.fstat(file.fileno()).st_size != len(data):
                    file.truncate(0)
                    file.write(data)
                    file.flush()
                os.fsync(file.fileno())
            read = temp.read_bytes()
            if read != data:
                temp.unlink(missing_ok=True)
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(temp))
            result = Verified(check(read), len(read), sha256_of(read))
            self._placer.patiently(partial(temp.replace, part))
        finally:
            writing_of(part).unlink(missing_ok=True)
        return result

    def _place(self, out: Path, stem: str, part: Path, result: Verified) -> Kept:
        wanted = _wanted(out, stem, result.checked.suffix)
        wanted.parent.mkdir(parents=True, exist_ok=True)
        name = self._placer.place(part, wanted, result.sha256)
        for folder in {name.parent, out}:
            fsync_folder(folder)
        return result.kept(out, name)


def _wanted(out: Path, stem: str, suffix: str) -> Path:
    """The final name; whatever the stem says, it stays inside ``out`` and legal."""
    *folders, name = [safe_name(p, _PART_NAME_BYTES) for p in PurePosixPath(stem).parts] or ["_"]
    return out.joinpath(*folders) / f"{name}{suffix}"


def _remove_placeholder(name: Path) -> None:
    """The empty file by which a rename reserved its name before the crash."""
    if name.is_file() and name.stat().st_size == 0:
        name.unlink(missing_ok=True)


def _drop_quietly(part: Path) -> None:
    with contextlib.suppress(OSError):
        drop(part)
