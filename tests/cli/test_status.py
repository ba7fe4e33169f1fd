"""One word and one exit code for where a batch stands."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from desktop_app.cli.exits import Exit
from desktop_app.cli.status import document, exit_of, reason_of
from desktop_app.domain.batch import Batch, RunState, SheetMapping
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import BatchSummary

BATCH = Batch(
    id=7,
    name="shoes",
    sheet_path="/s.csv",
    sheet_hash="",
    fingerprint="",
    columns=("prompt",),
    mapping=SheetMapping("prompt"),
    connection_id=1,
    out_dir="/out",
    created_at=0.0,
)


def summary(
    ledger: Ledger, state: RunState = RunState.RUNNING, reason: Message | None = None
) -> BatchSummary:
    batch = replace(BATCH, run_state=state, pause_reason=reason)
    return BatchSummary(batch, ledger, "shop", (Money(Decimal("0.40"), "USD"),), elapsed_s=1.23456)


@pytest.mark.parametrize(
    ("ledger", "reason", "code"),
    [
        (Ledger(success=2), "done", Exit.OK),
        (Ledger(success=1, cancelled=1), "done", Exit.OK),
        (Ledger(cancelled=2), "done", Exit.OK),
        (Ledger(success=9, failed=1), "dead_letters", Exit.DEAD_LETTERS),
        (Ledger(success=9, dead=1), "dead_letters", Exit.DEAD_LETTERS),
        (Ledger(success=9, uncertain=1), "dead_letters", Exit.DEAD_LETTERS),
        (Ledger(pending=1), "running", Exit.PAUSED),
        (Ledger(failed=5, retrying=1), "running", Exit.PAUSED),
    ],
)
def test_the_ledger_decides(ledger: Ledger, reason: str, code: Exit) -> None:
    assert reason_of(summary(ledger)) == reason
    assert exit_of(summary(ledger)) == code


@pytest.mark.parametrize(
    ("state", "reason", "works", "word"),
    [
        (RunState.IDLE, None, True, "waiting"),
        (RunState.RUNNING, None, True, "running"),
        (RunState.RUNNING, None, False, "interrupted"),
        (RunState.PAUSED, None, False, "paused"),
        (RunState.PAUSED, message("services.paused_by_you"), True, "paused"),
        (RunState.PAUSED, message("engine.max_calls", n=3), True, "budget"),
    ],
)
def test_a_batch_with_rows_to_come(
    state: RunState, reason: Message | None, works: bool, word: str
) -> None:
    assert reason_of(summary(Ledger(pending=1), state, reason), works=works) == word


def test_the_document_has_the_promised_keys_first_and_adds_up() -> None:
    ledger = Ledger(1, 2, 3, 4, 5, 6, 7, 8, attempts=40, throttled=9)
    said = document(summary(ledger), "signal")
    assert list(said)[:14] == [
        "batch", "imported", "pending", "running", "retrying", "success", "failed", "dead",
        "uncertain", "cancelled", "attempts", "throttled", "elapsed_s", "exit_reason",
    ]  # fmt: skip
    assert said["imported"] == sum(range(1, 9))
    assert (said["elapsed_s"], said["exit_reason"]) == (1.235, "signal")
    assert said["spent"] == [{"amount": "0.40", "currency": "USD"}]
