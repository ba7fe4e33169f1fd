"""Pictures as jobs on the practice server, with real calls over real sockets: every trouble that
there is, and nothing is paid for twice."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest

from desktop_app.domain.batch import Batch, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.connection import Connection, Limits, OnUnknown
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports.callbacks import ListeningPlace
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.views import TaskRow
from desktop_app.engine.engine import Engine
from desktop_app.exports.result_file import ResultKeeper
from desktop_app.practice.config import from_mapping
from desktop_app.practice.trouble import OF_JOBS
from desktop_app.providers.callbacks.listener import Listener
from desktop_app.providers.job_file.shelf import JobFiles
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.settings.paths import resources_dir
from desktop_app.store.store import Store, open_store
from desktop_app.wiring.callbacks_later import CallbacksLater
from desktop_app.wiring.engine_later import EngineLater
from tests.engine.fakes import FakeAwake, FakeSecrets
from tests.practice.conftest import start
from tests.practice.practice_kit import KEY, Running, Starter
from tests.practice.test_jobs import called

__all__ = ["start"]

S = TaskState
QUICK = {"mean_s": 8, "sigma": 0, "quick_s": 1, "qps": 0, "concurrency": 0, "time_scale": 0.01}


@dataclass
class Program:
    """What a process has. ``changed`` is set at every change of a row."""

    store: Store
    engine: EngineLater
    listener: CallbacksLater
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
async def program(folder: Path, *, listens: bool = True) -> AsyncIterator[Program]:
    clock, secrets, changed = SystemClock(), FakeSecrets(), asyncio.Event()
    secrets.keys["practice"] = KEY
    store = await open_store(
        folder / "store.db", boot_id="boot-1", on_change=lambda _batch, _pks: changed.set()
    )

    def make() -> Engine:
        return Engine(
            store=store.engine,
            actions=store.actions,
            connections=store.connections,
            adapters=AdapterRegistry(clock, files=JobFiles(resources_dir() / "providers")),
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
        yield Program(store, engine, listener, changed)
    finally:
        await listener.close()
        await engine.stop()
        await store.close()


async def batch(store: Store, server: Running, folder: Path, prompts: Sequence[str]) -> int:
    """A sealed batch on the practice server, at a price."""
    connection = await store.connections.save(
        Connection(
            name="practice",
            adapter="http-job",
            base_url=f"http://127.0.0.1:{server.port}/v1",
            model="practice",
            preset="practice-jobs",
            limits=Limits(concurrency=20, headroom=1.0),
            price=Price(Decimal("0.01"), PriceUnit.IMAGE, "USD"),
            on_unknown=OnUnknown.HOLD,
            proxy="none",
            timeout_s=2.0,
            params={"size": "64x64"},
            callbacks=True,
        )
    )
    made = Batch(
        0,
        "jobs",
        "s.csv",
        "hash",
        "print",
        ("prompt",),
        SheetMapping(prompt_column="prompt"),
        connection.id,
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


LOST_ANSWERS = ("drop", "truncated", "badjson", "504", "hang")
ORDERS = (
    *sorted(OF_JOBS - {"job-failed"}),
    *LOST_ANSWERS,
    "job-failed:1",
    "500:1",
    "softquota:1",
    "moderate",
    "slow",
    "empty",
)
PROMPTS = [f"mug {n} [[{order}]]" for n, order in enumerate(ORDERS)] + ["mug", "cup", "bowl"]


CALLS_MADE = len(PROMPTS) - 2 + 2 + 1
"""Every job that ended is called about, but for the two that are lost, one of which is counted as
such; one is called about three times."""


def ends_in(order: str, *, listens: bool) -> TaskState:
    """What becomes of a row with this order."""
    if order in ("moderate", "empty"):
        return S.FAILED
    if order == "job-lost":
        return S.UNCERTAIN
    if order in LOST_ANSWERS and not listens:
        return S.UNCERTAIN
    return S.SUCCESS


@pytest.mark.parametrize("listens", [True, False])
async def test_twenty_rows_of_jobs_are_billed_once_whatever_happens(
    start: Starter, tmp_path: Path, listens: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "desktop_app")
    server = await start(from_mapping({**QUICK, "callback_late_s": 800}))
    orders = [*ORDERS, "", "", ""]
    wanted = [ends_in(order, listens=listens) for order in orders]
    async with asyncio.timeout(60), program(tmp_path, listens=listens) as running:
        batch_id = await batch(running.store, server, tmp_path, PROMPTS)
        await running.engine.resume(batch_id)
        rows = await running.states(wanted)
        if listens:
            await called(server, CALLS_MADE)
            rows = await running.states(wanted)
        ledger = await running.store.pages.ledger(batch_id)
    billed = await server.ledger()
    assert len(rows) == 20
    assert (billed["billed_twice"], billed["in_flight"]) == (0, 0)
    # All but the two that were refused; the one that failed was billed on its second try alone.
    assert billed["billed"] == len(PROMPTS) - 2
    assert billed["jobs"]["made"] == len(PROMPTS)
    assert ledger.imported == sum(
        (ledger.success, ledger.failed, ledger.uncertain, ledger.dead, ledger.unfinished)
    )
    assert (ledger.success, ledger.failed, ledger.uncertain) == tuple(
        wanted.count(state) for state in (S.SUCCESS, S.FAILED, S.UNCERTAIN)
    )
    for row in rows:
        if row.state is S.SUCCESS:
            assert row.output is not None
            assert await asyncio.to_thread(Path(row.output).exists)
    if listens:
        assert billed["jobs"]["callbacks"] == {"200": CALLS_MADE - 1, "lost": 1}
        assert "without a good signature" not in caplog.text
        assert "came again: ignored" in caplog.text
        for told in ("asked", "kept", "polled"):
            assert re.search(rf"a callback for attempt \d+: {told}", caplog.text)
    assert "/callbacks/" not in caplog.text
