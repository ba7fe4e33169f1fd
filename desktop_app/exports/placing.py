"""A finished file into its place without ever replacing another, with certain proof afterwards of
which attempt put it there.

Two ways, because not every file system has hard links:

- *link*: the temp file gets its final name as a second name. It stays until the result is
  committed, so that after a crash the file with the same inode is this attempt's, for certain.
- *note* (Windows, exFAT, some network shares): a small note beside the temp file says, before the
  rename, which final name it goes to and what its SHA-256 is. After a crash a file of that name
  with that content is this attempt's result, whoever moved it there.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from desktop_app.domain.safe_names import numbered

_NO_LINKS = frozenset(
    {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
)
NOTE = ".note"
_MOST_NUMBERS = 10_000
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Placer:
    """``links`` False keeps to notes. A PermissionError is met again for ``patience_s`` seconds
    where a virus scanner may hold the file (Windows); elsewhere it means what it says.
    ``replaces``: this system's rename takes the place of what is there, instead of failing."""

    links: bool = os.name != "nt"
    replaces: bool = os.name != "nt"
    patience_s: float = 10.0 if os.name == "nt" else 0.0
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic

    def place(self, part: Path, wanted: Path, sha256: str) -> Path:
        """Give ``part`` the name ``wanted``, or ``wanted-2`` and so on where others have it.
        Raises OSError; ``part`` is still there then."""
        if self.links:
            try:
                return self._link(part, wanted)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
        return self._rename(part, wanted, sha256)

    def patiently(self, act: Callable[[], _T]) -> _T:
        """Do ``act``, again while a virus scanner holds the file, for ``patience_s`` at most."""
        end = self.monotonic() + self.patience_s
        while True:
            try:
                return act()
            except PermissionError:
                if self.monotonic() >= end:
                    raise
                self.sleep(0.1)

    def _link(self, part: Path, wanted: Path) -> Path:
        for name in _names(wanted):
            try:
                os.link(part, name)
            except FileExistsError:
                continue
            return name
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(wanted))

    def _rename(self, part: Path, wanted: Path, sha256: str) -> Path:
        for name in _names(wanted):
            if name.exists():
                continue
            write_note(note_of(part), name.relative_to(part.parent), sha256)
            try:
                self.patiently(partial(_rename_new, part, name, self.replaces))
            except FileExistsError:
                continue
            return name
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(wanted))


def linked_name(part: Path, wanted: Path) -> Path | None:
    """The final name that is the same file as ``part``, or None."""
    mine = part.stat()
    if mine.st_nlink < 2:
        return None
    for name in _names(wanted):
        try:
            other = name.stat()
        except FileNotFoundError:
            return None
        if (other.st_ino, other.st_dev) == (mine.st_ino, mine.st_dev):
            return name
    return None


@dataclass(frozen=True, slots=True)
class Note:
    """Where a part goes (relative to the batch's folder) and what it holds."""

    path: str
    sha256: str


def note_of(part: Path) -> Path:
    """The note's own name."""
    return part.with_suffix(NOTE)


def write_note(note: Path, path: Path, sha256: str) -> None:
    """Durable before the rename it speaks of."""
    with note.open("w", encoding="utf-8") as file:
        json.dump({"path": path.as_posix(), "sha256": sha256}, file)
        file.flush()
        os.fsync(file.fileno())


def read_note(note: Path) -> Note | None:
    """None when there is none, or a crash cut it short (then nothing was renamed yet)."""
    if not os.path.lexists(note):  # of most results there is none, which is soon told so
        return None
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
        return Note(str(found["path"]), str(found["sha256"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


class Folders(set[Path]):
    """Those in which names were given that a power cut may still undo."""

    def sync(self) -> None:
        """Make the names durable. Raises OSError."""
        for folder in self:
            fsync_folder(folder)


def fsync_folder(folder: Path, *, windows: bool = os.name == "nt") -> None:
    """Make a new name durable; Windows has no such call and needs none."""
    if windows:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _names(wanted: Path) -> Iterator[Path]:
    yield wanted
    for number in range(2, _MOST_NUMBERS):
        yield wanted.with_name(numbered(wanted.stem, number, wanted.suffix))


def _rename_new(part: Path, name: Path, replaces: bool) -> None:
    """Rename unless the name is taken. Windows' own rename does that; elsewhere the name is
    reserved by an empty file of ours, which the rename then replaces."""
    if replaces:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        part.replace(name)
    else:
        part.rename(name)
