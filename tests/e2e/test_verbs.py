"""Every verb on the real program: what it does, what it says, and the code it ends with."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

from tests.e2e.program import Program, kill_group, provider, sheet, wait_for

QUICK = {"concurrency": 40, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}
CALM = {"concurrency": 4, "qps": 0, "mean_s": 2.0, "sigma": 0.0, "time_scale": 0.1}
HOLD = ("--headroom", "1", "--on-unknown", "hold", "--price", "0.25")

TROUBLE = {
    # marker: state, attempts, retries
    "drop": ("uncertain", 1, 0),
    "truncated": ("uncertain", 1, 0),
    "badjson": ("uncertain", 1, 0),
    "badimage": ("uncertain", 1, 0),
    "504": ("uncertain", 1, 0),
    "hang": ("uncertain", 1, 0),
    "moderate": ("failed", 1, 0),
    "empty": ("failed", 1, 0),
    "400": ("failed", 1, 0),
    "slow": ("success", 1, 0),
    "500:2": ("success", 3, 2),
    "500": ("dead", 4, 3),
    "503:1": ("success", 2, 0),
    "html502:1": ("success", 2, 1),
    "softquota:2": ("success", 3, 0),
}


def tasks(program: Program, batch: int = 1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = program.run("--json", "tasks", "--batch", str(batch)).json
    return found


def test_every_trouble_ends_as_the_rules_say(program: Program, tmp_path: Path) -> None:
    source = sheet(tmp_path / "t.csv", [*(f"a thing [[{kind}]]" for kind in TROUBLE), "a cup"])
    with provider(QUICK, tmp_path) as shop:
        program.connect(shop, "--concurrency", "20", "--timeout", "3", *HOLD)
        done = program.run(
            "--json", "run", source, "--connection", "shop", "--out", tmp_path / "out"
        )
        told = shop.ledger()
        rows = tasks(program)
        # What the provider saw: a row that was claimed when another was told to wait is given
        # back unsent, which raises its attempt number and no call.
        sent = {page["prompt"]: page["attempts"] for page in told["prompts"].values()}
        found = {
            row["prompt"].partition("[[")[2].removesuffix("]]"): (
                row["state"],
                sent[row["prompt"]],
                row["retries"],
            )
            for row in rows
        }
        assert found == {**TROUBLE, "": ("success", 1, 0)}
        assert (done.code, done.json["imported"]) == (3, len(TROUBLE) + 1)
        assert all(p["billed"] <= 1 for p in told["prompts"].values())
        costs = {row["prompt"]: row["cost"] for row in rows}
        assert costs["a cup"] == "0.25 USD"
        assert costs["a thing [[500]]"] != "0.25 USD"

    (dead,) = [row["task"] for row in rows if row["state"] == "dead"]
    attempts = program.run("--json", "attempts", "--task", dead).json["attempts"]
    left = [attempt for attempt in attempts if attempt["outcome"] != "not_sent"]
    assert [attempt["outcome"] for attempt in left] == ["transient"] * 4
    assert all(attempt["http_status"] == 500 for attempt in left)


def test_a_call_that_hangs_three_times_ends_where_calls_are_free(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "t.csv", ["a thing [[hang]]"])
    with provider(QUICK, tmp_path) as shop:
        program.connect(shop, "--concurrency", "2", "--timeout", "1")
        run = ("--json", "run", source, "--connection", "shop", "--out", tmp_path / "out")
        done = program.run(*run)
        assert (done.code, done.json["dead"], done.json["attempts"]) == (3, 1, 3), done.err
        assert shop.ledger()["attempts"] == 3


def test_a_signal_ends_with_its_code_and_resume_goes_on(program: Program, tmp_path: Path) -> None:
    source = sheet(tmp_path / "s.csv", [f"cup {n}" for n in range(30)])
    with provider(CALM, tmp_path) as shop:
        program.connect(shop, "--concurrency", "4", *HOLD)
        run = ("--json", "run", source, "--connection", "shop", "--out", tmp_path / "out")
        with program.running(*run) as process:
            wait_for("some work", lambda: shop.ledger()["billed"] >= 4)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        assert process.returncode == 130, err
        stopped = json.loads(out)
        assert stopped["exit_reason"] == "signal"
        assert stopped["pending"] > 0
        assert stopped["running"] == stopped["uncertain"] == 0  # what was out was waited for
        status = program.run("--json", "status").json
        assert status["exit_reason"] == "paused"

        with program.running("resume") as process:
            wait_for("more work", lambda: shop.ledger()["billed"] >= stopped["success"] + 4)
            kill_group(process)
        wait_for("the provider to end its work", lambda: shop.ledger()["in_flight"] == 0)
        assert program.run("--json", "status").json["exit_reason"] == "interrupted"
        done = program.run("--json", "resume")
        assert done.json["success"] + done.json["uncertain"] == 30
        assert done.json["uncertain"] <= 4
        assert all(p["billed"] == 1 for p in shop.ledger()["prompts"].values())


def test_offline_waits_gives_up_and_goes_on_when_the_line_is_back(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "s.csv", [f"cup {n}" for n in range(3)])
    run = ("--json", "run", source, "--connection", "shop", "--out", tmp_path / "out")
    with provider(QUICK, tmp_path) as gone:
        program.connect(gone, "--concurrency", "1", *HOLD)
    done = program.run(*run, "--wait", "0.5")
    assert (done.code, done.json["exit_reason"]) == (4, "offline")
    assert (done.json["pending"], done.json["dead"], done.json["failed"]) == (3, 0, 0)
    assert done.json["said"]
    assert all(row["retries"] == 0 for row in tasks(program))
    with program.running(*run) as process, provider(QUICK, tmp_path) as shop:
        program.connect(shop, "--concurrency", "1", *HOLD)  # the running instance is told
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out)["success"] == 3
