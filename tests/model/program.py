"""One life of the whole program without its window: store, engine, and the services on them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from desktop_app.domain.bus import Bus
from desktop_app.domain.ports import Adapters, ResultFiles
from desktop_app.engine.engine import Engine
from desktop_app.providers.job_file.shelf import JobFiles
from desktop_app.services.batch_priority import Priorities
from desktop_app.services.connections import Connections
from desktop_app.services.dead_letters import DeadLetters
from desktop_app.services.failure_sheets import FailureSheets
from desktop_app.services.notices import Notices
from desktop_app.services.obey_commands import ObeyCommands
from desktop_app.services.practice_lines import PracticeServer
from desktop_app.services.queries import Queries
from desktop_app.services.run_control import RunControl
from tests.engine.fakes import FakeAwake, FakeSecrets
from tests.model.life import Life, LoopClock, MortalLoop
from tests.model.listening import Listening
from tests.model.rooms import MortalWire, Rooms


class Keyring(FakeSecrets):
    """It takes its time, or waits for a person to unlock it."""

    def __init__(self, keys: Mapping[str, str], wait_s: float) -> None:
        self.keys = dict(keys)
        self._wait_s = wait_s

    async def get(self, connection: str) -> str | None:
        await asyncio.sleep(self._wait_s)
        return await super().get(connection)


class Program:
    """Built as the house builds it. ``resumed``: batches a person let run in this life; ``told``:
    another process left a command."""

    def __init__(
        self,
        path: Path,
        life: Life,
        *,
        at: float,
        offset: float,
        noted: Callable[[int], None],
        adapters: Callable[[Life], Adapters],
        files: Callable[[Life], ResultFiles],
        keyring: Keyring,
    ) -> None:
        self.life = life
        self.loop = MortalLoop(life, at)
        self.clock = LoopClock(self.loop, offset)
        self.resumed: set[int] = set()
        self.told = False
        wire = MortalWire(path.with_name("store.db.wire"), life, noted)
        self.store = Rooms(path, life, self.clock, wire)
        self.listening = Listening(self.clock)
        self._build(adapters(life), files(life), keyring)

    def _build(self, adapters: Adapters, files: ResultFiles, secrets: Keyring) -> None:
        store, clock, bus = self.store, self.clock, Bus()

        async def pump() -> None:
            if self.told:  # a look into an empty table every half second is all that is saved
                await self.obey.pump()

        self.engine = Engine(
            store=store.engine,
            actions=store.actions,
            connections=store.connections,
            adapters=adapters,
            files=files,
            secrets=secrets,
            awake=FakeAwake(),
            clock=clock,
            bus=bus,
            pump=pump,
            draw=random.Random(7).random,
            addresses=self.listening,
        )
        self.connections = Connections(
            store=store.connections,
            secrets=secrets,
            adapters=adapters,
            engine=self.engine,
            bus=bus,
            start_practice=_no_practice,
            provider_files=JobFiles(),
        )
        self.runs = RunControl(
            engine=self.engine,
            store=store.engine,
            pages=store.pages,
            connections=self.connections,
            clock=clock,
            bus=bus,
            notices=Notices(bus),
        )
        self.priorities = Priorities(store=store.engine, engine=self.engine, bus=bus)
        self.dead_letters = DeadLetters(
            actions=store.actions,
            pages=store.pages,
            files=files,
            connections=store.connections,
            adapters=adapters,
            clock=clock,
            wake=self.engine.wake,
            ask=self.engine.ask,
        )
        self.obey = ObeyCommands(
            commands=store.commands,
            runs=self.runs,
            priorities=self.priorities,
            dead_letters=self.dead_letters,
            failure_sheets=cast(FailureSheets, None),
            queries=Queries(store.pages),
            connection_changed=self.engine.connection_changed,
        )

    def bury(self) -> None:
        """It is gone, and so are its loop and its hold on the store's file."""
        self.loop.bury()
        self.store.close()


async def _no_practice() -> PracticeServer:
    raise NotImplementedError
