"""A sheet that comes again with a changed row, on the real program."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.program import KEY, Program, provider, sheet


def test_only_changed_and_new_rows_are_paid_for(tmp_path: Path) -> None:
    mine = Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
    table, out = tmp_path / "cups.csv", tmp_path / "out"
    words = ("run", table, "--connection", "shop", "--out", out, "--key-column", "sku", "--json")
    with provider({"mean_s": 0.05, "concurrency": 4}, tmp_path) as shop:
        mine.connect(shop)
        sheet(table, ["red cup", "blue cup", "green cup"])
        refused = mine.run(*words, "--update")
        assert refused.code == 2
        assert "has not run before" in refused.err
        first = mine.run(*words)
        assert first.code == 0, first.err
        sheet(table, ["red cup", "navy cup", "green cup", "pink cup"])
        done = mine.run(*words, "--update")
        assert done.code == 0, done.err
        assert "1 rows changed, 1 came in" in done.err
        assert done.json["batch"] == first.json["batch"]
        assert (done.json["imported"], done.json["success"]) == (4, 4)
        ledger = shop.ledger()
        assert (ledger["billed"], ledger["billed_twice"]) == (5, 0)
        # The older picture is history beside the newer one; nothing was overwritten.
        assert len(list(out.glob("0003_*.png"))) == 2
        assert mine.run(*words).code == 0
        assert shop.ledger()["billed"] == 5
