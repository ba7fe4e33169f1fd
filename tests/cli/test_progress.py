"""A line of progress says only figures that can be meant."""

from __future__ import annotations

import pytest

from desktop_app.cli.progress import time_left
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import TaskState as S
from desktop_app.domain.text import Translator
from desktop_app.domain.views import EngineStatus


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
