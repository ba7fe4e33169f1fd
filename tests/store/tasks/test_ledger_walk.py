"""Whatever is done in whatever order: no illegal move, and the ledger always sums."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.attempt import Claim, Outcome
from desktop_app.domain.batch import RunState
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.transitions import is_legal
from desktop_app.domain.views import TaskFilter
from tests.helpers.examples import sharing_fixtures
from tests.store.store_kit import KEPT, REASON, Kit, draft, ending, failure

S = TaskState
ENDS = [s for s in S if is_legal(S.RUNNING, s) and s is not S.RUNNING]
MOVES = ["claim", "claim", "end", "end", "late", "requeue", "cancel", "edit", "resend", "attach"]
MOVES += ["say_failed", "set_aside", "pause", "clock"]


@sharing_fixtures(20)
@given(data=st.data())
async def test_s12_the_ledger_sums_after_every_step(kit: Kit, data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 6))
    batch_id = await kit.batch(
        [draft(n, lane=("x" if n % 2 else None)) for n in range(2, 2 + rows)]
    )
    first_pk = min(await kit.pks(batch_id=batch_id))
    seen: list[Claim] = []
    before = _states(kit, batch_id)
    for _ in range(12):
        pk = first_pk + data.draw(st.integers(0, rows - 1))
        move = data.draw(st.sampled_from(MOVES))
        await _do(kit, data, move, batch_id, pk, seen)
        after = _states(kit, batch_id)
        _check_moves(before, after, move)
        before = after
        ledger = await kit.ledger(batch_id)
        _check_ledger(kit, batch_id, ledger, rows)


async def _do(
    kit: Kit, data: st.DataObject, move: str, batch_id: int, pk: int, seen: list[Claim]
) -> None:
    store, now = kit.store, kit.clock.at
    match move:
        case "claim":
            seen += await kit.claim(batch_id, data.draw(st.integers(1, 3)))
        case "end" if seen:
            claim = seen[data.draw(st.integers(0, len(seen) - 1))]
            to = data.draw(st.sampled_from(ENDS))
            why = failure() if data.draw(st.booleans()) else None
            outcome = Outcome.SUCCESS if to is S.SUCCESS else data.draw(st.sampled_from(OUTCOMES))
            await store.engine.finish(ending(claim, to, outcome, failure=why, due_at=now + 1))
        case "late" if seen:
            await store.engine.finish(ending(seen[0], S.SUCCESS))
        case "requeue":
            await store.actions.requeue(TaskFilter(batch_id=batch_id), now)
        case "cancel":
            await store.actions.cancel(TaskFilter(pks=(pk,)), now)
        case "edit":
            await store.actions.edit_and_requeue(pk, "other", now)
        case "resend":
            await store.actions.settle_resend(pk, now)
        case "attach":
            await store.actions.settle_attach(pk, KEPT, now)
        case "say_failed":
            await store.actions.settle_failed(pk, REASON, now)
        case "set_aside":
            await store.engine.fail_pending(pk, REASON, "x")
        case "pause":
            state = data.draw(st.sampled_from([RunState.RUNNING, RunState.PAUSED]))
            await store.engine.set_run_state(batch_id, state, REASON)
        case "clock":
            kit.clock.at += 2.0


OUTCOMES = [Outcome.NOT_SENT, Outcome.THROTTLED, Outcome.TRANSIENT, Outcome.UNKNOWN]


def _states(kit: Kit, batch_id: int) -> dict[int, S]:
    rows = kit.sql("SELECT id, state FROM task WHERE batch_id = ?", batch_id)
    return {pk: S(state) for pk, state in rows}


def _check_moves(before: dict[int, S], after: dict[int, S], move: str) -> None:
    for pk, state in after.items():
        if before[pk] is state:
            continue
        through_running = move == "set_aside" and state is S.FAILED
        assert is_legal(before[pk], state) or through_running, (before[pk], state, move)


def _check_ledger(kit: Kit, batch_id: int, ledger: Ledger, rows: int) -> None:
    counts = Counter(_states(kit, batch_id).values())
    assert ledger.imported == rows
    assert all(ledger.count(state) == counts[state] for state in S)
    (sent, throttled), *_ = kit.sql(
        "SELECT coalesce(sum(sent), 0), coalesce(sum(outcome = 'throttled'), 0) FROM attempt "
        "WHERE batch_id = ?",
        batch_id,
    )
    assert (ledger.attempts, ledger.throttled) == (sent, throttled)
    (finished,), *_ = kit.sql("SELECT finished_at IS NOT NULL FROM batch WHERE id = ?", batch_id)
    assert bool(finished) == (ledger.unfinished == 0)
    open_attempts = kit.sql(
        "SELECT count(*) FROM attempt WHERE batch_id = ? AND outcome = 'open'", batch_id
    )
    assert open_attempts == [(ledger.running,)]
    groups = kit.sql("SELECT count(*) FROM task WHERE error_class IS NULL AND state IN (4, 5, 6)")
    assert groups == [(0,)]
    assert ledger.dead_letters == sum(counts[state] for state in DEAD_LETTERS)
