"""The clock of the first paint looks at a screen that stays, and says where there is none."""

from __future__ import annotations

import ctypes
import sys

import paint
import pytest

from tests.e2e.screen import display

OPENED = 400


def test_a_display_that_is_not_there_is_a_fault_and_no_crash() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("of X")
    with pytest.raises(OSError, match="no display"):
        paint.first_paints([(["true"], {})], ":99999", 1)


@pytest.mark.display
def test_a_screen_takes_everybody_who_comes_after_the_last_has_left() -> None:
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    with display() as screen:
        for _ in range(OPENED):
            opened = x11.XOpenDisplay(screen.name.encode())
            assert opened
            x11.XCloseDisplay(opened)
