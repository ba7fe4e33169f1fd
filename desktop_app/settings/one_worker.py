"""Calls that may hang for ever, kept on one thread that can be left behind."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class OneWorker:
    """Runs calls one after another on a single daemon thread, started by the first of them.

    A daemon on purpose: a password store that never answers must not hold up the program's end.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """Queue the call; the future belongs to the running loop. ``call`` must not raise."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def deliver(result: T) -> None:
            if not future.done():
                future.set_result(result)

        def job() -> None:
            result = call()
            try:
                loop.call_soon_threadsafe(deliver, result)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more

        self._jobs.put(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        return future

    def close(self, timeout_s: float = 1.0) -> None:
        """End the thread, or leave it behind when it is stuck in a call."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._jobs.put(None)
            thread.join(timeout_s)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
