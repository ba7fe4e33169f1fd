"""Small results come by the hundred a second, and each way to a thread and back costs more than
writing one: those that come at about the same time go together, and share what can be shared."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from desktop_app.exports.placing import Folders
from desktop_app.exports.steps import Steps
from desktop_app.exports.trouble import as_local_trouble

APART_S = 0.1
MOST = 32

T = TypeVar("T")
Act = Callable[[Folders], Steps[Any]]
_Waiting = tuple[Act, "asyncio.Future[Any]"]


class Grouped:
    """Runs acts that block in ``executor``: the first step of each in the order in which they came,
    then the next of each.

    The first goes at once; what comes within ``apart_s`` of it goes together then, at most
    ``most`` at a time. An act is handed the folders in which it gives names; they are made durable
    once for all, before anybody is told. An act's own failure is its caller's alone. One whose
    caller was cancelled is done all the same.
    """

    def __init__(
        self, executor: Executor | None, *, apart_s: float = APART_S, most: int = MOST
    ) -> None:
        self._executor = executor
        self._apart_s = apart_s
        self._most = most
        self._waiting: deque[_Waiting] = deque()
        self._is_busy = False
        self._timer: asyncio.TimerHandle | None = None
        self._next_at = 0.0

    async def do(self, act: Callable[[Folders], Steps[T]], *, at_once: bool = False) -> T:
        """Its result, or what it raised. ``at_once``: somebody waits for it; it goes as soon as
        the thread is free, with all that wait."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.append((act, future))
        if at_once:
            self._next_at = 0.0
            self._forget_timer()
        self._stir(loop)
        return await future

    def _stir(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._is_busy or not self._waiting:
            return
        if len(self._waiting) >= self._most:
            self._begin(loop)
        elif self._timer is None:
            self._timer = loop.call_at(self._next_at, self._begin, loop)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._forget_timer()
        self._next_at = loop.time() + self._apart_s
        count = min(len(self._waiting), self._most)
        group = [self._waiting.popleft() for _ in range(count)]
        futures = [future for _, future in group]
        try:
            work = loop.run_in_executor(self._executor, _done, [act for act, _ in group])
        except RuntimeError as error:  # it is shut down: nobody is to wait for what never comes
            self._tell(futures, [error] * count)
            self._stir(loop)
            return
        self._is_busy = True
        work.add_done_callback(partial(self._ended, loop, futures))

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ended(
        self,
        loop: asyncio.AbstractEventLoop,
        futures: Sequence[asyncio.Future[Any]],
        work: asyncio.Future[list[Any]],
    ) -> None:
        self._is_busy = False
        error = asyncio.CancelledError() if work.cancelled() else work.exception()
        results = [error] * len(futures) if error is not None else work.result()
        self._tell(futures, results)
        self._stir(loop)

    @staticmethod
    def _tell(futures: Sequence[asyncio.Future[Any]], results: Sequence[Any]) -> None:
        for future, result in zip(futures, results, strict=True):
            if future.done():
                continue
            if isinstance(result, BaseException):
                future.set_exception(result)
            else:
                future.set_result(result)


def _done(acts: Sequence[Act]) -> list[Any]:
    """What each came to, exceptions as results."""
    results: list[Any] = [None] * len(acts)
    named = [Folders() for _ in acts]
    going = {at: act(named[at]) for at, act in enumerate(acts)}
    while going:
        for at, steps in list(going.items()):
            try:
                next(steps)
            except StopIteration as end:
                results[at] = end.value
            except Exception as error:
                results[at] = error
            else:
                continue
            del going[at]
    troubles: dict[Path, Exception] = {}
    for folder in {folder for folders in named for folder in folders}:
        try:
            with as_local_trouble(folder):
                Folders([folder]).sync()
        except Exception as error:
            troubles[folder] = error
    for at, folders in enumerate(named):
        trouble = next((troubles[folder] for folder in folders if folder in troubles), None)
        if trouble is not None and not isinstance(results[at], Exception):
            results[at] = trouble
    return results
