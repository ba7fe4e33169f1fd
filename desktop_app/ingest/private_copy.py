"""One private copy is all that is read: the operator's file may be saved, moved or deleted
meanwhile, and Excel may hold it."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.ports.ingest import FileStamp
from desktop_app.domain.safe_names import as_text
from desktop_app.domain.sheet_kinds import SHEET_SUFFIXES
from desktop_app.domain.text import Message, OperatorError, message

_CHUNK = 1 << 20
_TRIES = 3
_SPARE = 64 << 20
"""Bytes that the disk keeps free beside a long sheet: the store writes its rows there. For a short
one as much as it has itself is enough."""

_WINDOWS_SHARING = frozenset({32, 33})
_WINDOWS_LOST = frozenset({21, 53, 55, 59, 64, 67, 121, 1167, 1231, 1232})
_LOST = frozenset(
    {
        errno.EIO,
        errno.ENODEV,
        errno.ENXIO,
        errno.ETIMEDOUT,
        errno.ENOTCONN,
        errno.ECONNRESET,
        errno.ECONNABORTED,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.EHOSTUNREACH,
        # not on every system
        getattr(errno, "ESTALE", errno.EIO),
        getattr(errno, "EREMOTEIO", errno.EIO),
        getattr(errno, "EHOSTDOWN", errno.EIO),
    }
)
_LOCKS = (("~$", "", "Excel"), (".~lock.", "#", "LibreOffice"), (".~", "", "WPS"))
"""(before the name, after it, who puts such a file beside a sheet that is open)."""


@dataclass(frozen=True, slots=True)
class PrivateCopy:
    """``path`` is named after the content, so that the same bytes are copied once."""

    path: Path
    stamp: FileStamp
    warnings: tuple[Message, ...] = ()


def private_copy(path: Path, copy_dir: Path) -> PrivateCopy:
    """Copy the sheet into ``copy_dir`` (made if need be). Raises OperatorError."""
    _check_kind(path)
    temp: Path | None = None
    try:
        copy_dir.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=copy_dir, prefix=".copy-")
        os.close(handle)
        temp = Path(name)
        stamp = _copy_steadily(path, temp)
        final = copy_dir / f"{stamp.sha256[:24]}{path.suffix.lower()}"
        if not final.exists():
            temp.replace(final)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OperatorError(message("ingest.no_copy", file=path.name, reason=reason)) from error
    finally:
        if temp is not None:
            temp.unlink(missing_ok=True)
    return PrivateCopy(final, stamp, _unsaved(path))


def is_changed(path: Path, seen: FileStamp) -> bool:
    """Whether the file holds something else than it did; False where that can't be seen. One that
    was merely saved anew is read once more to tell."""
    try:
        now = path.stat()
        if (now.st_size, now.st_mtime_ns) == (seen.size, seen.mtime_ns):
            return False
        if now.st_size != seen.size:
            return True
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() != seen.sha256
    except OSError:
        return False


def _check_kind(path: Path) -> None:
    """Refuse by name and kind, before a byte is read."""
    for name in (path.name, str(path.absolute())):
        if as_text(name) != name:
            raise OperatorError(message("ingest.odd_name", file=as_text(name)))
    for before, after, program in _LOCKS:
        if path.name.startswith(before) and path.name.endswith(after):
            sheet = path.name.removeprefix(before).removesuffix(after)
            said = message("ingest.lock_file", file=path.name, sheet=sheet, program=program)
            raise OperatorError(said)
    with _blamed(path, missing=message("ingest.no_file", file=str(path))):
        mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise OperatorError(message("ingest.folder", file=path.name))
    if not stat.S_ISREG(mode):
        raise OperatorError(message("ingest.not_a_file", file=path.name))
    if path.suffix.lower() not in SHEET_SUFFIXES:
        raise OperatorError(message("ingest.unsupported", file=path.name))


def _copy_steadily(path: Path, temp: Path) -> FileStamp:
    """Copy until the file held still meanwhile."""
    for _ in range(_TRIES):
        with _blamed(path):
            source = path.open("rb", buffering=0)
        with source:
            with _blamed(path):
                before = os.fstat(source.fileno())
            _check_room(path, before.st_size, temp)
            sha256, copied = _copy_once(path, source.fileno(), before.st_size, temp)
            with _blamed(path):
                after = os.fstat(source.fileno())
        same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
        if same and copied == before.st_size:
            return FileStamp(after.st_size, after.st_mtime_ns, sha256)
    raise OperatorError(message("ingest.changing", file=path.name))


def _copy_once(path: Path, source: int, size: int, temp: Path) -> tuple[str, int]:
    """(SHA-256, bytes). Stops past ``size``: a file that grows while it is read could be read for
    ever."""
    digest = hashlib.sha256()
    copied = 0
    # A thread, since hashing takes as long as copying and needs no interpreter.
    with temp.open("wb") as target, ThreadPoolExecutor(1) as hasher:
        hashed: Future[None] | None = None
        while copied <= size:
            with _blamed(path):
                chunk = os.read(source, _CHUNK)
            if not chunk:
                break
            if not copied and not any(chunk):
                # A hole, or what is left after a crash; there may be gigabytes of it.
                raise OperatorError(message("ingest.not_text", file=path.name))
            copied += len(chunk)
            if hashed is not None:
                hashed.result()
            hashed = hasher.submit(digest.update, chunk)
            target.write(chunk)
    return digest.hexdigest(), copied


def _check_room(path: Path, size: int, temp: Path) -> None:
    needed_bytes, free = size + min(size, _SPARE), shutil.disk_usage(temp.parent).free
    if needed_bytes > free:
        needed, left = -(-needed_bytes >> 20), free >> 20
        raise OperatorError(message("ingest.no_room", file=path.name, needed=needed, free=left))


@contextmanager
def _blamed(path: Path, missing: Message | None = None) -> Iterator[None]:
    """What fails in here is the fault of the sheet's own place; ``missing`` says that there is no
    such file."""
    try:
        yield
    except OSError as error:
        raise OperatorError(_why(path, error, missing)) from error


def _why(path: Path, error: OSError, missing: Message | None = None) -> Message:
    reason = error.strerror or str(error)
    number = getattr(error, "winerror", None)
    # Before the missing file: that is what Windows takes a missing server for.
    if number in _WINDOWS_LOST or error.errno in _LOST:
        return message("ingest.drive_lost", file=path.name, reason=reason)
    if isinstance(error, FileNotFoundError):
        return missing or message("ingest.vanished", file=path.name)
    if number in _WINDOWS_SHARING:
        return message("ingest.locked", file=path.name)
    if isinstance(error, PermissionError):
        return message("ingest.no_permission", file=path.name)
    return message("ingest.unreadable", file=path.name, reason=reason)


def _unsaved(path: Path) -> tuple[Message, ...]:
    """Whoever has the sheet open."""
    for before, after, program in _LOCKS:
        try:
            is_open = path.with_name(f"{before}{path.name}{after}").exists()
        except OSError:
            is_open = False  # the drive went away after the sheet was copied
        if is_open:
            return (message("ingest.unsaved", file=path.name, program=program),)
    return ()
