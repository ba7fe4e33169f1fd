"""One result into its place for good, and found there again after a crash."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from uuid import uuid4

from desktop_app.domain.attempt import Kept
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
from desktop_app.exports.embedding import embedded
from desktop_app.exports.folder_check import FolderCheck
from desktop_app.exports.picture_check import PICTURE_MIMES, is_picture
from desktop_app.exports.placing import (
    Folders,
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
from desktop_app.exports.steps import Steps, onto_disk, through
from desktop_app.exports.temp_files import PREFIX, Slot, drop, folder_of, writing_of
from desktop_app.exports.text_check import TEXT_MIMES
from desktop_app.exports.trouble import as_local_trouble
from desktop_app.exports.verified import Verified, read_noted, read_verified, undecoded

_PART_NAME_BYTES = 200


class Shelf:
    """Everything here blocks, and raises LocalTrouble where this machine is at fault."""

    def __init__(
        self, folders: FolderCheck, placer: Placer, embed: Callable[[], bool] = lambda: False
    ) -> None:
        """``embed``: whether pictures are to say what they were made from, also where their
        batch does not want it."""
        self._folders = folders
        self._placer = placer
        self._embed = embed

    def stage(self, slot: Slot, content: Content) -> None:
        """Put it where ``find`` sees it."""
        out = folder_of(slot.claim)
        self._folders.make(out)
        with as_local_trouble(out):
            stage(staged_of(slot, content), bytes_of(content))

    def keep(self, slot: Slot, content: Content, folders: Folders) -> Steps[Kept]:
        """Write, and in the second step verify and name; the name is durable once the ``folders``
        are. Raises BadResult."""
        out = folder_of(slot.claim)
        self._folders.make(out)
        with as_local_trouble(out):
            data, staged = bytes_of(content), staged_of(slot, content)
            earlier = self._find_finished(slot)
            if earlier is not None and earlier.sha256 in self._sums(slot, data):
                staged.unlink(missing_ok=True)
                return earlier
            check = partial(check_content, content=content)
            result = yield from self._finish(slot, staged, data, check)
            return self._place(out, slot.stem, slot.part, result, folders)

    def find(self, slot: Slot) -> Kept | None:
        """What was kept or staged, named now if it was not yet; or None."""
        finished = self._find_finished(slot)
        out = Path(slot.claim.out_dir)
        with as_local_trouble(out):
            staged = find_staged(slot)
            if finished is not None or staged is None:
                if staged is not None:
                    staged.unlink(missing_ok=True)
                return finished
            try:
                data = staged.read_bytes()
                result = through(self._finish(slot, staged, data, partial(check_staged, staged)))
            except BadResult:
                return None
            return self._place_for_good(out, slot.stem, slot.part, result)

    def named(self, slot: Slot) -> Kept | None:
        """What was named already, and so verified before that; or None. It is not decoded."""
        out, part = Path(slot.claim.out_dir), slot.part
        with as_local_trouble(out):
            if not part.exists():
                note = read_note(note_of(part))
                return None if note is None else undecoded(out, out / note.path, note.sha256)
            for suffix in (*PICTURE_MIMES, *TEXT_MIMES):
                name = linked_name(part, _wanted(out, slot.stem, suffix))
                if name is not None:
                    return undecoded(out, name)
            return None

    def _find_finished(self, slot: Slot) -> Kept | None:
        out = folder_of(slot.claim)
        part = slot.part
        with as_local_trouble(out):
            note = read_note(note_of(part))
            if not part.exists():
                return None if note is None else read_noted(out, note.path, note.sha256)
            result = read_verified(part)
            if result is None:
                drop(part)
                return None
            for checked in under_other_names(result.checked):
                name = linked_name(part, _wanted(out, slot.stem, checked.suffix))
                if name is not None:
                    fsync_folder(name.parent)
                    return replace(result, checked=checked).kept(out, name)
            if note is not None:
                _remove_placeholder(out / note.path)
            return self._place_for_good(out, slot.stem, part, result)

    def attach(self, out: Path, stem: str, source: Path, makes: str | None) -> Kept:
        """Copy in a file a person found. Raises BadResult, and OperatorError where ``source``
        can't be read."""
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
                result = through(self._write(writing_of(part), part, data, check))
                return self._place_for_good(out, stem, part, result)
            finally:
                drop(part)

    def _sums(self, slot: Slot, data: bytes) -> set[str]:
        """What a file of this answer may hold, with and without words in it."""
        return {sha256_of(data), sha256_of(embedded(data, slot.claim.words))}

    def _finish(
        self, slot: Slot, staged: Path, data: bytes, check: Callable[[bytes], Checked]
    ) -> Steps[Verified]:
        """From an answer, staged or not, to its finished file. Raises BadResult, and nothing is
        left."""
        part = slot.part
        try:
            wanted = is_picture(data) and (slot.claim.embed or self._embed())
            words = embedded(data, slot.claim.words) if wanted else data
            if words != data:
                # What carries the words may be odd: it is kept as it came then.
                with contextlib.suppress(BadResult):
                    # The staged file is not written into: it alone proves itself whole.
                    result = yield from self._write(writing_of(part), part, words, check)
                    staged.unlink(missing_ok=True)
                    return result
            temp = staged if staged.exists() else writing_of(part)
            return (yield from self._write(temp, part, data, check))
        except BadResult:
            staged.unlink(missing_ok=True)
            raise

    def _write(
        self, temp: Path, part: Path, data: bytes, check: Callable[[bytes], Checked]
    ) -> Steps[Verified]:
        """Write (unless ``temp`` was staged), fsync, read back, verify; only then does the file
        bear the part's name."""
        try:
            read = yield from onto_disk(temp, data)
            if read != data:
                temp.unlink(missing_ok=True)
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(temp))
            result = Verified(check(read), len(read), sha256_of(read))
            self._placer.patiently(partial(os.replace, temp, part))
        except BaseException:
            writing_of(part).unlink(missing_ok=True)
            raise
        return result

    def _place_for_good(self, out: Path, stem: str, part: Path, result: Verified) -> Kept:
        folders = Folders()
        kept = self._place(out, stem, part, result, folders)
        folders.sync()
        return kept

    def _place(self, out: Path, stem: str, part: Path, result: Verified, folders: Folders) -> Kept:
        wanted = _wanted(out, stem, result.checked.suffix)
        has_folders = "/" in stem
        if has_folders:
            wanted.parent.mkdir(parents=True, exist_ok=True)
        name = self._placer.place(part, wanted, result.sha256)
        folders.update((name.parent, out) if has_folders else (out,))
        return result.kept(out, name)


def _wanted(out: Path, stem: str, suffix: str) -> Path:
    """The final name; whatever the stem says, it stays inside ``out`` and legal."""
    if "/" not in stem:
        return out / f"{safe_name(stem, _PART_NAME_BYTES)}{suffix}"
    *folders, name = [safe_name(p, _PART_NAME_BYTES) for p in PurePosixPath(stem).parts] or ["_"]
    return out.joinpath(*folders) / f"{name}{suffix}"


def _remove_placeholder(name: Path) -> None:
    """The empty file by which a rename reserved its name before the crash."""
    if name.is_file() and name.stat().st_size == 0:
        name.unlink(missing_ok=True)
