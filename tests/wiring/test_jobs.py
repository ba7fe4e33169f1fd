"""Jobs on the real store and real files: stopped, started again, asked about, and paid once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from desktop_app.domain import ports
from desktop_app.domain.batch import Batch, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.connection import Connection
from desktop_app.domain.jobs import Job, JobDone, JobLost, JobRunning, JobState
from desktop_app.domain.ports import Answer, Call, Capabilities, Preset
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskRow
from desktop_app.engine.engine import Engine
from desktop_app.exports.result_file import ResultKeeper
from desktop_app.store.store import Store, open_store
from tests.engine.fakes import FakeAwake, FakeSecrets
from tests.exports.results_for_test import png

S = TaskState
CAPS = Capabilities("picture", 60.0, jobs=True, typical_job_s=0.1, lost_after_s=0.0)


class Shop:
    """Registry and adapter in one; jobs end when ``state`` says so."""

    def __init__(self) -> None:
        self.submitted: list[str] = []
        self.polled: list[Job] = []
        self.heard = asyncio.Event()
        self.state: JobState = JobRunning(hint_s=0.01)

    def names(self) -> tuple[str, ...]:
        return ("shop",)

    def presets(self) -> tuple[Preset, ...]:
        return ()

    def open(self, connection: Connection, secret: str | None) -> ShopLine:
        return ShopLine(self)

    def prepared(self, connection: Connection) -> Connection:
        return connection

    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities:
        return CAPS


class ShopLine:
    """An open line to the shop."""

    capabilities = CAPS

    def __init__(self, shop: Shop) -> None:
        self._shop = shop

    async def submit(self, call: Call) -> Job:
        call.begin()
        self._shop.submitted.append(call.idempotency_key)
        return Job(f"job-{len(self._shop.submitted)}", {"url": "https://shop.test/1"})

    async def poll(self, jobs: Sequence[Job]) -> Mapping[str, JobState]:
        self._shop.polled.extend(jobs)
        self._shop.heard.set()
        return {job.id: self._shop.state for job in jobs}

    async def collect(self, job: Job, done: JobDone) -> Answer:
        return Answer((png(),))

    async def test(self) -> ports.TestReport:
        return ports.TestReport(True, ())

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        return None


def engine_on(store: Store, shop: Shop) -> Engine:
    clock = SystemClock()
    return Engine(
        store=store.engine,
        actions=store.actions,
        connections=store.connections,
        adapters=shop,
        files=ResultKeeper(clock, min_free_bytes=0),
        secrets=FakeSecrets(),
        awake=FakeAwake(),
        clock=clock,
        bus=Bus(),
    )


async def one_row(store: Store, folder: Path) -> int:
    connection = await store.connections.save(
        Connection("fal", "shop", "https://shop.test/v1", "m")
    )
    batch = Batch(
        0,
        "one",
        "s.csv",
        "hash",
        "print",
        ("prompt",),
        SheetMapping(prompt_column="prompt"),
        connection.id,
        str(folder),
        0.0,
    )
    batch_id = await store.imports.begin(batch)
    await store.imports.add(batch_id, [Draft(2, ("a cat",), Request("a cat"), "0002_a cat")])
    await store.imports.seal(batch_id)
    return batch_id


async def test_one_job_through_two_starts_and_a_question_is_bought_once(tmp_path: Path) -> None:
    shop = Shop()
    changed = asyncio.Event()

    async def opened() -> Store:
        return await open_store(
            tmp_path / "store.db", boot_id="boot-1", on_change=lambda _batch, _pks: changed.set()
        )

    async def rests_in(state: TaskState) -> TaskRow:
        while True:
            changed.clear()
            (row,) = await store.pages.rows([1])
            if row.state is state:
                return row
            await changed.wait()

    async with asyncio.timeout(30):
        store = await opened()
        batch_id = await one_row(store, tmp_path / "out")
        engine = engine_on(store, shop)
        await engine.start()
        await engine.resume(batch_id)
        await shop.heard.wait()
        await engine.stop()
        await store.close()

        store = await opened()
        running = await rests_in(S.RUNNING)
        assert running.note == message("store.job_runs", job="job-1")
        shop.polled.clear()
        shop.state = JobLost()
        engine = engine_on(store, shop)
        await engine.start()
        await rests_in(S.UNCERTAIN)
        assert shop.polled == [Job("job-1", {"url": "https://shop.test/1"})]

        shop.state = JobDone()
        assert await engine.ask(1)
        row = await rests_in(S.SUCCESS)
        assert row.output is not None
        assert await asyncio.to_thread(Path(row.output).read_bytes) == png().data
        assert len(shop.submitted) == 1
        ledger = await store.pages.ledger(batch_id)
        assert (ledger.success, ledger.imported, ledger.attempts) == (1, 1, 1)
        await engine.stop()
        await store.close()
