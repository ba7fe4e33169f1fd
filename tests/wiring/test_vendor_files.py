"""Twenty rows on each provider that a file describes, over real sockets, with every trouble that
its vendor makes: each is paid for once, and ends as it must."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from desktop_app.domain.batch import Batch, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.connection import Connection, Limits, OnUnknown
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.views import TaskRow
from desktop_app.engine.engine import Engine
from desktop_app.exports.result_file import ResultKeeper
from desktop_app.providers.job_file.shelf import JobFiles
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.settings.paths import resources_dir
from desktop_app.store.store import Store, open_store
from tests.engine.fakes import FakeAwake, FakeSecrets
from tests.helpers.vendor_bodies import VENDORS
from tests.helpers.vendor_jobs import KEY, VendorServer, picture

S = TaskState
ORDERS = (
    "throttle",
    "lose_answer",
    "lost",
    "fail",
    "refuse",
    "expire",
    "cut",
    "slow",
    "stumble",
)
PROMPTS = [f"cat {n} [[{ORDERS[n]}]]" if n < len(ORDERS) else f"cat {n}" for n in range(20)]

ENDS = {
    "lose_answer": S.UNCERTAIN,
    "refuse": S.FAILED,
}
"""Where an order does not end in SUCCESS, at whichever vendor."""


def ends_in(vendor: str, order: str) -> TaskState:
    """What becomes of a row with this order."""
    described = VENDORS[vendor]
    if order == "lost" and described.lost is not None:
        return S.UNCERTAIN
    if order == "fail" and vendor == "replicate":
        return S.SUCCESS  # its words say that another try may help
    if order == "expire" and described.running is None:
        return S.UNCERTAIN  # nobody can be asked for a fresh address
    return ENDS.get(order, S.SUCCESS)


def jobs_made(vendor: str, order: str) -> int:
    """How many calls of such a row the vendor took."""
    if order == "fail":
        return 2
    return 1


async def test_twenty_rows_are_paid_for_once_whatever_happens(vendor: str, tmp_path: Path) -> None:
    server = VendorServer(VENDORS[vendor])
    await server.start()
    changed = asyncio.Event()
    try:
        async with asyncio.timeout(60):
            store = await open_store(
                tmp_path / "store.db",
                boot_id="boot-1",
                on_change=lambda _batch, _pks: changed.set(),
            )
            batch_id = await _batch(store, server, tmp_path / "out")
            engine = _engine(store, tmp_path)
            await engine.start()
            await engine.resume(batch_id)
            rows = await _settled(store, changed)
            await engine.stop()
            ledger = await store.pages.ledger(batch_id)
            await store.close()
    finally:
        await server.close()
    orders = [_order(prompt) for prompt in PROMPTS]
    assert [row.state for row in rows] == [ends_in(vendor, order) for order in orders]
    assert [len(server.jobs_for(prompt)) for prompt in PROMPTS] == [
        jobs_made(vendor, order) for order in orders
    ]
    for row, prompt in zip(rows, PROMPTS, strict=True):
        if row.state is S.SUCCESS:
            made = server.jobs_for(prompt)[-1]
            assert row.output is not None
            kept = await asyncio.to_thread(Path(row.output).read_bytes)
            assert kept == picture(int(made.id.removeprefix("job-")))
    assert (ledger.imported, ledger.attempts) == (20, len(server.made) + len(server.throttled))
    assert server.strangers == []
    assert server.keys_at_files == []


@pytest.mark.parametrize("name", [one for one in VENDORS if VENDORS[one].running is not None])
async def test_jobs_are_followed_after_a_restart_and_handed_in_once(
    name: str, tmp_path: Path
) -> None:
    server = VendorServer(VENDORS[name])
    await server.start()
    changed = asyncio.Event()
    prompts = [f"dog {n} [[slow]]" for n in range(4)]

    async def opened() -> Store:
        return await open_store(
            tmp_path / "store.db", boot_id="boot-1", on_change=lambda _batch, _pks: changed.set()
        )

    try:
        async with asyncio.timeout(60):
            store = await opened()
            batch_id = await _batch(store, server, tmp_path / "out", prompts)
            engine = _engine(store, tmp_path)
            await engine.start()
            await engine.resume(batch_id)
            while True:
                changed.clear()  # before reading: a change meanwhile must not be missed
                if all(row.note is not None for row in await store.pages.rows([1, 2, 3, 4])):
                    break
                await changed.wait()
            await engine.stop()
            await store.close()
            taken = dict(server.made)

            store = await opened()
            engine = _engine(store, tmp_path)
            await engine.start()
            rows = await _settled(store, changed, len(prompts))
            await engine.stop()
            await store.close()
    finally:
        await server.close()
    assert [row.state for row in rows] == [S.SUCCESS] * 4
    assert server.made == taken
    assert len(taken) == 4
    assert server.keys_at_files == server.strangers == []


@pytest.fixture(params=VENDORS)
def vendor(request: pytest.FixtureRequest) -> str:
    """Each in turn."""
    return str(request.param)


def _order(prompt: str) -> str:
    return prompt.partition("[[")[2].removesuffix("]]")


def _files(folder: Path) -> JobFiles:
    """As they are shipped, but for how long a job may be unknown: nobody waits that long here."""
    own = folder / "providers"
    own.mkdir(exist_ok=True)
    shipped = resources_dir() / "providers"
    for file in shipped.glob("*.toml"):
        lines = [one for one in file.read_text("utf-8").split("\n") if "lost_after_s =" not in one]
        at = lines.index("[provider]") + 1
        (own / file.name).write_text("\n".join([*lines[:at], "lost_after_s = 1", *lines[at:]]))
    return JobFiles(shipped, own)


def _engine(store: Store, folder: Path) -> Engine:
    clock = SystemClock()
    secrets = FakeSecrets()
    secrets.keys["vendor"] = KEY
    return Engine(
        store=store.engine,
        actions=store.actions,
        connections=store.connections,
        adapters=AdapterRegistry(clock, files=_files(folder)),
        files=ResultKeeper(clock, min_free_bytes=0),
        secrets=secrets,
        awake=FakeAwake(),
        clock=clock,
        bus=Bus(),
    )


async def _batch(
    store: Store, server: VendorServer, folder: Path, prompts: Sequence[str] = PROMPTS
) -> int:
    described = server.vendor
    connection = await store.connections.save(
        Connection(
            "vendor",
            "http-job",
            server.url + described.root,
            described.model,
            preset=described.preset,
            limits=Limits(concurrency=20, rate=200, burst=40, headroom=1.0),
            on_unknown=OnUnknown.HOLD,  # as where a call costs money
        )
    )
    batch = Batch(
        0,
        "twenty",
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
    drafts = [
        Draft(n + 2, (prompt,), Request(prompt), f"{n:04d}") for n, prompt in enumerate(prompts)
    ]
    await store.imports.add(batch_id, drafts)
    await store.imports.seal(batch_id)
    return batch_id


async def _settled(
    store: Store, changed: asyncio.Event, count: int = len(PROMPTS)
) -> list[TaskRow]:
    pks = list(range(1, count + 1))
    going = {S.PENDING, S.RUNNING, S.RETRYING}
    while True:
        changed.clear()
        rows = await store.pages.rows(pks)
        if not any(row.state in going for row in rows):
            return sorted(rows, key=lambda row: row.pk)
        await changed.wait()
