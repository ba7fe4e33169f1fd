"""A batch goes before or after others: said at its start, or while it runs, from anywhere."""

from __future__ import annotations

from pathlib import Path

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


def test_what_is_no_priority_or_no_batch_is_refused(verbs: Verbs, tmp_path: Path) -> None:
    assert verbs.run("priority", "urgent").code == 2
    with provider(SLOW, tmp_path) as shop:
        verbs.connect(shop.base_url)
    assert "no batch" in verbs.refused("priority", "high", "--batch", "9")
