"""Pictures as jobs on the practice server, with real calls over real sockets: every trouble that
there is, and nothing is paid for twice."""

from __future__ import annotations

import asyncio
import logging
import re
from decimal import Decimal
from pathlib import Path

import pytest

from desktop_app.domain.connection import Connection, Limits, OnUnknown
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.task import TaskState
from desktop_app.practice.config import from_mapping
from desktop_app.practice.trouble import OF_JOBS
from tests.practice.conftest import start
from tests.practice.practice_kit import KEY, Running, Starter
from tests.practice.test_jobs import called
from tests.wiring.calling_program import Program, import_rows, program

__all__ = ["start"]

S = TaskState
QUICK = {"mean_s": 8, "sigma": 0, "quick_s": 1, "qps": 0, "concurrency": 0, "time_scale": 0.01}


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


async def begin(running: Program, server: Running, folder: Path) -> int:
    """All rows on the practice server, at a price."""
    running.secrets.keys["practice"] = KEY
    connection = Connection(
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
    batch_id = await import_rows(running.store, connection, folder, PROMPTS)
    await running.engine.resume(batch_id)
    return batch_id


@pytest.mark.parametrize("listens", [True, False])
async def test_twenty_rows_of_jobs_are_billed_once_whatever_happens(
    start: Starter, tmp_path: Path, listens: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "desktop_app")
    server = await start(from_mapping({**QUICK, "callback_late_s": 800}))
    orders = [*ORDERS, "", "", ""]
    wanted = [ends_in(order, listens=listens) for order in orders]
    async with asyncio.timeout(60), program(tmp_path, listens=listens) as running:
        batch_id = await begin(running, server, tmp_path)
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
