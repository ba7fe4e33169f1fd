"""Whether a batch's folder can take a result, asked before every paid call."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.reach import plain
from desktop_app.domain.text import message
from desktop_app.exports.trouble import as_local_trouble

MIN_FREE_BYTES = 200_000_000
FRESH_S = 2.0


def disk_free(folder: Path) -> int:
    """Bytes free on the folder's disk."""
    return shutil.disk_usage(folder).free


class FolderCheck:
    """Blocking, safe from any thread. A good answer holds for ``FRESH_S`` seconds; trouble is
    looked at anew each time, so that it ends as soon as it is mended."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        min_free_bytes: int = MIN_FREE_BYTES,
        free_bytes: Callable[[Path], int] = disk_free,
    ) -> None:
        self._monotonic = monotonic
        self._min_free = min_free_bytes
        self._free_bytes = free_bytes
        self._lock = threading.Lock()
        self._made: set[Path] = set()
        self._good_until: dict[Path, float] = {}

    def is_fresh(self, folder: Path) -> bool:
        """Whether the folder was found good a moment ago."""
        with self._lock:
            return self._monotonic() < self._good_until.get(folder, float("-inf"))

    def expect(self, folder: Path) -> None:
        """It was there before this process was: if it is gone it is not made."""
        with self._lock:
            self._made.add(folder)

    def check(self, folder: Path) -> None:
        """Make the folder, write into it, measure its disk. Raises LocalTrouble."""
        self.make(folder)
        with as_local_trouble(folder):
            probe = folder / f".bw-probe-{uuid4().hex}"
            try:
                probe.write_bytes(b"")
            finally:
                probe.unlink(missing_ok=True)
            free = self._free_bytes(folder)
        if free < self._min_free:
            raise LocalTrouble(
                message(
                    "exports.disk_nearly_full",
                    folder=plain(folder),
                    free_mb=free // 1_000_000,
                    needed_mb=self._min_free // 1_000_000,
                )
            )
        with self._lock:
            self._good_until[folder] = self._monotonic() + FRESH_S

    def make(self, folder: Path) -> None:
        """Make the folder once. One that was there and is gone is not made again: its drive may
        be unplugged, and the results would go to another disk. Raises LocalTrouble."""
        if self.is_there(folder):
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise LocalTrouble(
                message("exports.folder_not_made", folder=plain(folder), reason=reason)
            ) from error
        with self._lock:
            self._made.add(folder)

    def is_there(self, folder: Path) -> bool:
        """Whether it is there. Raises LocalTrouble where it was there and is gone."""
        with self._lock:
            known = folder in self._made
        if folder.is_dir():
            with self._lock:
                self._made.add(folder)
            return True
        if known:
            raise LocalTrouble(message("exports.folder_gone", folder=plain(folder)))
        return False
