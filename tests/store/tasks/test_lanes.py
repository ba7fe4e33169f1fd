"""Tasks of one lane go strictly one after the other, whatever else happens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.attempt import Claim, Outcome
from desktop_app.domain.task import DEAD_LETTERS, UNFINISHED, TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from tests.helpers.examples import sharing_fixtures
from tests.store.store_kit import STOP, Kit, draft, lane_rows, row_nos

S = TaskState


async def test_one_call_never_takes_two_rows_of_a_lane(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("a", "a", "b", "b", None, None))
    assert row_nos(await kit.claim(batch_id)) == [2, 4, 6, 7]


@pytest.mark.parametrize("state", [S.SUCCESS, S.FAILED, S.DEAD, S.UNCERTAIN])
async def test_the_lane_goes_on_when_its_head_is_done(kit: Kit, state: S) -> None:
    batch_id = await kit.batch(lane_rows("a", "a"))
    head = await kit.claim_one(batch_id)
    await kit.end(head, state)
    assert row_nos(await kit.claim(batch_id)) == [3]


async def test_a_retrying_head_blocks_even_while_it_waits(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("a", "a"))
    head = await kit.claim_one(batch_id)
    await kit.end(head, S.RETRYING, due_at=2_000.0)
    assert await kit.claim(batch_id) == []
    kit.clock.at = 2_000.0
    assert row_nos(await kit.claim(batch_id)) == [2]


@pytest.mark.parametrize("due_at", [None, 2_000.0])
async def test_a_head_given_back_blocks(kit: Kit, due_at: float | None) -> None:
    batch_id = await kit.batch(lane_rows("a", "a"))
    head = await kit.claim_one(batch_id)
    await kit.end(head, S.PENDING, outcome=Outcome.THROTTLED, due_at=due_at)
    kit.clock.at = 2_000.0
    assert row_nos(await kit.claim(batch_id)) == [2]


@pytest.mark.parametrize("state", [S.FAILED, S.DEAD, S.UNCERTAIN])
async def test_a_dead_letter_stops_the_lane_where_the_batch_says_so(kit: Kit, state: S) -> None:
    batch_id = await kit.batch(lane_rows("a", "b", "a", "b"), lane_on_dead=STOP)
    first, second = await kit.claim(batch_id)
    await kit.end(first, state)
    await kit.end(second, S.SUCCESS)
    assert row_nos(await kit.claim(batch_id)) == [5]
    await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), 1_006.0)
    (again,) = await kit.claim(batch_id)
    assert again.row_no == 2
    await kit.end(again, S.SUCCESS)
    assert row_nos(await kit.claim(batch_id)) == [4]


async def test_an_uncertain_row_that_is_settled_frees_a_stopped_lane(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("a", "a"), lane_on_dead=STOP)
    head = await kit.claim_one(batch_id)
    await kit.end(head, S.UNCERTAIN)
    assert await kit.claim(batch_id) == []
    await kit.store.actions.settle_failed(head.task_pk, message("fake.no"), 1_006.0)
    assert await kit.claim(batch_id) == []
    await kit.store.actions.edit_and_requeue(head.task_pk, "better", 1_007.0)
    (again,) = await kit.claim(batch_id)
    await kit.end(again, S.SUCCESS)
    assert row_nos(await kit.claim(batch_id)) == [3]


async def test_a_bad_row_of_the_sheet_stops_its_lane_too(kit: Kit) -> None:
    rows = [draft(2, lane="a", problem=message("fake.bad")), draft(3, lane="a"), draft(4, lane="b")]
    assert row_nos(await kit.claim(await kit.batch(rows, lane_on_dead=STOP))) == [4]
    assert row_nos(await kit.claim(await kit.batch(rows))) == [3, 4]


async def test_a_requeued_row_takes_its_old_place_and_waits_for_a_later_one(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("a", "a", "a"))
    head = await kit.claim_one(batch_id)
    await kit.end(head, S.FAILED)
    later = await kit.claim_one(batch_id)
    await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), 1_006.0)
    assert await kit.claim(batch_id) == []  # row 3 is on the wire
    await kit.end(later, S.RETRYING, due_at=1_000.0)
    assert row_nos(await kit.claim(batch_id)) == [2]
    assert await kit.claim(batch_id) == []


async def test_priority_orders_heads_and_never_a_lane(kit: Kit) -> None:
    rows = [
        draft(2, lane="a"),
        draft(3, lane="a", priority=9),
        draft(4, lane="b", priority=5),
        draft(5),
    ]
    batch_id = await kit.batch(rows)
    assert row_nos(await kit.claim(batch_id)) == [4, 2, 5]


async def test_a_cancelled_head_lets_the_lane_go_on(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("a", "a", "a"), lane_on_dead=STOP)
    await kit.store.actions.cancel(TaskFilter(batch_id=batch_id, text="#2"), 1.0)
    assert row_nos(await kit.claim(batch_id)) == [3]


async def test_lanes_of_two_batches_are_two_lanes(kit: Kit) -> None:
    one, two = await kit.batch(lane_rows("a")), await kit.batch(lane_rows("a"))
    assert row_nos(await kit.claim(one)) == [2]
    assert row_nos(await kit.claim(two)) == [2]


async def test_a_lane_of_thousands_keeps_one_row_in_the_claims_index(kit: Kit) -> None:
    batch_id = await kit.batch([draft(n, lane="a") for n in range(2, 5_002)])
    ready = "SELECT count(*) FROM task WHERE ready = 1 AND blocked = 0 AND state IN (0, 2)"
    assert kit.sql(ready) == [(1,)]
    head = await kit.claim_one(batch_id)
    assert kit.sql(ready) == [(0,)]
    await kit.end(head, S.FAILED)
    assert kit.sql(ready) == [(1,)]
    await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), 1.0)
    assert kit.sql(ready) == [(1,)]


async def test_rows_added_later_join_their_lanes(kit: Kit) -> None:
    batch_id = await kit.batch(lane_rows("a", "b"))
    first, second = await kit.claim(batch_id)
    await kit.end(second, S.SUCCESS)
    await kit.store.imports.extend(batch_id, lane_rows("a", "b", first=4))
    assert row_nos(await kit.claim(batch_id)) == [5]
    await kit.end(first, S.SUCCESS)
    assert row_nos(await kit.claim(batch_id)) == [4]


@sharing_fixtures(25)
@given(data=st.data())
async def test_no_walk_puts_two_rows_of_a_lane_on_the_wire(kit: Kit, data: st.DataObject) -> None:
    stop = data.draw(st.booleans())
    lanes = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=2, max_size=8))
    batch_id = await kit.batch(lane_rows(*lanes), **({"lane_on_dead": STOP} if stop else {}))
    flying: dict[int, Claim] = {}
    for _ in range(10):
        move = data.draw(st.sampled_from(["claim", "claim", "end", "end", "requeue"]))
        if move == "claim":
            before = _states(kit, batch_id)
            for claim in await kit.claim(batch_id, data.draw(st.integers(1, 4))):
                flying[claim.row_no] = claim
                if claim.lane is not None:
                    assert not _ahead(before, lanes, claim, stop)
            busy = [claim.lane for claim in flying.values() if claim.lane is not None]
            assert len(busy) == len(set(busy))
        elif move == "end" and flying:
            claim = flying.pop(data.draw(st.sampled_from(sorted(flying))))
            end = data.draw(st.sampled_from([S.SUCCESS, S.FAILED, S.RETRYING, S.PENDING]))
            await kit.end(claim, end, due_at=None)
        elif move == "requeue":
            await kit.store.actions.requeue(TaskFilter(batch_id=batch_id), 1_000.0)


def _states(kit: Kit, batch_id: int) -> dict[int, S]:
    rows = kit.sql("SELECT row_no, state FROM task WHERE batch_id = ?", batch_id)
    return {row_no: S(state) for row_no, state in rows}


def _ahead(states: dict[int, S], lanes: list[str | None], claim: Claim, stop: bool) -> list[int]:
    """Rows of the claim's lane that should have kept it waiting."""
    blocking = UNFINISHED | (DEAD_LETTERS if stop else frozenset())
    return [
        row_no
        for row_no, state in states.items()
        if lanes[row_no - 2] == claim.lane
        and ((row_no < claim.row_no and state in blocking) or state is S.RUNNING)
    ]
