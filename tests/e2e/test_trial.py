"""A trial of chosen rows and then the rest; and a sheet again, of which only a part is run."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.e2e.program import KEY, Program, kill_group, provider, sheet, wait_for

QUICK = {"mean_s": 0.05, "concurrency": 4}
CUPS = [f"cup {n}" for n in range(9)]


def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})


def prints(*numbers: int) -> set[str]:
    return {hashlib.sha256(f"cup {n}".encode()).hexdigest() for n in numbers}


def test_the_report_says_what_the_run_does_and_imports_nothing(tmp_path: Path) -> None:
    mine, table = program(tmp_path), tmp_path / "cups.csv"
    words = ("run", table, "--connection", "shop", "--out", tmp_path / "out", "--json")
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop, "--price", "0.04", "--unit", "image", "--on-unknown", "resend")
        sheet(table, ["red cup", "", "red cup", "blue cup"])
        said = mine.run(*words, "--check", "--problems", tmp_path / "bad.csv")
        assert said.code == 3, said.err
        found = said.json
        assert (found["rows"], found["valid"], found["invalid"]) == (4, 3, 1)
        assert (found["duplicates"], found["calls"]) == (0, 3)  # the keys differ
        assert found["problems"] == [{"row": 3, "said": "Row 3 has no prompt."}]
        assert found["cost"]["said"] == "About 0.12 USD; may pay twice, up to 0.48 USD"
        assert found["disk"]["needed"] == 6_000_000
        assert "Row 3 has no prompt." in (tmp_path / "bad.csv").read_text(encoding="utf-8-sig")
        table.write_text("prompt\nred cup\nred cup\nblue cup\n", encoding="utf-8")
        kept = mine.run(*words[:-1], "--check")
        assert kept.code == 0, kept.err
        assert "1 row asks for exactly what a row above asks for (row 3)." in kept.out
        assert shop.ledger()["billed"] == 0
        done = mine.run(*words, "--duplicates", "skip")
        assert (done.code, done.json["imported"], done.json["success"]) == (0, 2, 2)
        assert shop.ledger()["billed"] == 2


def test_a_trial_then_other_rows_then_the_rest_each_once(tmp_path: Path) -> None:
    mine, table = program(tmp_path), tmp_path / "cups.csv"
    words = ("run", sheet(table, CUPS), "--connection", "shop", "--out", tmp_path / "out", "--json")
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop)
        shown = mine.run(*words, "--check", "--trial", "3", "--random", "--seed", "7").json["trial"]
        tried = mine.run(*words, "--trial", "3", "--random", "--seed", "7")
        assert tried.code == 0, tried.err
        assert (tried.json["exit_reason"], tried.json["imported"]) == ("trial", 9)
        assert (tried.json["success"], tried.json["pending"]) == (3, 6)
        assert "resume --batch 1 --rest" in tried.err
        assert set(shop.ledger()["prompts"]) == prints(*(row - 2 for row in shown))
        # Resuming lets nothing loose that was not tried.
        assert mine.run("resume", "--json").json["success"] == 3
        other = next(row for row in range(2, 11) if row not in shown)
        more = mine.run(*words, "--trial-rows", str(other))
        assert (more.code, more.json["batch"], more.json["success"]) == (0, 1, 4)
        rest = mine.run("resume", "--batch", "1", "--rest", "--json")
        assert (rest.code, rest.json["success"]) == (0, 9)
        ledger = shop.ledger()
        assert (ledger["billed"], ledger["billed_twice"]) == (9, 0)
        late = mine.run(*words, "--trial", "2")
        assert (late.code, late.json["code"]) == (2, "services.trial_late")


def test_rows_that_any_earlier_run_has_done_are_skipped(tmp_path: Path) -> None:
    mine, table = program(tmp_path), tmp_path / "cups.csv"
    words = ("run", sheet(table, CUPS[:4]), "--connection", "shop", "--json")
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop)
        assert mine.run(*words, "--limit", "2").code == 0
        sheet(table, [*CUPS[:4], "new cup"])
        assert mine.run(*words).json["code"] == "services.ran_before"
        assert mine.run(*words, "--earlier", "failed").json["code"] == "services.nothing_left"
        rest = mine.run(*words, "--earlier", "skip")
        assert (rest.code, rest.json["batch"], rest.json["imported"]) == (0, 2, 3)
        # The second run alone does not know of the first one's rows.
        assert mine.run(*words, "--earlier", "skip").json["code"] == "services.nothing_left"
        changed = mine.run(*words, "--earlier", "changed")
        assert (changed.code, changed.json["imported"]) == (0, 3)
        ledger = shop.ledger()
        assert (ledger["billed"], ledger["billed_twice"]) == (5, 0)


def test_a_trial_that_was_killed_goes_on_as_a_trial(tmp_path: Path) -> None:
    mine, table = program(tmp_path), sheet(tmp_path / "cups.csv", CUPS)
    words = ("run", table, "--connection", "shop", "--out", tmp_path / "out", "--json")
    slow = {"mean_s": 0.5, "concurrency": 1}
    with provider(slow, tmp_path) as shop:
        mine.connect(shop, "--concurrency", "1", "--on-unknown", "resend")
        with mine.running(*words, "--trial-rows", "3, 6-7") as process:
            wait_for("a call", lambda: shop.ledger()["prompts"])
            kill_group(process)
        done = mine.run("resume", "--json")
        assert done.code == 0, done.err
        assert (done.json["exit_reason"], done.json["success"]) == ("trial", 3)
        assert (done.json["imported"], done.json["pending"]) == (9, 6)
        assert set(shop.ledger()["prompts"]) == prints(1, 4, 5)
        rest = mine.run(*words)
        assert (rest.code, rest.json["batch"], rest.json["success"]) == (0, 1, 9)
        assert set(shop.ledger()["prompts"]) == prints(*range(9))
