"""A login of the operator's: what runs on their desktop beside the program, for as long as they are
there."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from chroot import Root
from installed import USER

STORE = ("dbus", "dbus-bin", "gnome-keyring")
MANAGER = ("xfwm4", "xfconf")

# The key ring opens with the login, as on a desktop; its file outlives the session.
_SESSION = """
printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
echo "$DBUS_SESSION_BUS_ADDRESS"
exec cat >/dev/null
"""
_ENDS_S = 20.0


@contextmanager
def session(root: Root, environ: Mapping[str, str]) -> Iterator[str]:
    """A D-Bus session with a real Secret Service (``STORE``); its address. Both end with the
    block."""
    bus = subprocess.Popen(
        root.argv("dbus-run-session", "--", "sh", "-c", _SESSION, user=USER),
        env=dict(environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert bus.stdin is not None
    assert bus.stdout is not None
    try:
        yield bus.stdout.readline().strip()
    finally:
        bus.stdin.close()
        _end(bus)
        bus.stdout.close()


@contextmanager
def manager(root: Root, environ: Mapping[str, str]) -> Iterator[None]:
    """A window manager (``MANAGER``) on the display of ``environ``, until the block ends."""
    running = subprocess.Popen(
        root.argv("xfwm4", "--compositor=off", user=USER),
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        _end(running, signal.SIGTERM)


def _end(process: subprocess.Popen[str] | subprocess.Popen[bytes], by: int | None = None) -> None:
    if by is not None and process.poll() is None:
        os.killpg(process.pid, by)
    try:
        process.wait(_ENDS_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
