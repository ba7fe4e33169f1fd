"""One private copy is all that is read: the operator's file may be saved, moved or deleted
meanwhile, and Excel may hold it."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.text import Message, OperatorError, message

TEXT_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".txt"})
JSON_SUFFIXES = frozenset({".jsonl", ".ndjson"})
BOOK_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".et"})

_CHUNK = 1 << 20
_TRIES = 3
_WINDOWS_SHARING = frozenset({32, 33})


@dataclass(frozen=True, slots=True)
class PrivateCopy:
    """``path`` is named after the content, so that the same bytes are copied once."""

    path: Path
    sha256: str
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
        sha256 = _copy_steadily(path, temp)
        final = copy_dir / f"{sha256[:24]}{path.suffix.lower()}"
        if not final.exists():
            temp.replace(final)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OperatorError(message("ingest.no_copy", file=path.name, reason=reason)) from error
    finally:
        if temp is not None:
            temp.unlink(missing_ok=True)
    return PrivateCopy(final, sha256, _unsaved(path))


def _check_kind(path: Path) -> None:
    """Refuse by name and kind, before a byte is read."""
    if path.name.startswith("~$"):
        raise OperatorError(message("ingest.lock_file", file=path.name, sheet=path.name[2:]))
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise OperatorError(message("ingest.no_file", file=str(path))) from error
    except OSError as error:
        raise OperatorError(_why(path, error)) from error
    if stat.S_ISDIR(mode):
        raise OperatorError(message("ingest.folder", file=path.name))
    if not stat.S_ISREG(mode):
        raise OperatorError(message("ingest.not_a_file", file=path.name))
    if path.suffix.lower() not in TEXT_SUFFIXES | JSON_SUFFIXES | BOOK_SUFFIXES:
        raise OperatorError(message("ingest.unsupported", file=path.name))


def _copy_steadily(path: Path, temp: Path) -> str:
    """Copy until the file held still meanwhile; returns the SHA-256 of what was copied."""
    for _ in range(_TRIES):
        try:
            with path.open("rb") as source:
                before = os.fstat(source.fileno())
                sha256 = _copy_once(source.fileno(), before.st_size, temp)
                after = os.fstat(source.fileno())
        except OSError as error:
            raise OperatorError(_why(path, error)) from error
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            return sha256
    raise OperatorError(message("ingest.changing", file=path.name))


def _copy_once(source: int, size: int, temp: Path) -> str:
    """Stops past ``size``: a file that grows while it is read could be read for ever."""
    digest = hashlib.sha256()
    copied = 0
    # A thread, since hashing takes as long as copying and needs no interpreter.
    with temp.open("wb") as target, ThreadPoolExecutor(1) as hasher:
        hashed: Future[None] | None = None
        while copied <= size and (chunk := os.read(source, _CHUNK)):
            copied += len(chunk)
            if hashed is not None:
                hashed.result()
            hashed = hasher.submit(digest.update, chunk)
            target.write(chunk)
    return digest.hexdigest()


def _why(path: Path, error: OSError) -> Message:
    if isinstance(error, FileNotFoundError):
        return message("ingest.vanished", file=path.name)
    if getattr(error, "winerror", None) in _WINDOWS_SHARING:
        return message("ingest.locked", file=path.name)
    if isinstance(error, PermissionError):
        return message("ingest.no_permission", file=path.name)
    return message("ingest.unreadable", file=path.name, reason=error.strerror or str(error))


def _unsaved(path: Path) -> tuple[Message, ...]:
    """Excel and WPS keep ``~$name`` beside a workbook that is open."""
    if path.with_name(f"~${path.name}").exists():
        return (message("ingest.unsaved", file=path.name),)
    return ()
