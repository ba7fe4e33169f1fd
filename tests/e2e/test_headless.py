"""A sheet goes in, every picture comes out, and the ledger of the provider agrees."""

from __future__ import annotations

import csv
import signal
from pathlib import Path

from PIL import Image

from tests.e2e.program import Program, provider, sheet, wait_for

SMALL = ("--param", "size=128x128")
CALM = {"concurrency": 6, "qps": 0, "mean_s": 1.0, "sigma": 0.2, "time_scale": 0.1}


def test_a_csv_becomes_files_and_a_result_sheet(program: Program, tmp_path: Path) -> None:
    prompts = [f"a red shoe, number {n}" for n in range(1, 19)] + [
        "蓝色书包，白底",
        "[[moderate]] no",
    ]
    source = sheet(tmp_path / "shoes.csv", prompts)
    out = tmp_path / "out"
    with provider(CALM, tmp_path) as shop:
        program.connect(shop, "--concurrency", "6", "--headroom", "1")
        done = program.run("--json", "run", source, "--connection", "shop", "--out", out)
        told = shop.ledger()
    assert done.code == 3, done.err
    status = done.json
    assert status["imported"] == 20
    assert (status["success"], status["failed"]) == (19, 1)
    assert status["exit_reason"] == "dead_letters"
    pictures = sorted(out.glob("*.png"))
    assert len(pictures) == 19
    assert pictures[0].name == "0002_K001.png"
    for picture in pictures:
        with Image.open(picture) as opened:
            opened.load()
    assert told["billed"] == 19
    assert not list(out.glob(".bw-*"))

    target = tmp_path / "results.csv"
    exported = program.run("export", "results", "--batch", "1", "--to", target)
    assert exported.code == 0, exported.err
    with target.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["prompt"] for row in rows] == prompts
    assert {row["state"] for row in rows} == {"success", "failed"}
    assert all(Path(row["output"]).is_file() for row in rows if row["state"] == "success")


def test_the_same_sheet_again_continues_and_pays_nothing(program: Program, tmp_path: Path) -> None:
    source = sheet(tmp_path / "five.csv", [f"cup {n}" for n in range(5)])
    out = tmp_path / "out"
    with provider(CALM, tmp_path) as shop:
        program.connect(shop)
        trial = program.run(
            "--json", "run", source, "--connection", "shop", "--out", out, "--limit", "2"
        )
        assert (trial.code, trial.json["imported"]) == (0, 2)
        rest = program.run("--json", "run", source, "--connection", "shop", "--out", out)
        assert (rest.code, rest.json["imported"], rest.json["success"]) == (0, 5, 5)
        assert rest.json["batch"] == trial.json["batch"]
        again = program.run("--json", "run", source, "--connection", "shop", "--out", out)
        assert (again.code, again.json["attempts"]) == (0, 5)
        assert shop.ledger()["billed"] == 5
        anew = program.run("--json", "run", source, "--connection", "shop", "--out", out, "--new")
        assert (anew.code, anew.json["success"]) == (0, 5)
        assert anew.json["batch"] != rest.json["batch"]
        assert shop.ledger()["billed"] == 10
    assert len(list(out.glob("*.png"))) == 10


def test_a_storm_of_429_loses_no_row_and_spends_no_retry(program: Program, tmp_path: Path) -> None:
    source = sheet(tmp_path / "storm.csv", [f"lamp {n}" for n in range(60)])
    limits = {"concurrency": 3, "qps": 1.0, "burst": 2, "mean_s": 1.0, "time_scale": 0.05}
    with provider(limits, tmp_path) as shop:
        program.connect(shop, "--concurrency", "30", "--headroom", "1")
        done = program.run(
            "--json", "run", source, "--connection", "shop", "--out", tmp_path / "out", *SMALL
        )
        told = shop.ledger()
    assert done.code == 0, done.err
    assert done.json["success"] == 60
    assert done.json["throttled"] > 0
    assert told["billed"] == 60
    tasks = program.run("--json", "tasks", "--batch", "1").json
    assert all(task["retries"] == 0 for task in tasks)


def test_s08_a_revoked_key_pauses_and_blames_no_row(program: Program, tmp_path: Path) -> None:
    source = sheet(tmp_path / "many.csv", [f"bag {n}" for n in range(300)])
    with provider(CALM, tmp_path) as shop:
        program.connect(shop, "--concurrency", "4", "--headroom", "1", name="other")
        wrong = Program(program.data, {"BATCHWRIGHT_KEY_OTHER": "sk-revoked-0000000000"})
        done = wrong.run(
            "--json", "run", source, "--connection", "other", "--out", tmp_path / "out", *SMALL
        )
        assert done.code == 4, done.err
        assert done.json["exit_reason"] == "account"
        assert done.json["pending"] == 300
        assert 1 <= done.json["attempts"] <= 4
        assert "sk-revoked" not in done.out + done.err
        good = Program(program.data, {"BATCHWRIGHT_KEY_OTHER": program.env["BATCHWRIGHT_KEY_SHOP"]})
        again = good.run(
            "--json", "run", source, "--connection", "other", "--out", tmp_path / "out", *SMALL
        )
    assert again.code == 0, again.err
    assert again.json["success"] == 300


def test_s16_sigterm_with_calls_in_flight_leaves_rows_recoverable(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "slow.csv", [f"sofa {n}" for n in range(40)])
    slow = {"concurrency": 20, "qps": 0, "mean_s": 60.0, "sigma": 0.0, "time_scale": 1.0}
    with provider(slow, tmp_path) as shop:
        program.connect(
            shop, "--concurrency", "20", "--headroom", "1", "--on-unknown", "hold", "--price", "1"
        )
        with program.running(
            "--json", "run", source, "--connection", "shop", "--out", tmp_path / "out", *SMALL
        ) as process:
            wait_for("20 calls", lambda: shop.ledger()["in_flight"] == 20)
            process.send_signal(signal.SIGTERM)
            # 5 s is the promise; the rest is for a loaded machine. The calls would take longer.
            out, err = process.communicate(timeout=50)
        assert process.returncode == 143, err
        assert '"running": 20' in out
    status = program.run("--json", "status").json
    assert (status["running"], status["pending"], status["imported"]) == (20, 20, 40)


def test_s17_a_second_engine_is_refused_and_the_first_obeys_commands(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "long.csv", [f"chair {n}" for n in range(200)])
    limits = {"concurrency": 2, "qps": 0, "mean_s": 15.0, "sigma": 0.0, "time_scale": 0.1}
    args = ("run", source, "--connection", "shop", "--out", tmp_path / "out", *SMALL)
    with provider(limits, tmp_path) as shop:
        program.connect(shop, "--concurrency", "2", "--headroom", "1")
        with program.running("--json", *args) as process:
            wait_for("a picture", lambda: shop.ledger()["billed"] >= 2)
            second = program.run(*args)
            assert second.code == 5
            status = program.run("--json", "status")
            assert (status.code, status.json["imported"]) == (0, 200)
            paused = program.run("--json", "pause")
            assert (paused.code, paused.json["ok"]) == (0, True), paused.err
            out, err = process.communicate(timeout=60)
        assert process.returncode == 4, err
        assert '"exit_reason": "paused"' in out
        assert program.run("--json", "cancel", "--batch", "1").code == 0
    final = program.run("--json", "status").json
    assert final["success"] + final["cancelled"] == 200
    assert final["cancelled"] > 100
