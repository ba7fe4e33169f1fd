"""A whole program on this machine without its window: store, engine, and who listens for calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.batch import Batch, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.connection import Connection
from desktop_app.domain.ports.callbacks import ListeningPlace
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.views import TaskRow
from desktop_app.engine.engine import Engine
from desktop_app.exports.result_file import ResultKeeper
from desktop_app.providers.callbacks.listener import Listener
from desktop_app.providers.job_file.shelf import JobFiles
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.settings.paths import resources_dir
from desktop_app.store.store import Store, open_store
from desktop_app.wiring.callbacks_later import CallbacksLater
from desktop_app.wiring.engine_later import EngineLater
from tests.engine.fakes import FakeAwake, FakeSecrets


@dataclass
class Program:
    """What a process has. ``changed`` is set at every change of a row."""

    store: Store
    engine: EngineLater
    listener: CallbacksLater
    secrets: FakeSecrets
    changed: asyncio.Event

    async def states(self, wanted: Sequence[TaskState]) -> list[TaskRow]:
        """The rows, once they are where they are to end."""
        while True:
            self.changed.clear()
            rows = await self.store.pages.rows(list(range(1, len(wanted) + 1)))
            rows = sorted(rows, key=lambda row: row.pk)
            if [row.state for row in rows] == list(wanted):
                return rows
            await self.changed.wait()


@asynccontextmanager
async def program(
    folder: Path, *, listens: bool = True, own_files: Path | None = None
) -> AsyncIterator[Program]:
    clock, secrets, changed = SystemClock(), FakeSecrets(), asyncio.Event()
    store = await open_store(
        folder / "store.db", boot_id="boot-1", on_change=lambda _batch, _pks: changed.set()
    )

    def make() -> Engine:
        return Engine(
            store=store.engine,
            actions=store.actions,
            connections=store.connections,
            adapters=AdapterRegistry(
                clock, files=JobFiles(resources_dir() / "providers", own_files)
            ),
            files=ResultKeeper(clock, min_free_bytes=0),
            secrets=secrets,
            awake=FakeAwake(),
            clock=clock,
            bus=Bus(),
            addresses=listener,
        )

    engine = EngineLater(make, lambda: None)
    listener = CallbacksLater(lambda: Listener(engine, secrets, clock))
    if listens:
        await listener.open(ListeningPlace())
    await engine.start()
    try:
        yield Program(store, engine, listener, secrets, changed)
    finally:
        await listener.close()
        await engine.stop()
        await store.close()


async def import_rows(
    store: Store, connection: Connection, folder: Path, prompts: Sequence[str]
) -> int:
    """A sealed batch on a connection that is added."""
    saved = await store.connections.save(connection)
    made = Batch(
        0,
        "jobs",
        "s.csv",
        "hash",
        "print",
        ("prompt",),
        SheetMapping(prompt_column="prompt"),
        saved.id,
        str(folder / "out"),
        0.0,
    )
    batch_id = await store.imports.begin(made)
    drafts = [
        Draft(n + 2, (prompt,), Request(prompt), f"{n:04d}") for n, prompt in enumerate(prompts)
    ]
    await store.imports.add(batch_id, drafts)
    await store.imports.seal(batch_id)
    return batch_id
