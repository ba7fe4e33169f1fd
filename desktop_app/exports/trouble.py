"""This machine's faults by what the operator can do about them: they pause the engine and blame
no row."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


@contextmanager
def as_local_trouble(folder: Path) -> Iterator[None]:
    """Turn an OSError of the block into LocalTrouble."""
    try:
        yield
    except OSError as error:
        raise LocalTrouble(local_message(folder, error)) from error
