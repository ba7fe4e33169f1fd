"""When a window is first seen, by looking at the screen itself: the same for any program."""

from __future__ import annotations

import ctypes
import os
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

_ALL_PLANES = 0xFFFFFFFF
_Z_PIXMAP = 2
_AT = (800, 450)  # inside any window that opens in the middle or in the left upper corner
_LONGEST_S = 60.0


Start = tuple[Sequence[str], Mapping[str, str]]
"""A command line and its environment."""


def first_paints(programs: Sequence[Start], display: str, times: int) -> list[float]:
    """Of each program, the seconds from the start of the process to the first pixel that is not
    the empty screen's: the median of ``times`` starts after one that warms the disk's cache up.
    They take turns, so that what else the machine does falls on all alike. Raises TimeoutError,
    OSError where there is no such display."""
    took: list[list[float]] = [[] for _ in programs]
    with _watched(display) as pixel:
        for _ in range(times + 1):
            for (argv, environ), seconds in zip(programs, took, strict=True):
                seconds.append(_once(argv, environ, pixel))
    return [statistics.median(seconds[1:]) for seconds in took]


@contextmanager
def _watched(display: str) -> Iterator[Callable[[], int]]:
    """The colour of one pixel of the screen, as often as it is asked for."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    x11.XGetImage.restype = ctypes.c_void_p
    x11.XGetImage.argtypes = [
        ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_int,
        ctypes.c_uint, ctypes.c_uint, ctypes.c_ulong, ctypes.c_int,
    ]  # fmt: skip
    x11.XGetPixel.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    x11.XGetPixel.restype = ctypes.c_ulong
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    screen = x11.XOpenDisplay(display.encode())
    if not screen:
        raise OSError(f"no display {display}")
    root = x11.XDefaultRootWindow(screen)

    def pixel() -> int:
        image = x11.XGetImage(screen, root, *_AT, 1, 1, _ALL_PLANES, _Z_PIXMAP)
        if not image:
            raise OSError(f"the display {display} shows nothing")
        return int(x11.XGetPixel(image, 0, 0))  # a pixel's memory is not worth its bookkeeping

    try:
        yield pixel
    finally:
        x11.XCloseDisplay(screen)


def _once(argv: Sequence[str], environ: Mapping[str, str], pixel: Callable[[], int]) -> float:
    empty = pixel()
    began = time.monotonic()
    process = subprocess.Popen(
        list(argv),
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while pixel() == empty:
            if time.monotonic() - began > _LONGEST_S or process.poll() is not None:
                raise TimeoutError(f"no window of {argv[-1]}")
            time.sleep(0.002)
        return time.monotonic() - began
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        while pixel() != empty:
            time.sleep(0.01)
