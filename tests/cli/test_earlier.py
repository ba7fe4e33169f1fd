"""A copy of a sheet that ran: what it has of the other's rows is not paid for again, however often
it is given."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Verbs
from tests.e2e.program import provider

QUICK = {"concurrency": 40, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}


def sheet(path: Path, *prompts: str) -> Path:
    path.write_text("prompt\n" + "".join(f"{prompt}\n" for prompt in prompts), encoding="utf-8")
    return path


def test_a_copy_runs_its_own_rows_once_and_goes_on_where_it_stopped(
    verbs: Verbs, tmp_path: Path
) -> None:
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--price", "0.04", "--unit", "image", "--currency", "USD")
        run = ("--json", "run", "--connection", "shop", "--out", tmp_path / "out")
        first = verbs.run(*run, sheet(tmp_path / "shoes.csv", "red", "blue", "green"))
        assert first.code == 0, first.err
        copy = sheet(tmp_path / "copy.csv", "red", "navy", "green")
        second = verbs.run(*run, copy)
        assert (second.code, second.json["imported"]) == (0, 1), second.err
        assert "They are left out: --earlier all runs and pays for them again." in second.err
        third = verbs.run(*run, copy)
        assert (third.code, third.json["batch"]) == (0, second.json["batch"]), third.err
        assert "going on with batch 2" in third.err
        assert shop.ledger()["attempts"] == 4


def test_rows_that_wait_in_another_run_are_left_to_it(verbs: Verbs, tmp_path: Path) -> None:
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--price", "0.04", "--unit", "image", "--currency", "USD")
        run = ("--json", "run", "--connection", "shop", "--out", tmp_path / "out")
        trial = (sheet(tmp_path / "shoes.csv", "red", "blue", "green"), "--trial", "1")
        assert verbs.run(*run, *trial).code == 0
        copy = sheet(tmp_path / "copy.csv", "blue", "green", "navy")
        said = verbs.run(*run[1:], copy, "--check").out
        assert "2 of these rows wait in batch 1 (shoes)." in said
        assert "They are left out, and run there: --earlier all runs them here as well." in said
        assert "What waits goes on with: resume --batch 1 --rest" in said
        assert "Calls: 1" in said


def test_a_check_tells_of_every_row_of_the_earlier_run_as_what_it_is(
    verbs: Verbs, tmp_path: Path
) -> None:
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--price", "0.04", "--unit", "image", "--currency", "USD")
        source = sheet(tmp_path / "shoes.csv", "red", "blue [[drop]]", "green [[moderate]]")
        run = ("run", source, "--connection", "shop", "--out", tmp_path / "out")
        assert verbs.run(*run).code == 3
        said = verbs.run(*run, "--check").out
        assert "Ran before as batch 1: 3 = 1 done + 1 failed + 1 uncertain." in said


def test_the_check_of_an_update_tells_what_the_update_sends(verbs: Verbs, tmp_path: Path) -> None:
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--price", "0.04", "--unit", "image", "--currency", "USD")
        run = ("--json", "run", "--connection", "shop", "--out", tmp_path / "out")
        source = sheet(tmp_path / "shoes.csv", "red", "blue", "green")
        assert verbs.run(*run, source).code == 0
        sheet(source, "red", "navy", "green", "grey")
        check = (*run, source, "--check", "--update")
        said = verbs.run(*check).json
        assert (said["rows"], said["calls"], said["cost"]["total"]) == (4, 1, "0.04")
        assert (said["time"], said["disk"], said["trial"]) == (None, None, [])
        paid = verbs.run(*check, "--pay-again").json
        assert (paid["calls"], paid["cost"]["total"]) == (2, "0.08")
