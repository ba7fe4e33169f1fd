"""Rows that name dearer models, on the real program: what each costs is told, and caps count it."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.program import KEY, Program, provider


def test_each_row_costs_what_its_model_does_and_the_cap_holds(tmp_path: Path) -> None:
    table = tmp_path / "cups.csv"
    models = ("", "big", "small", "big", "big", "")
    rows = "".join(f"cup {n},{model}\n" for n, model in enumerate(models))
    table.write_text("prompt,which\n" + rows, "utf-8")
    mine = Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
    with provider({"mean_s": 0.05, "concurrency": 4}, tmp_path) as shop:
        mine.connect(
            shop, "--concurrency", "1", "--price", "0.10", "--unit", "image", "--currency", "USD",
            "--model-price", "big=0.50", "--model-price", "small=0.01",
        )  # fmt: skip
        done = mine.run(
            "run", table, "--connection", "shop", "--out", tmp_path / "out",
            "--param", "model=@which", "--budget", "1.15", "--json",
        )  # fmt: skip
        # 0.10 + 0.50 + 0.01 + 0.50 = 1.11; another 0.50 would be beyond the cap.
        assert (done.code, done.json["exit_reason"]) == (4, "budget"), done.err
        assert done.json["spent"] == [{"amount": "1.11", "currency": "USD"}]
        assert shop.ledger()["billed"] == 4
        done = mine.run("resume", "--budget", "9", "--json")
        assert done.code == 0, done.err
        assert done.json["spent"] == [{"amount": "1.71", "currency": "USD"}]
    batch = str(done.json["batch"])
    told = [row["cost"] for row in mine.run("tasks", "--batch", batch, "--json").json]
    assert told == [f"{cost} USD" for cost in ("0.10", "0.50", "0.01", "0.50", "0.50", "0.10")]
