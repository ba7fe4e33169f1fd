"""This machine's faults by what the operator can do about them: they pause the engine and blame
no row."""

from __future__ import annotations

import errno
from pathlib import Path
from types import TracebackType

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.reach import plain
from desktop_app.domain.text import Message, message

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO})
_WINDOWS_FULL = frozenset({39, 112})
_WINDOWS_GONE = frozenset({3, 15, 21, 53, 67})


def local_message(folder: Path, error: OSError) -> Message:
    """The sentence for a fault met in ``folder``."""
    shown = plain(folder)
    windows = getattr(error, "winerror", None)
    if error.errno in _FULL or windows in _WINDOWS_FULL:
        return message("exports.disk_full", folder=shown)
    if error.errno in _GONE or windows in _WINDOWS_GONE:
        return message("exports.folder_gone", folder=shown)
    if error.errno in _READ_ONLY:
        return message("exports.not_writable", folder=shown)
    reason = error.strerror or str(error)
    return message("exports.disk_error", folder=shown, reason=reason)


def as_local_trouble(folder: Path) -> _AsLocalTrouble:
    """Turn an OSError of the block into LocalTrouble."""
    return _AsLocalTrouble(folder)


class _AsLocalTrouble:
    """A class, for every result passes some times."""

    __slots__ = ("_folder",)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            raise LocalTrouble(local_message(self._folder, error)) from error
