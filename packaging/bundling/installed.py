"""The installed program inside a root, used as the operator there would: one person, no root."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from chroot import Root

USER = "lin"  # "operator" is a group of Debian's
HOME = f"/home/{USER}"
PROGRAM = "/usr/lib/batchwright/batchwright"


class Installed:
    """Batchwright of a root. ``bus``: the address of the D-Bus session it runs in, if any;
    ``data``: its data folder, where that is not the usual one; ``program``: how it is called."""

    def __init__(
        self,
        root: Root,
        environ: Mapping[str, str],
        *,
        bus: str | None = None,
        data: str | None = None,
        program: str = "batchwright",
    ) -> None:
        self._root, self._program = root, program
        self._own = () if data is None else ("--data-dir", data)
        self._environ = {"HOME": HOME, "LANG": "C.UTF-8", "USER": USER, **environ}
        if bus is not None:
            self._environ["DBUS_SESSION_BUS_ADDRESS"] = bus

    def argv(self, *args: str) -> list[str]:
        """The command line, from outside."""
        return self._root.argv(self._program, *self._own, *args, user=USER)

    @property
    def environ(self) -> dict[str, str]:
        """What the operator's desktop hands to every program."""
        return self._root.environ({**self._environ, "XDG_RUNTIME_DIR": f"{HOME}/.run"})

    def beside(self, *command: str) -> str:
        """What another program of the operator's desktop said. What that one starts in turn may
        run on. Raises RuntimeError where it fails."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
            done = subprocess.run(
                self._root.argv(*command, user=USER),
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                timeout=60,
                check=False,
            )
            said.seek(0)
            text = said.read().strip()
        if done.returncode != 0:
            raise RuntimeError(f"{command} ended with {done.returncode}: {text}")
        return text

    def processes(self) -> set[int]:
        """The program's processes that run now, without the children they have started."""
        parents = {}
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (entry / "exe").readlink() == self._executable:
                    after_name = (entry / "stat").read_text().rpartition(")")[2]
                    parents[int(entry.name)] = int(after_name.split()[1])
        return {pid for pid, parent in parents.items() if parent not in parents}

    @property
    def _executable(self) -> Path:
        return self._root.inside(PROGRAM)

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

    @contextlib.contextmanager
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
            if process.poll() is None:
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
