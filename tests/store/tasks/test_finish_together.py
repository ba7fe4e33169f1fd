"""Completions that share a commit end as they would alone, the odd ones among them too."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop_app.domain.attempt import Claim, Completion, Outcome
from desktop_app.domain.ports import FinishResult
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store.store import open_store
from desktop_app.store.tasks.finish import finish, finish_all
from desktop_app.store.writer import Txn
from tests.store.store_kit import CENT, Kit, ending, failure, lane_rows

S = TaskState
Ends = Callable[[Txn, Sequence[Completion]], list[FinishResult]]


def one_by_one(txn: Txn, dones: Sequence[Completion]) -> list[FinishResult]:
    return [finish(txn, done) for done in dones]


def of_every_kind(claims: Sequence[Claim]) -> list[Completion]:
    """Two of each end, one that comes twice, one that was given up and one of nobody's."""
    return [
        ending(claims[0], S.SUCCESS, cost=CENT, currency="USD", usage={"tokens": 3}),
        ending(claims[1], S.SUCCESS, latency_s=2.5, http_status=200, request_id="r"),
        ending(claims[2], S.FAILED, Outcome.REFUSED, failure=failure(code="moderation")),
        ending(claims[3], S.FAILED, Outcome.INVALID),
        ending(claims[4], S.DEAD, failure=failure(), spend_retry=True),
        ending(claims[5], S.RETRYING, spend_retry=True, new_key=True),
        ending(claims[6], S.PENDING, Outcome.NOT_SENT),
        ending(claims[7], S.UNCERTAIN, Outcome.UNKNOWN, failure=failure(code="read_timeout")),
        ending(claims[8], S.SUCCESS),
        ending(claims[8], S.FAILED, failure=failure()),
        replace(ending(claims[9], S.SUCCESS), rev=claims[9].rev - 1),
        ending(claims[10], S.DEAD, count_throttled=True, spend_timeout=True),
        ending(claims[11], S.SUCCESS),
        replace(ending(claims[11], S.SUCCESS), task_pk=99_999, attempt_pk=99_999),
    ]


async def ended(kit: Kit, ends: Ends) -> tuple[list[FinishResult], dict[str, list[Any]], set[int]]:
    """Outcomes, what the tables hold then, whose change was published."""
    batch_id = await kit.batch(lane_rows(*[None] * 10, "a", "b", "a"))
    claims = await kit.claim(batch_id)
    await kit.store.actions.cancel(TaskFilter(pks=(claims[11].task_pk,)), kit.clock.at)
    before = len(kit.changes)
    results = await kit.store.engine._writer.do(  # type: ignore[attr-defined]
        lambda txn: ends(txn, of_every_kind(claims))
    )
    held = {}
    for table in ("task", "attempt", "tally", "calls", "spent", "purse", "batch"):
        names = [name for _, name, *_ in kit.sql(f"PRAGMA table_info({table})")]
        told = ", ".join(sorted({*names} - {"task_id", "idempotency_key", "result_id"}))
        held[table] = kit.sql(f"SELECT {told} FROM {table} ORDER BY {told}")
    held["result"] = kit.sql(
        "SELECT r.task_pk, r.attempt_id, r.path, r.mime, t.id FROM result r "
        "LEFT JOIN task t ON t.result_id = r.id ORDER BY r.attempt_id"
    )
    return results, held, {pk for _, pks in kit.changes[before:] for pk in pks}


async def test_together_is_as_one_by_one(kit: Kit, tmp_path: Path) -> None:
    other = await open_store(tmp_path / "other.db", boot_id="boot-1", clock=kit.clock)
    changes: list[tuple[int, tuple[int, ...]]] = []
    other.engine._writer._on_change = lambda *change: changes.append(change)  # type: ignore[attr-defined]
    alone = await ended(Kit(other, kit.clock, tmp_path / "other.db", changes), one_by_one)
    await other.close()
    together = await ended(kit, finish_all)
    assert together == alone
    assert [r.applied for r in together[0]] == [True] * 9 + [False, False, True, True, False]
    assert len(together[1]["result"]) == 5


async def test_a_completion_that_is_none_fails_alone(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    one, bad, three = await kit.claim(batch_id)
    hold = kit.store.engine._writer.do(lambda _txn: time.sleep(0.05))  # type: ignore[attr-defined]
    found = await asyncio.gather(
        hold,
        kit.end(one, S.SUCCESS),
        kit.store.engine.finish(replace(ending(bad, S.SUCCESS), kept=None)),
        kit.end(three, S.SUCCESS),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in found[1:]] == [FinishResult, ValueError, FinishResult]
    assert kit.sql("SELECT state FROM task ORDER BY id") == [(3,), (1,), (3,)]
