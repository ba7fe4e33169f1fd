"""One engine a data folder: a lock the OS drops by itself when its holder dies, even by kill -9."""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

from desktop_app.domain.text import Message, OperatorError, message

_BUSY = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
# Windows refuses reads of locked bytes; far behind the text, the lock hides nothing.
_FAR = 1 << 20
_TRIES = 10
_APART_S = 0.01
_LOOKS_S = 10.0
"""So long may somebody look who is stopped meanwhile, as on a machine that is overworked."""


class InstanceLock:
    """The lock of one data folder; two objects exclude each other even within one process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> bool:
        """True when this object holds the lock now; False when another holds it.

        Raises OperatorError when the folder cannot be written or its drive knows no locks.
        """
        if self._handle is not None:
            return True
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        try:
            handle = os.open(self._path, flags, 0o600)
        except OSError as error:
            raise OperatorError(self._said("settings.folder_unusable", error)) from error
        try:
            if not _lock_patiently(handle):
                os.close(handle)
                return False
        except OSError as error:
            os.close(handle)
            raise OperatorError(self._said("settings.folder_no_locks", error)) from error
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        self._handle = handle
        return True

    def release(self) -> None:
        """Give the lock up; the file stays, since removing it could free a stranger's lock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def is_held(self) -> bool:
        """Whether somebody holds it now. Looks by taking it for an instant together with others
        who look, so whoever wants to hold it tries more than once."""
        try:
            handle = os.open(self._path, os.O_RDWR)
        except OSError:
            return False
        try:
            _lock(handle, together=True)
        except OSError:
            return True
        finally:
            os.close(handle)
        return False

    def holder(self) -> int | None:
        """The process id that last took the lock, for a message to the operator."""
        try:
            return int(self._path.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def _said(self, code: str, error: OSError) -> Message:
        return message(code, folder=str(self._path.parent), why=error.strerror)


def _lock_patiently(handle: int) -> bool:
    """False when another holds it, and not only to look."""
    held, end = 0, time.monotonic() + _LOOKS_S
    while True:
        try:
            _lock(handle)
        except OSError as error:
            if error.errno not in _BUSY:
                raise
        else:
            return True
        held += not _is_only_looked_at(handle)
        if held >= _TRIES or time.monotonic() >= end:
            return False
        time.sleep(_APART_S)


def _is_only_looked_at(handle: int) -> bool:
    """Whether those who have it would share it; Windows cannot tell."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        _lock(handle, together=True)
    except OSError:
        return False
    fcntl.flock(handle, fcntl.LOCK_UN)
    return True


def _lock(handle: int, *, together: bool = False) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(handle, (fcntl.LOCK_SH if together else fcntl.LOCK_EX) | fcntl.LOCK_NB)
