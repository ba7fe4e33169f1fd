"""Which start of the computer this is: records not yet forced to disk survive a crash of the
program, but not one of the machine."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

_LINUX = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str | None:
    """The same text from one start of the machine to its end; None where it cannot be known."""
    if sys.platform == "linux":
        return _read(_LINUX)
    if sys.platform == "darwin":
        return _ask("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid")
    if sys.platform == "win32":
        import ctypes

        ticks = ctypes.windll.kernel32.GetTickCount64
        ticks.restype = ctypes.c_ulonglong
        # A set clock may change the answer; that errs on the side of "another start".
        return f"win-{round((time.time() - ticks() / 1000) / 10)}"
    return None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def _ask(*command: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            command, capture_output=True, text=True, timeout=5, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
