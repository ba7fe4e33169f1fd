"""A batch goes before or after others: said at its start, or while it runs, from anywhere."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from desktop_app.settings.paths import paths
from tests.cli.conftest import Verbs
from tests.cli.test_control import HOLD, SLOW
from tests.e2e.program import KEY, Program, kill_group, provider, sheet, wait_for


def test_it_is_said_at_the_start_changed_while_it_runs_and_shown(
    verbs: Verbs, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "t.csv", [f"cup {n}" for n in range(4)])
    program = Program(verbs.data, {"BATCHWRIGHT_KEY_SHOP": KEY})

    def shown() -> tuple[str, bool]:
        said = verbs.run("status").out
        return verbs.run("--json", "status").json["priority"], "Priority" in said

    with provider(SLOW, tmp_path) as shop:
        verbs.connect(shop.base_url, *HOLD)
        run = ("run", source, "--connection", "shop", "--out", tmp_path / "out")
        with program.running(*run, "--priority", "high") as process:
            wait_for("two calls", lambda: shop.ledger()["in_flight"] == 2)
            assert shown() == ("high", True)
            # The process that runs is told, and answers: the batch is its newest unfinished one.
            assert verbs.run("--json", "priority", "normal").json == {
                "verb": "priority",
                "ok": True,
            }
            assert shown() == ("normal", False)
            kill_group(process)
        assert verbs.run("priority", "low", "--batch", "1").code == 0
        assert shown() == ("low", True)
        assert verbs.run("status").out.count("low") == 1


def test_an_urgent_batch_is_sent_first_by_the_process_that_runs_another(
    verbs: Verbs, tmp_path: Path
) -> None:
    urgent = sheet(tmp_path / "urgent.csv", [f"banner {n}" for n in range(7)])
    big = sheet(tmp_path / "big.csv", [f"cup {n}" for n in range(200)])
    program = Program(verbs.data, {"BATCHWRIGHT_KEY_SHOP": KEY})

    def turns() -> list[int]:
        with closing(sqlite3.connect(paths(verbs.data).database)) as conn:
            return [batch for (batch,) in conn.execute("SELECT batch_id FROM attempt ORDER BY id")]

    with provider({**SLOW, "mean_s": 0.3}, tmp_path) as shop:
        verbs.connect(shop.base_url, *HOLD)
        where = ("--connection", "shop", "--out")
        assert verbs.run("run", urgent, *where, tmp_path / "a", "--trial", "1").code == 0
        with program.running("run", big, *where, tmp_path / "b"):
            wait_for("two calls", lambda: shop.ledger()["in_flight"] == 2)
            assert verbs.run("priority", "high", "--batch", "1").code == 0
            assert verbs.run("resume", "--batch", "1", "--rest").code == 0
            wait_for("all of it", lambda: turns().count(1) == 7)
            wait_for("the other goes on", lambda: turns()[-1] == 2)
    _, first, *_ = (at for at, batch in enumerate(turns()) if batch == 1)
    assert turns()[first : first + 6] == [1] * 6
    assert set(turns()[1:first]) == {2}


def test_what_is_no_priority_or_no_batch_is_refused(verbs: Verbs, tmp_path: Path) -> None:
    assert verbs.run("priority", "urgent").code == 2
    with provider(SLOW, tmp_path) as shop:
        verbs.connect(shop.base_url)
    assert "no batch" in verbs.refused("priority", "high", "--batch", "9")
