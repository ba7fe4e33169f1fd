"""A sheet that comes again with a changed row, on the real program."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.e2e.program import KEY, Program, Provider, provider, sheet, wait_for

QUICK = {"mean_s": 0.05, "concurrency": 4}


def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})


def asked(shop: Provider) -> set[str]:
    """The prompts that the provider was asked for, as it keeps them."""
    return set(shop.ledger()["prompts"])


def prints(*prompts: str) -> set[str]:
    return {hashlib.sha256(prompt.encode()).hexdigest() for prompt in prompts}


def test_only_changed_and_new_rows_are_paid_for(tmp_path: Path) -> None:
    mine = program(tmp_path)
    table, out = tmp_path / "cups.csv", tmp_path / "out"
    words = ("run", table, "--connection", "shop", "--out", out, "--key-column", "sku", "--json")
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop, "--price", "0.04", "--unit", "image")
        sheet(table, ["red cup", "blue cup", "green cup"])
        refused = mine.run(*words, "--update")
        assert refused.code == 2
        assert "has not run before" in refused.err
        first = mine.run(*words)
        assert first.code == 0, first.err
        sheet(table, ["red cup", "navy cup", "green cup", "pink cup"])
        # Without a word about the rows that are done nothing is sent.
        stopped = mine.run(*words)
        assert (stopped.code, stopped.json["code"]) == (2, "services.ran_before")
        assert "--update" in stopped.err
        assert "--new" in stopped.err
        assert shop.ledger()["billed"] == 3
        done = mine.run(*words, "--update")
        assert done.code == 0, done.err
        assert "0 changed, 1 new, 2 the same" in done.err
        assert "1 changed row is done or on its way: row 3." in done.err
        assert "--pay-again runs them again, for up to 0.04 USD" in done.err
        assert done.json["batch"] == first.json["batch"]
        assert (done.json["imported"], done.json["success"]) == (4, 4)
        assert (shop.ledger()["billed"], len(list(out.glob("0003_*.png")))) == (4, 1)
        agreed = mine.run(*words, "--update", "--pay-again")
        assert agreed.code == 0, agreed.err
        assert "They run and are paid for again: up to 0.04 USD." in agreed.err
        ledger = shop.ledger()
        assert (ledger["billed"], ledger["billed_twice"]) == (5, 0)
        # The older picture is history beside the newer one; nothing was overwritten.
        assert len(list(out.glob("0003_*.png"))) == 2
        assert mine.run(*words).code == 0
        assert shop.ledger()["billed"] == 5


def test_a_row_put_above_the_others_costs_one_call(tmp_path: Path) -> None:
    mine = program(tmp_path)
    table, out = tmp_path / "cups.csv", tmp_path / "out"
    words = ("run", table, "--connection", "shop", "--out", out, "--json")
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop)
        table.write_text("prompt,note\nred,a\ngreen,b\nblue,c\n")
        assert mine.run(*words).code == 0
        table.write_text("prompt,note\nyellow,d\nred,a\ngreen,b2\nblue,c\n")
        done = mine.run(*words, "--update")
        assert done.code == 0, done.err
        assert "0 changed, 1 new, 3 the same." in done.err
        assert (shop.ledger()["billed"], done.json["success"]) == (4, 4)
        assert len(list(out.glob("0005_yellow.png"))) == 1
        told = tmp_path / "told.csv"
        mine.run("export", "results", "--batch", "1", "--to", told)
        assert "green,b2," in told.read_text("utf-8-sig")


def test_what_is_uncertain_unusable_or_gone_is_told_and_not_sent_unasked(tmp_path: Path) -> None:
    mine = program(tmp_path)
    table, out = tmp_path / "cups.csv", tmp_path / "out"
    words = ("run", table, "--connection", "shop", "--out", out, "--key-column", "sku", "--json")
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop, "--price", "0.04", "--unit", "image")
        sheet(table, ["cup [[drop]]", "blue cup", "green cup", "grey cup"])
        first = mine.run(*words, "--max-calls", "1")
        assert (first.code, first.json["uncertain"], first.json["pending"]) == (4, 1, 3)
        sheet(table, ["another cup", "", "green cup"])
        done = mine.run(*words, "--update", "--gone", "cancel", "--max-calls", "9")
        assert "1 row can't be used as it is now, and is not sent." in done.err
        assert "1 row is no longer in the sheet. 1 that waits is cancelled." in done.err
        assert "1 of them may have been billed and waits for your word." in done.err
        assert (done.code, done.json["imported"]) == (3, 4)
        states = ("uncertain", "failed", "success", "cancelled")
        assert [done.json[state] for state in states] == [1, 1, 1, 1]
        assert asked(shop) == prints("cup [[drop]]", "green cup")
        paid = mine.run(*words, "--update", "--pay-again")
        assert (paid.json["uncertain"], paid.json["maybe_double"]) == (0, 1)
        assert paid.json["success"] == 2


def test_a_sheet_is_not_run_beside_another_instance(tmp_path: Path) -> None:
    mine = program(tmp_path)
    table = tmp_path / "cups.csv"
    sheet(table, ["red cup [[slow]]"])
    with provider({**QUICK, "slow_factor": 60_000.0}, tmp_path) as shop:
        mine.connect(shop)
        with mine.running("run", table, "--connection", "shop", "--out", tmp_path / "out"):
            wait_for("the first", lambda: asked(shop))
            second = mine.run("run", table, "--connection", "shop", "--update")
    assert second.code == 5
    assert "Import cups.csv in its window, or wait until it has ended." in second.err


def test_price_and_priority_are_named_with_the_run(tmp_path: Path) -> None:
    mine = program(tmp_path)
    table, out = tmp_path / "cups.csv", tmp_path / "out"
    table.write_text("prompt,rank\nred,1\ngreen,3\nblue,2\n")
    words = ("run", table, "--connection", "shop", "--out", out, "--json")
    with provider({"mean_s": 0.05, "concurrency": 1}, tmp_path) as shop:
        mine.connect(shop, "--concurrency", "1")
        more = ("--price", "0.40/image", "--currency", "cny", "--budget", "1")
        done = mine.run(*words, *more, "--priority-column", "rank")
        assert (done.code, done.json["success"]) == (4, 2), done.err
        assert asked(shop) == prints("blue", "green")
        shown = mine.run("connection", "show", "shop", "--json")
        assert shown.json["price"] == "0.40 CNY/image"
        for wrong in (["--price", "x"], ["--price", "1/kilo"], ["--currency", "CNY"]):
            assert mine.run(*words, *wrong).code == 2


def test_a_copy_under_another_name_pays_for_its_edited_rows_alone(tmp_path: Path) -> None:
    mine = program(tmp_path)
    first, copy = tmp_path / "prompts.csv", tmp_path / "prompts (1).csv"
    sheet(first, ["red cup", "blue cup", "green cup"])
    sheet(copy, ["red cup", "navy cup", "green cup", "pink cup"])

    def words(table: Path, *more: str) -> tuple[object, ...]:
        keyed = ("--connection", "shop", "--key-column", "sku", *more)
        return ("run", table, *keyed, "--out", tmp_path / f"out {table.stem}", "--json")

    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop, "--price", "0.04", "--unit", "image")
        for choice in ("failed", "changed"):
            refused = mine.run(*words(first, "--earlier", choice))
            assert (refused.code, refused.json["code"]) == (2, "services.none_earlier")
        done = mine.run(*words(first, "--earlier", "skip"))
        assert (done.code, done.json["success"]) == (0, 3)
        assert "No earlier run of this sheet is known." in done.err
        told = mine.run(*words(copy)[:-1], "--check")
        assert "2 of these rows ask for exactly what batch 1 (prompts) has done." in told.out
        assert "They are left out" in told.out
        assert "Calls: 2" in told.out
        report = mine.run(*words(copy, "--check")).json
        assert report["asked"] == [{"batch": 1, "name": "prompts", "done": 2, "waiting": 0}]
        ran = mine.run(*words(copy))
        assert (ran.code, ran.json["imported"]) == (0, 2), ran.err
        assert "2 of these rows ask for exactly what batch 1 (prompts) has done." in ran.err
        ledger = shop.ledger()
        assert (ledger["billed"], ledger["billed_twice"]) == (5, 0)
        assert asked(shop) == prints("red cup", "blue cup", "green cup", "navy cup", "pink cup")
        left = mine.run(*words(copy, "--earlier", "skip"))
        assert (left.code, left.json["code"]) == (2, "services.nothing_left")
        again = mine.run(*words(copy, "--earlier", "all"))
        assert (again.code, again.json["success"]) == (0, 4)


def test_a_sheet_of_failures_is_not_run_as_a_new_one_unasked(tmp_path: Path) -> None:
    mine = program(tmp_path)
    table, failures = tmp_path / "cups.csv", tmp_path / "failures.xlsx"
    sheet(table, ["red cup", "[[400]] cup"])
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop)
        words = ("--connection", "shop", "--out", tmp_path / "out", "--json")
        assert mine.run("run", table, *words).code == 3
        mine.run("export", "failures", "--batch", "1", "--to", failures)
        refused = mine.run("run", failures, *words)
        assert (refused.code, refused.json["code"]) == (2, "services.is_failure_sheet")
        assert "requeue --from failures.xlsx" in refused.err
        assert mine.run("run", failures, *words, "--new", "--check").code == 0
