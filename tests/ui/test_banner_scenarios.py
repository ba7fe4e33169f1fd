"""What the banner line says at the end of a batch, by the rules that the program goes by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_app.domain.batch import RunState
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.views import BannerAction, BatchSummary, EngineStatus
from desktop_app.services.run_banners import run_banners
from tests.ui.conftest import Run, until
from tests.ui.fakes import make_batch
from tests.ui.test_main_window import Build

ENDS = [
    (Ledger(failed=5, dead=2), "error", "failed"),
    (Ledger(success=4, failed=3), "warning", "3"),
]


@pytest.mark.parametrize(("ledger", "severity", "word"), ENDS)
def test_s12_the_banner_of_a_batch_with_failures_never_says_completed(
    stage: Build, run: Run, ledger: Ledger, severity: str, word: str
) -> None:
    batch = replace(make_batch(), run_state=RunState.RUNNING, finished_at=1_000.0)
    ended = BatchSummary(batch=batch, connection_name="c", ledger=ledger, elapsed_s=1.0)
    (banner,) = run_banners([ended], 0.0)
    assert banner.severity == severity

    async def go() -> None:
        built = stage()
        built.fakes.runs.now = EngineStatus(banners=(banner,))
        window = await built.show()
        await until(lambda: window.banner.isVisible())
        text = window.banner.text.text()
        assert word in text
        assert "completed" not in text.lower()
        assert BannerAction.NEEDS_YOU in banner.actions
        assert window.banner.buttons[0].isVisible()

    run(go())
