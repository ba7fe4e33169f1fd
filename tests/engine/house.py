"""An engine in a house of fakes, in virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from desktop_app.domain.bus import Bus
from desktop_app.domain.connection import Limits
from desktop_app.domain.events import BatchFinished, Event
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.task import TaskState
from desktop_app.engine.engine import Engine
from tests.engine.fake_addresses import FakeAddresses
from tests.engine.fakes import FakeAwake, FakeFiles, FakeSecrets, FakeStore, Provider, Script
from tests.engine.virtual import VirtualClock


class House:
    """Store, provider and engine; ``events`` is all the bus said."""

    def __init__(
        self,
        script: Script,
        capabilities: Capabilities | None = None,
        commit_s: float = 0.0,
        provider: Provider | None = None,
    ) -> None:
        self.clock = VirtualClock()
        self.store = FakeStore(self.clock.now, commit_s)
        self.provider = provider or Provider(script, capabilities)
        self.files = FakeFiles()
        self.secrets = FakeSecrets()
        self.awake = FakeAwake()
        self.bus = Bus()
        self.events: list[Event] = []
        self.bus.subscribe(self.events.append)
        self.pump: Callable[[], Awaitable[None]] | None = None
        self.addresses = FakeAddresses()
        self.engine = self.new_engine()

    def new_engine(self) -> Engine:
        """A new process on the same store."""
        self.engine = Engine(
            store=self.store,
            actions=self.store,
            connections=self.store,
            adapters=self.provider,
            files=self.files,
            secrets=self.secrets,
            awake=self.awake,
            clock=self.clock,
            bus=self.bus,
            pump=self.pump,
            addresses=self.addresses,
            draw=random.Random(7).random,
        )
        return self.engine

    def connect(
        self, concurrency: int | None = None, rate: float | None = None, **more: Any
    ) -> None:
        """A connection without headroom, so that tests count in plain figures."""
        limits = Limits(concurrency=concurrency, rate=rate, headroom=1.0)
        self.store.add_connection(limits=limits, **more)

    async def until(self, true: Callable[[], bool], timeout_s: float = 6 * 3600) -> None:
        """Let time pass until something is true."""
        start = self.clock.monotonic()
        end = start + timeout_s
        while not true():
            assert self.clock.monotonic() < end, f"not within {timeout_s} s"
            await asyncio.sleep(0.05 if self.clock.monotonic() < start + 120 else 1.0)

    async def finished(self, batch_id: int = 1, timeout_s: float = 6 * 3600) -> float:
        """Wait for the batch's end; returns the virtual seconds it took."""
        start = self.clock.monotonic()
        await self.until(lambda: BatchFinished(batch_id) in self.events, timeout_s)
        return self.clock.monotonic() - start

    def count(self, state: TaskState) -> int:
        return self.store.count(state)


@asynccontextmanager
async def running(house: House, *batch_ids: int):
    """Start the engine, resume the batches, and stop it at the end."""
    await house.engine.start()
    for batch_id in batch_ids or tuple(house.store.batches_):
        await house.engine.resume(batch_id)
    try:
        yield house.engine
    finally:
        await house.engine.stop()
