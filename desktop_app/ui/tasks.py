"""Slots cannot await, so one place starts their coroutines and sees to it that no error is lost."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from desktop_app.domain.text import Message, OperatorError, message

_log = logging.getLogger(__name__)


class Spawner:
    """Starts coroutines on the running loop, keeps them alive, and reports what they raise."""

    def __init__(self, say_error: Callable[[Message], None]) -> None:
        self._say_error = say_error
        self._tasks: set[asyncio.Task[Any]] = set()
        self._finished = False

    def __call__(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any] | None:
        """Run ``work``; an OperatorError is shown, any other error is logged and shown. The task
        may be cancelled; None where nothing is started any more."""
        if self._finished:
            work.close()
            return None
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            return
        if isinstance(error, OperatorError):
            self._say_error(error.message)
            return
        _log.error("a window action failed", exc_info=error)
        self._say_error(message("services.unexpected", what=type(error).__name__))

    @property
    def busy(self) -> bool:
        """Whether anything started here is still running."""
        return bool(self._tasks)

    async def settle(self) -> None:
        """Wait until everything started here, and what that started, has ended."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.sleep(0)

    async def finish(self) -> None:
        """Cancel what still runs, wait for it, and start nothing more."""
        self._finished = True
        for task in self._tasks:
            task.cancel()
        await self.settle()


class Latest:
    """One refresh in flight at most; asking again while it runs makes one more run, not many.

    ``every_s`` is the shortest rest between two runs, and ``share`` the part of the time that runs
    may take at most: long runs are followed by long rests.
    """

    def __init__(
        self,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        work: Callable[[], Awaitable[None]],
        every_s: float = 0.0,
        share: float = 1.0,
    ) -> None:
        self._spawn = spawn
        self._work = work
        self._every_s = every_s
        self._share = share
        self._running = False
        self._again = False

    def __call__(self) -> None:
        """Ask for a run."""
        if self._running:
            self._again = True
            return
        self._running = True
        self._spawn(self._loop())

    async def _loop(self) -> None:
        try:
            while True:
                self._again = False
                began = time.monotonic()
                await self._work()
                rest = (time.monotonic() - began) * (1 / self._share - 1)
                # Stays "running" through the interval, so that a request within it waits.
                if self._every_s:
                    await asyncio.sleep(max(self._every_s, rest))
                if not self._again:
                    return
        finally:
            self._running = False
