"""A line of progress says only figures that can be meant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from desktop_app.cli.progress import Progress, time_left
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import TaskState as S
from desktop_app.domain.text import Translator
from desktop_app.domain.views import EngineStatus
from desktop_app.services.slowed_words import slowed


@pytest.mark.parametrize(
    ("counts", "status", "said"),
    [
        ({S.RUNNING: 1}, EngineStatus(eta_s=64.0, oldest_s=9.0), "about 1:04 left"),
        ({S.RUNNING: 2}, EngineStatus(oldest_s=94.2), "the longest for 1:34"),
        ({S.RUNNING: 2, S.PENDING: 1}, EngineStatus(oldest_s=94.2), ""),
        ({S.RETRYING: 2}, EngineStatus(), ""),
    ],
)
def test_the_time_left_or_how_long_the_last_rows_have_run(
    counts: dict[S, int], status: EngineStatus, said: str
) -> None:
    assert time_left(Translator(), Ledger.of(counts), status) == said


def test_a_line_says_why_nothing_moves(capsys: pytest.CaptureFixture[str]) -> None:
    say: Any = SimpleNamespace(tr=Translator(), aside=print)
    summary: Any = SimpleNamespace(ledger=Ledger.of({S.SUCCESS: 3, S.PENDING: 9}))
    status = EngineStatus(slowed_until=1_900_000_000.0)
    Progress(say).show(summary, status)
    why = slowed(Translator(), status)
    assert why.startswith("slowed by the provider until ")
    assert capsys.readouterr().out == f"3/12  0 running  0.0/s  {why}\n"
