"""The first rows are on the screen before there is an engine: until somebody wants it to do
something, nothing of it is imported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from desktop_app.domain.ports import Preview
    from desktop_app.domain.ports.callbacks import Addressee, Caller, Heard
    from desktop_app.domain.text import Message
    from desktop_app.domain.views import Banner, TaskFilter
    from desktop_app.engine.engine import Engine


class EngineLater:
    """Implements ``EngineControl`` over what ``make`` makes at the first lever that is pulled, on
    the loop; ``load`` imports beforehand what it is made of, in any thread. Until then nothing
    runs, no account is open and nothing is in trouble, and that is what is to be seen."""

    def __init__(self, make: Callable[[], Engine], load: Callable[[], object]) -> None:
        self._make = make
        self._load = load
        self._made: Engine | None = None

    @property
    def _engine(self) -> Engine:
        if self._made is None:
            self._made = self._make()
        return self._made

    # --- levers ------------------------------------------------------------------------------

    async def start(self) -> None:
        if self._made is None:
            await asyncio.to_thread(self._load)
        await self._engine.start()

    async def settle(self) -> None:
        await self._engine.settle()

    async def resume(self, batch_id: int) -> None:
        await self._engine.resume(batch_id)

    async def pause(
        self, batch_id: int, *, now: bool = False, reason: Message | None = None
    ) -> None:
        await self._engine.pause(batch_id, now=now, reason=reason)

    async def cancel(self, which: TaskFilter) -> int:
        return await self._engine.cancel(which)

    async def ask(self, task_pk: int) -> bool:
        return await self._engine.ask(task_pk)

    async def caller(self, whose: Addressee) -> Caller | None:
        return None if self._made is None else await self._made.caller(whose)

    async def called(self, whose: Addressee, job_id: str | None) -> Heard:
        # The ports are more than the first rows on the screen may wait for.
        from desktop_app.domain.ports.callbacks import Heard

        return Heard.NOTHING if self._made is None else await self._made.called(whose, job_id)

    async def drain(self, timeout_s: float | None) -> int:
        return 0 if self._made is None else await self._made.drain(timeout_s)

    async def stop(self) -> None:
        if self._made is not None:
            await self._made.stop()

    def wake(self) -> None:
        if self._made is not None:
            self._made.wake()

    async def look_again(self) -> None:
        await self._engine.look_again()

    async def retry_account(self, connection_id: int) -> bool:
        return await self._engine.retry_account(connection_id)

    async def connection_changed(self, connection_id: int) -> None:
        await self._engine.connection_changed(connection_id)

    # --- what is to be seen ------------------------------------------------------------------

    def in_flight(self, batch_id: int | None = None) -> int:
        return 0 if self._made is None else self._made.in_flight(batch_id)

    def oldest_s(self, batch_id: int | None = None) -> float | None:
        return None if self._made is None else self._made.oldest_s(batch_id)

    def account_states(self) -> Mapping[int, tuple[str, Message | None]]:
        return {} if self._made is None else self._made.account_states()

    def preview(self, task_pk: int) -> Preview | None:
        return None if self._made is None else self._made.preview(task_pk)

    def rates(self) -> Mapping[str, Any]:
        return {} if self._made is None else self._made.rates()

    def banners(self) -> tuple[Banner, ...]:
        return () if self._made is None else self._made.banners()

    def trouble(self) -> Message | None:
        return None if self._made is None else self._made.trouble()
