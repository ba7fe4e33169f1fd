"""The status document: printed by ``status``, and by ``run`` and ``resume`` at their end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from desktop_app.cli.exits import Exit
from desktop_app.domain.batch import RunState
from desktop_app.domain.money import Money, figure
from desktop_app.domain.views import BatchSummary

MAX_CALLS = "engine.max_calls"
MONEY = "store.budget_"
TRIAL_DONE = "engine.trial_done"


def document(summary: BatchSummary, exit_reason: str | None = None) -> dict[str, Any]:
    """The JSON of one batch, read from the store. Seconds are wall-clock seconds of running."""
    ledger, budget = summary.ledger, summary.batch.budget
    return {
        "batch": summary.batch.id,
        "imported": ledger.imported,
        "pending": ledger.pending,
        "running": ledger.running,
        "retrying": ledger.retrying,
        "success": ledger.success,
        "failed": ledger.failed,
        "dead": ledger.dead,
        "uncertain": ledger.uncertain,
        "cancelled": ledger.cancelled,
        "attempts": ledger.attempts,
        "throttled": ledger.throttled,
        "elapsed_s": round(summary.elapsed_s, 3),
        "exit_reason": exit_reason or reason_of(summary),
        "name": summary.batch.name,
        "out": summary.batch.out_dir,
        "connection": summary.connection_name,
        "priority": summary.batch.priority.word,
        "spent": _money(summary.spent),
        "reserved": _money(summary.reserved),
        "maybe_double": summary.maybe_double,
        "in_part": summary.in_part,
        "budget": next(iter(_money((budget,))), None) if budget is not None else None,
    }


def reason_of(summary: BatchSummary, *, works: bool = True) -> str:
    """In one word where the batch stands; ``works`` False: no engine is on the data folder."""
    if summary.ledger.unfinished == 0:
        return "dead_letters" if summary.ledger.dead_letters else "done"
    if summary.batch.run_state is RunState.PAUSED:
        if is_tried(summary):
            return "trial"
        return "budget" if is_capped(summary) else "paused"
    if summary.batch.run_state is RunState.RUNNING:
        return "running" if works else "interrupted"
    return "waiting"


def is_tried(summary: BatchSummary) -> bool:
    """Whether a trial is at its end and the rest waits for a person."""
    reason = summary.batch.pause_reason
    paused = summary.batch.run_state is RunState.PAUSED
    return paused and reason is not None and reason.code == TRIAL_DONE


def is_capped(summary: BatchSummary) -> bool:
    """Whether a cap of calls or money holds the batch."""
    reason = summary.batch.pause_reason
    return reason is not None and reason.code.startswith((MAX_CALLS, MONEY))


def _money(sums: Iterable[Money]) -> list[dict[str, str]]:
    return [{"amount": figure(m.amount), "currency": m.currency} for m in sums]


def exit_of(summary: BatchSummary) -> Exit:
    """The exit code that the ledger alone gives."""
    if summary.ledger.unfinished and not is_tried(summary):
        return Exit.PAUSED
    return Exit.DEAD_LETTERS if summary.ledger.dead_letters else Exit.OK
