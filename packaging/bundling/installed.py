"""The installed program inside a root, used as the operator there would: one person, no root."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chroot import Root

USER = "lin"  # "operator" is a group of Debian's
HOME = f"/home/{USER}"
# A session with a password store that is open, as after a login.
SESSION = (
    'printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$@"'
)


class Installed:
    """Batchwright of a root. ``bus``: everything runs in one D-Bus session with a real Secret
    Service, whose key rings outlive it in the operator's home."""

    def __init__(self, root: Root, environ: Mapping[str, str], *, bus: bool = False) -> None:
        self._root = root
        self._environ = {"HOME": HOME, "LANG": "C.UTF-8", "USER": USER, **environ}
        self._bus = bus

    def argv(self, *args: str) -> list[str]:
        """The command line, from outside."""
        session = ["dbus-run-session", "--", "sh", "-c", SESSION, "sh"] if self._bus else []
        return self._root.argv(*session, "batchwright", *args, user=USER)

    @property
    def environ(self) -> dict[str, str]:
        runtime = f"{HOME}/.run"
        return self._root.environ({**self._environ, "XDG_RUNTIME_DIR": runtime})

    def run(self, *args: str, stdin: str = "", may_end: tuple[int, ...] = (0,)) -> str:
        """What a verb said. Raises RuntimeError with it where it ends with another code."""
        done = subprocess.run(
            self.argv(*args),
            env=self.environ,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=180,
            check=False,
        )
        said = done.stdout + done.stderr
        if done.returncode not in may_end:
            raise RuntimeError(f"{args} ended with {done.returncode}: {said}")
        return said

    def status(self) -> dict[str, Any]:
        """The ledger of the newest batch."""
        found: dict[str, Any] = json.loads(self.run("--json", "status"))
        return found

    def ended(self) -> int:
        """Rows that nothing more will happen to: some meet practised trouble that lasts."""
        told = self.status()
        waiting = ("pending", "running", "retrying")
        return int(told["imported"]) - sum(int(told[word]) for word in waiting)

    @contextmanager
    def window(self, *args: str) -> Iterator[subprocess.Popen[bytes]]:
        """The window, until the block ends; then it is asked to close, and killed if it won't."""
        with Path("/dev/null").open("wb") as nowhere:
            process = subprocess.Popen(
                self.argv(*args),
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=nowhere,
                stderr=nowhere,
                start_new_session=True,
            )
        try:
            yield process
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def add_operator(root: Root) -> None:
    """Make the person and their home."""
    root.run("useradd", "--create-home", "--shell", "/bin/sh", USER)
    root.run("install", "-d", "-m", "700", f"{HOME}/.run", user=USER)
