"""The plans behind the speed: each hot statement drives from the index that was made for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest

from desktop_app.domain.task import DEAD_LETTERS, REQUEUEABLE, TaskState
from desktop_app.domain.views import Sort, TaskFilter
from desktop_app.store import (
    asked_rows,
    cancel_looks,
    dead_groups,
    drafts,
    many,
    page_ids,
    page_rows,
)
from desktop_app.store.filters import conditions
from desktop_app.store.tasks import (
    attempts,
    budget,
    cancel,
    claim,
    finish,
    late,
    orphans,
    requeue,
    waits,
)
from tests.store.store_kit import Kit

S = TaskState


class Plans:
    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def __call__(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[str]:
        if not values:
            values = [None] * sql.count("?")
        return [row[3] for row in self._conn.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


@pytest.fixture
async def plans(kit: Kit) -> Iterator[Plans]:  # type: ignore[misc]
    await kit.batch(1)
    with closing(sqlite3.connect(kit.path)) as conn:
        yield Plans(conn)


def assert_no_walk(plan: list[str]) -> None:
    """No table is read from end to end and nothing is sorted."""
    for step in plan:
        assert "TEMP B-TREE" not in step, plan
        assert not step.startswith("SCAN") or "json_each" in step or "CONSTANT" in step, plan


async def test_claim_walks_ready_heads_in_order(plans: Plans) -> None:
    plan = plans(claim.PICK, {"batch": 1, "limit": 8})
    assert "SEARCH t USING INDEX task_ready (batch_id=?)" in plan
    assert any("task_lane (batch_id=? AND lane=? AND row_no<?)" in step for step in plan)
    assert any("task_running (batch_id=? AND lane=?)" in step for step in plan)
    assert any("task_lane_dead (batch_id=? AND lane=? AND row_no<?)" in step for step in plan)
    assert_no_walk(plan)


async def test_a_trials_claim_walks_the_trials_rows(plans: Plans) -> None:
    plan = plans(claim.PICK_GATED, {"batch": 1, "limit": 8})
    assert "SEARCH t USING INDEX task_row (batch_id=? AND row_no<?)" in plan


async def test_a_chosen_trials_claim_looks_each_row_up(plans: Plans) -> None:
    plan = plans(claim.PICK_OPEN, {"batch": 1, "limit": 8})
    assert "SEARCH t USING INDEX task_row (batch_id=? AND row_no=?)" in plan


async def test_what_a_run_asked_for_is_read_by_its_batch(plans: Plans) -> None:
    plan = plans(asked_rows.ASKED, [1])
    assert any("(batch_id=?" in step for step in plan)
    assert_no_walk(plan)


async def test_waits_are_found_by_time(plans: Plans) -> None:
    assert "task_due (batch_id=? AND due_at<?)" in plans(claim.PROMOTE)[0]
    assert "task_due (batch_id=?)" in plans(waits.NEXT)[0]
    assert "task_due (batch_id=?" in plans(waits.CLAMP)[0]
    assert "task_due (batch_id=? AND due_at>?)" in plans(waits.REFUSED)[0]
    assert_no_walk(plans(waits.REFUSED))


@pytest.mark.parametrize("rows", [1, 128])
@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize(
    ("sql", "columns", "table"),
    [
        (claim.TAKE, claim.TAKEN, "task"),
        (finish.FINISH, finish.FINISHED, "task"),
        (attempts.CLOSE, attempts.CLOSED, "attempt"),
    ],
)
async def test_many_rows_are_changed_by_primary_key(
    plans: Plans, sql: str, columns: str, table: str, alike: bool, rows: int
) -> None:
    keys = ("pk", "rev", "attempt", "id")
    same = tuple(alike and name not in keys for name in columns.split())
    given = [None] * (sum(same) + same.count(False) * rows)
    plan = plans(many.change_sql(sql, columns, same, rows), given)
    steps = [step for step in plan if table in step.split()]
    assert steps == [f"SEARCH {table} USING INTEGER PRIMARY KEY (rowid=?)"]


async def test_a_groups_tasks_are_looked_up_by_primary_key(plans: Plans) -> None:
    assert_no_walk(plans(finish.STAND, ["[1, 2]"]))
    assert_no_walk(plans(cancel_looks.REQUESTED, ["[1, 2]"]))


async def test_requeue_drives_from_cause_from_state_or_from_pks(plans: Plans) -> None:
    def plan(**values: Any) -> list[str]:
        sql, found = requeue.requeue_sql(TaskFilter(batch_id=1, **values))
        return plans(sql, [0, *found])

    by_cause = "task_cause (batch_id=? AND state=? AND error_code=? AND error_class>?)"
    assert by_cause in plan(cause="x")[0]
    one = plan(cause="x", states=frozenset({S.FAILED}))
    assert by_cause in one[0]
    assert "task_state (batch_id=? AND state=?)" in plan(states=REQUEUEABLE)[0]
    assert "USING INTEGER PRIMARY KEY" in plan(pks=(1, 2), states=REQUEUEABLE)[0]
    assert "USING INTEGER PRIMARY KEY" in plan(pks=(1, 2), cause="x")[0]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("states", [frozenset[S](), frozenset({S.DEAD}), DEAD_LETTERS])
async def test_pages_go_by_key_and_never_sort(
    plans: Plans, states: frozenset[S], descending: bool
) -> None:
    which, bounds = TaskFilter(batch_id=1, states=states), page_ids.after(7, descending)
    sql, values = page_ids.chunk_sql(which, bounds, descending, 9)
    plan = plans(sql, values)
    assert "OFFSET" not in sql
    assert_no_walk(plan)
    index = "task_state (batch_id=? AND state=? AND row_no" if states else "task_row (batch_id=?"
    assert sum(index in step for step in plan) == max(1, len(states))


async def test_a_pages_rows_go_by_primary_key(plans: Plans) -> None:
    assert_no_walk(plans(page_rows.ROWS, ["[1]"]))
    costs = plans(page_rows.COSTS, ["[1]"])
    assert any("attempt_task (task_pk=?)" in step for step in costs)


async def test_other_sorts_are_bounded_by_the_filter(plans: Plans) -> None:
    which = TaskFilter(batch_id=1, states=frozenset({S.DEAD}))
    sql, values = page_ids.sorted_sql(which, Sort.PROMPT, descending=False, now=0.0)
    assert any("task_state (batch_id=? AND state=?)" in step for step in plans(sql, values))


async def test_dead_letters_are_grouped_in_their_own_index(plans: Plans) -> None:
    plan = plans(dead_groups.GROUPS)
    assert "task_cause (batch_id=?" in plan[0]


async def test_orphans_are_found_without_a_walk_over_tasks(plans: Plans) -> None:
    plan = plans(orphans.FIND)
    assert "SEARCH t USING INDEX task_running (batch_id=?)" in plan


async def test_sealing_a_batch_without_lanes_looks_into_an_empty_index(plans: Plans) -> None:
    assert "task_lane_head (batch_id=?" in plans(drafts.BLOCK)[0]
    assert any("task_lane (batch_id=?" in step for step in plans(drafts.LEAD, {"batch": 1}))


async def test_cancel_drives_from_state_or_from_pks(plans: Plans) -> None:
    def plan(**values: Any) -> list[str]:
        where, found = conditions(TaskFilter(batch_id=1, **values), frozenset({S.PENDING}))
        return plans(cancel.CANCEL + where, [0, *found])

    assert "task_state (batch_id=? AND state=?)" in plan()[0]
    assert "USING INTEGER PRIMARY KEY" in plan(pks=(1, 2))[0]


async def test_an_earlier_result_and_the_age_of_a_key_are_found_by_task(plans: Plans) -> None:
    earlier = plans(late.EARLIER)
    assert any("result_task (task_pk=?)" in step for step in earlier)
    assert all(not step.startswith("SCAN") for step in earlier)


async def test_a_days_spending_is_summed_in_its_own_index(plans: Plans) -> None:
    assert "purse_day (connection_id=? AND day=? AND currency=?)" in plans(budget.DAY)[0]
    assert "PRIMARY KEY (batch_id=?" in plans(budget.BATCH)[0]


async def test_the_lane_triggers_plans_use_the_lane_indexes(kit: Kit) -> None:
    ((body,),) = kit.sql("SELECT sql FROM sqlite_master WHERE name = 'task_lane_moved'")
    for index in ("task_lane_head", "task_lane", "task_lane_dead"):
        assert f"INDEXED BY {index}" in body


async def test_further_results_are_found_by_their_row(plans: Plans) -> None:
    assert_no_walk(plans(page_rows.MORE, ["[1]"]))
    plan = plans(page_rows.SEVERAL.format("t.state IN (3)"), [])
    assert any("SEARCH t USING INTEGER PRIMARY KEY" in step for step in plan)
