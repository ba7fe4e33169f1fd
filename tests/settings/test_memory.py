"""Large blocks are given back to the system, whatever was freed before."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

IS_GLIBC = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallinfo2")
PROGRAM = """
import ctypes, sys
from desktop_app.settings.memory import _LARGE, give_back_early

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "a o s hblks h u f used free k".split()]

info = ctypes.CDLL(None).mallinfo2
info.restype = Info
if sys.argv[1] == "early":
    give_back_early()
picture = bytearray(16 * _LARGE)
del picture  # from now on the C library would keep blocks as large as this
before = info().hblks
row = bytearray(2 * _LARGE)
print(info().hblks - before)
"""


@pytest.mark.skipif(not IS_GLIBC, reason="another C library")
@pytest.mark.parametrize(("when", "mapped"), [("early", "1"), ("never", "0")])
def test_a_large_block_is_the_systems_own(when: str, mapped: str) -> None:
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, when], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == mapped
