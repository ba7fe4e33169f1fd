"""A sleeping computer drops paid answers on the floor, so it is kept awake while rows run."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop_app.settings.app_nap import Activity

_log = logging.getLogger(__name__)

# Flags of SetThreadExecutionState.
_CONTINUOUS = 0x80000000
_SYSTEM_REQUIRED = 0x00000001


def inhibitor(platform: str = sys.platform) -> list[str] | None:
    """The command that keeps this system awake for as long as its standard input stays open."""
    if platform == "darwin":
        tool = shutil.which("caffeinate")
        return [tool, "-i", "-w", str(os.getpid())] if tool else None
    tool = shutil.which("systemd-inhibit")
    if tool is None:
        return None
    why = ["--what=idle:sleep", "--who=Batchwright", "--why=Requests are running", "--mode=block"]
    # cat ends with our end of the pipe, even after kill -9: no inhibitor outlives the program.
    return [tool, *why, "cat"]


class SystemAwake:
    """Asks the system not to sleep. Where it cannot be asked nothing happens, and nothing fails.

    ``hold`` and ``release`` may be called any number of times, always from the same thread.
    """

    def __init__(self, command: list[str] | None = None, activity: Activity | None = None) -> None:
        self._command = command
        self._activity = activity
        self._child: subprocess.Popen[bytes] | None = None
        self._held = False

    def hold(self) -> None:
        """Keep awake from now on."""
        if self._held:
            return
        self._held = True
        if sys.platform == "win32":
            _set_execution_state(_CONTINUOUS | _SYSTEM_REQUIRED)
            return
        if sys.platform == "darwin":
            self._begin_activity()
        command = self._command or inhibitor()
        if command is None:
            return
        try:
            self._child = subprocess.Popen(  # noqa: S603 - a fixed command
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            _log.info("cannot keep the computer awake: %s", error)

    def release(self) -> None:
        """Let it sleep again."""
        if not self._held:
            return
        self._held = False
        if sys.platform == "win32":
            _set_execution_state(_CONTINUOUS)
            return
        if self._activity is not None:
            self._activity.end()
        child, self._child = self._child, None
        if child is None:
            return
        if child.stdin is not None:
            child.stdin.close()
        child.terminate()
        try:
            child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _begin_activity(self) -> None:
        if self._activity is None:
            from desktop_app.settings.app_nap import Activity

            self._activity = Activity()
        self._activity.begin("Requests are running")


def _set_execution_state(flags: int) -> None:
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetThreadExecutionState(flags)
