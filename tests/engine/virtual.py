"""Virtual time: a loop whose clock jumps to the next timer: an hour of waiting is a blink."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

EPOCH = 1_900_000_000.0
THREAD_S = 0.001


class _Selector(selectors.SelectSelector):
    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("nothing will ever happen")
            self.loop.virtual += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Advances time only when nothing is left to do at this moment."""

    def __init__(self) -> None:
        self.virtual = 1000.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.virtual

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Any, *args: Any
    ) -> Any:
        """A thread's work is done here, a little later: no clock would wait for a thread, and so
        every run is the same."""
        future = self.create_future()

        def work() -> None:
            if not future.cancelled():
                try:
                    future.set_result(func(*args))
                except Exception as error:
                    future.set_exception(error)

        self.call_later(THREAD_S, work)
        return future


class VirtualClock:
    """The Clock port on a virtual loop; ``jump`` moves the wall clock alone, as sleep does."""

    def __init__(self) -> None:
        self.offset = 0.0

    def now(self) -> float:
        return EPOCH + self.monotonic() + self.offset

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def jump(self, seconds: float) -> None:
        self.offset += seconds


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a test body in virtual time; a body that takes more than a virtual week hangs."""

    async def bounded() -> T:
        return await asyncio.wait_for(work, 7 * 24 * 3600)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(bounded())
