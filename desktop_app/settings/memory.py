"""Memory that a picture took goes back to the system: the C library would keep it, for each thread
that ever decoded one."""

from __future__ import annotations

import ctypes
import sys

# Names and numbers as in glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_LARGE = 256 << 10  # bytes; a block of this size or more is given back at once
_KEPT = 1 << 20
_ARENAS = 2


def give_back_early() -> None:
    """Have it so from now on, where this is glibc; elsewhere nothing is changed."""
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        # Left alone these grow with the largest block that was ever freed.
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
        mallopt(_M_TRIM_THRESHOLD, _KEPT)
        mallopt(_M_ARENA_MAX, _ARENAS)
