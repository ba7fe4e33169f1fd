"""The practice server as the app's child: it can be slow or stuck without holding up the window."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from desktop_app.domain.text import OperatorError, message
from desktop_app.practice.environ import ENV_CHILD, ENV_KEY, new_key

# CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW of Windows, which no other system's Python names.
_APART_ON_WINDOWS = 0x00000200 | 0x08000000


class PracticeProcess:
    """One child process; it ends with this process, however that ends.

    ``argv_prefix`` is the command of the verb, e.g. ``[sys.executable, "-m", "desktop_app",
    "practice"]``; ``config`` a profile's name or a file; ``port`` 0 a free one; ``key`` None a
    random one; ``environ`` the environment to start from.
    """

    def __init__(
        self,
        argv_prefix: Sequence[str],
        *,
        port: int = 0,
        key: str | None = None,
        config: str | Path | None = None,
        environ: Mapping[str, str] = os.environ,
        cwd: Path | None = None,
    ) -> None:
        self._argv = [*argv_prefix, "--port", str(port)]
        if config is not None:
            self._argv += ["--config", str(config)]
        self._key = key or new_key()
        self._environ = {**environ, ENV_CHILD: "1", ENV_KEY: self._key}
        self._cwd = cwd
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: deque[str] = deque(maxlen=5)
        self._reader: threading.Thread | None = None
        self._base_url = ""
        self._starting = asyncio.Lock()

    @property
    def running(self) -> bool:
        """Whether the child was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    async def start(self, timeout_s: float = 30.0) -> tuple[str, str]:
        """(base URL ending in ``/v1``, key), once calls are answered; a running child is kept.
        Raises OperatorError with the reason when it doesn't come up."""
        async with self._starting:
            if not (self.running and self._base_url):
                self._base_url = await self._start(timeout_s)
        return self._base_url, self._key

    async def _start(self, timeout_s: float) -> str:
        launch = asyncio.ensure_future(asyncio.to_thread(self._launch))
        try:
            process = await asyncio.shield(launch)
        except asyncio.CancelledError:
            # The thread cannot be called back: what it launches is ended once it is there.
            await asyncio.wait({launch})
            if launch.exception() is None:
                launch.result().kill()
            await asyncio.shield(self.stop())
            raise
        try:
            line = await asyncio.wait_for(asyncio.to_thread(_first_line, process), timeout_s)
        except TimeoutError as error:
            process.kill()  # also frees the thread that waits for the line
            await self.stop()
            raise _no_start(message("practice.no_answer", seconds=timeout_s)) from error
        except BaseException:
            process.kill()
            await asyncio.shield(self.stop())
            raise
        try:
            port = int(json.loads(line)["port"])
        except (ValueError, TypeError, KeyError) as error:
            await self.stop()
            why = " ".join(self._complaints).strip()
            ended = message("practice.ended_early", exit=process.returncode)
            raise _no_start(message("text.plain", text=why) if why else ended) from error
        return f"http://127.0.0.1:{port}/v1"

    async def stop(self, timeout_s: float = 3.0) -> None:
        """End the child; what it is working on is cut. Safe to call twice."""
        await asyncio.to_thread(self.stop_now, timeout_s)

    def stop_now(self, timeout_s: float = 3.0) -> None:
        """``stop`` for a caller without a loop; blocks up to ``timeout_s``, then kills."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        finally:
            if self._reader is not None:
                self._reader.join()
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()

    def _launch(self) -> subprocess.Popen[bytes]:
        self.stop_now()
        self._complaints.clear()
        try:
            # A group of its own: the terminal's Ctrl+C must not take the server away from
            # calls that the parent still drains.
            process = subprocess.Popen(  # noqa: S603 - our own command, no shell
                self._argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environ,
                cwd=self._cwd,
                start_new_session=sys.platform != "win32",
                creationflags=_APART_ON_WINDOWS if sys.platform == "win32" else 0,
            )
        except OSError as error:
            raise _no_start(message("text.plain", text=str(error))) from error
        self._process = process
        assert process.stderr is not None
        self._reader = threading.Thread(
            target=self._hear, args=(process.stderr,), name="practice-stderr", daemon=True
        )
        self._reader.start()
        return process

    def _hear(self, stderr: IO[bytes]) -> None:
        for line in stderr:
            self._complaints.append(line.decode("utf-8", "replace").strip())


def _first_line(process: subprocess.Popen[bytes]) -> bytes:
    return process.stdout.readline() if process.stdout is not None else b""


def _no_start(why: object) -> OperatorError:
    return OperatorError(message("practice.no_start", why=why))
