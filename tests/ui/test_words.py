"""The words of the window: the ledger adds up, the unknown is never 0."""

from __future__ import annotations

import pytest

from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Translator
from desktop_app.domain.views import EngineStatus
from desktop_app.ui import words
from tests.ui.fakes import make_row

TR = Translator()


def test_the_ledger_line_adds_up() -> None:
    ledger = Ledger(pending=40, running=8, success=148, failed=3, dead=1)
    line = words.ledger_line(TR, ledger)
    assert line == "200 = 148 done + 3 failed + 1 dead + 8 running + 40 waiting"
    total, parts = line.split(" = ")
    assert int(total) == sum(int(part.split()[0]) for part in parts.split(" + "))


def test_every_state_is_in_the_ledger_line() -> None:
    counts = {state: 1000 + state for state in TaskState}
    ledger = Ledger.of(counts)
    _, parts = words.ledger_line(TR, ledger).split(" = ")
    figures = [int(part.split()[0].replace(",", "")) for part in parts.split(" + ")]
    assert sorted(figures) == sorted(counts.values())
    assert sum(figures) == ledger.imported


def test_an_empty_ledger_says_so() -> None:
    assert words.ledger_line(TR, Ledger()) == "No rows yet"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0.2 s"), (9.96, "10 s"), (28, "28 s"), (60, "1 min"), (65, "1 min 5 s"),
     (3600, "1 h"), (7800, "2 h 10 min")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert words.duration(TR, seconds) == text


@pytest.mark.parametrize(
    ("ago", "text"), [(1, "just now"), (12, "12 s ago"), (200, "3 min ago"), (7300, "2 h ago")]
)
def test_relative_times(ago: float, text: str) -> None:
    assert words.relative(TR, 1_000_000.0 - ago, 1_000_000.0) == text


def test_a_retry_counts_down_and_then_says_retrying() -> None:
    row = make_row(1, TaskState.RETRYING, due_at=104.0, retries_spent=2)
    assert words.row_word(TR, row, 100.0) == "Retry in 4 s"
    assert words.row_word(TR, row, 103.5) == "Retry in 1 s"
    assert words.row_word(TR, row, 105.0) == "Retrying"
    assert words.tries(row) == "2/3"
    assert words.tries(make_row(1, TaskState.FAILED, attempt_no=3, unsent=1)) == "2"
    assert words.tries(make_row(1, TaskState.FAILED, attempt_no=1, unsent=1)) == ""


@pytest.mark.parametrize(
    ("state", "changes", "word"),
    [
        (TaskState.FAILED, {"error_class": "refused"}, "Refused"),
        (TaskState.FAILED, {"error_class": "invalid"}, "Invalid"),
        (TaskState.FAILED, {}, "Failed"),
        (TaskState.RUNNING, {"cancel_requested": True}, "Stopping"),
        (TaskState.UNCERTAIN, {}, "Uncertain"),
    ],
)
def test_row_words(state: TaskState, changes: dict[str, str], word: str) -> None:
    assert words.row_word(TR, make_row(1, state, **changes), 0.0) == word


def test_every_state_has_a_word_and_a_look() -> None:
    assert len({words.state_word(TR, state) for state in TaskState}) == len(TaskState)
    assert len({words.look(state)[0] for state in TaskState}) == len(TaskState)


def test_a_running_row_shows_its_running_time() -> None:
    row = make_row(1, TaskState.RUNNING, started_at=100.0, elapsed_s=None)
    assert words.took(TR, row, 112.4) == "12 s"
    assert words.took(TR, make_row(2), 0.0) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "5 s"), (42, "40 s"), (57, "55 s"), (58, "1 min"), (61, "1 min"), (95, "2 min")],
)
def test_what_is_left_is_rounded(seconds: float, text: str) -> None:
    assert words.about(TR, seconds) == text


def test_the_end_of_a_run_says_how_long_it_has_taken_where_nobody_knows_how_long_it_takes() -> None:
    tr = Translator()
    running = EngineStatus(active=True, oldest_s=34.4)
    one = Ledger.of({TaskState.SUCCESS: 9, TaskState.RUNNING: 1})
    assert words.time_left(tr, one, running) == "finishing: 1 row, running 34 s"
    two = Ledger.of({TaskState.RUNNING: 2, TaskState.RETRYING: 1})
    assert words.time_left(tr, two, running) == "finishing: 2 rows, the longest running 34 s"
    retrying = Ledger.of({TaskState.RETRYING: 1})
    idle = EngineStatus(active=True)
    assert words.time_left(tr, retrying, idle) == "finishing: 1 row to retry"
    waiting = Ledger.of({TaskState.PENDING: 3, TaskState.RUNNING: 1})
    assert words.time_left(tr, waiting, running) == ""
    assert words.time_left(tr, one, EngineStatus(oldest_s=34.4)) == ""
    known = words.time_left(tr, one, EngineStatus(active=True, eta_s=41.0, oldest_s=34.4))
    assert known.startswith("about 40 s left (")
