"""A file system without a journal looks past every file deleted within the last minutes when it
makes a new one (ext4: 0.5 ms of CPU a file after a test run, against 0.01): that is the debt of
whatever ran before, and would be charged to the program."""

from __future__ import annotations

import os
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

TRIES = 16
_PROBES = 8  # they are deleted, too
_GET_FLAGS, _SET_FLAGS, _TOP_FOLDER = 0x80086601, 0x40086602, 0x00020000  # linux/fs.h


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, and what a new file in its ``out`` costs by itself: microseconds of CPU."""

    folder: Path
    file_us: float

    @property
    def out(self) -> Path:
        """An empty folder for results."""
        return self.folder / "out"


def cost_of_a_file(folder: Path) -> float:
    """Microseconds of this thread's CPU that making a file there takes. Leaves nothing."""
    files = [folder / f"probe-{number}" for number in range(_PROBES)]
    began = time.thread_time()
    for file in files:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    cost = (time.thread_time() - began) / _PROBES * 1e6
    for file in files:
        file.unlink()
    return cost


@contextmanager
def place(
    inside: Path | None = None, cost_of: Callable[[Path], float] = cost_of_a_file
) -> Iterator[Place]:
    """A new folder on the same disk as all temporary ones: of ``TRIES`` the one where a new file
    costs least, which is told. All that was tried is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="batchwright-bench-", dir=inside) as above:
        _spread(Path(above))
        tried: list[Place] = []
        for _ in range(TRIES):
            folder = Path(tempfile.mkdtemp(dir=above))
            out = folder / "out"
            out.mkdir()
            tried.append(Place(folder, cost_of(out)))
        yield min(tried, key=lambda one: one.file_us)


def _spread(folder: Path) -> None:
    """Ask for folders inside to lie far from each other (``chattr +T``): some lie where nothing
    was deleted. Other systems and file systems do without."""
    if sys.platform != "linux":
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            (flags,) = struct.unpack("q", fcntl.ioctl(handle, _GET_FLAGS, bytes(8)))
            fcntl.ioctl(handle, _SET_FLAGS, struct.pack("q", flags | _TOP_FOLDER))
    finally:
        os.close(handle)
