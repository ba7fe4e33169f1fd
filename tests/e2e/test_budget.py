"""A cap of money on the real program, counted by the provider itself."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.program import KEY, Program, provider, sheet, wait_for


def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})


def test_the_provider_never_bills_beyond_the_cap(tmp_path: Path) -> None:
    prompts = [f"cup {n}" for n in range(12)]
    prompts[1], prompts[3] = "cup [[drop]]", "cup [[500:1]]"
    table = sheet(tmp_path / "cups.csv", prompts)
    mine = program(tmp_path)
    config = {"mean_s": 0.05, "concurrency": 4}
    with provider(config, tmp_path) as shop:
        mine.connect(shop, "--price", "0.10", "--unit", "image", "--on-unknown", "hold")
        out = tmp_path / "out"
        words = ("run", table, "--connection", "shop", "--out", out, "--budget", "0.55", "--json")
        done = mine.run(*words)
        assert done.code == 4, done.err
        said = done.json
        assert said["exit_reason"] == "budget"
        assert said["budget"] == {"amount": "0.55", "currency": "USD"}
        assert said["spent"] == [{"amount": "0.40", "currency": "USD"}]
        assert said["reserved"] == [{"amount": "0.10", "currency": "USD"}]  # the dropped answer
        assert (said["uncertain"], said["maybe_double"]) == (1, 0)
        assert billed(shop) == 5
        done = mine.run("resume", "--budget", "0.75", "--json")
        assert (done.code, billed(shop)) == (4, 7)
        done = mine.run("resume", "--budget", "9", "--json")
        assert (done.code, billed(shop)) == (3, 12)
        assert done.json["success"] == 11


def test_a_kill_does_not_loosen_the_cap(tmp_path: Path) -> None:
    table = sheet(tmp_path / "cups.csv", [f"cup {n}" for n in range(20)])
    mine = program(tmp_path)
    with provider({"mean_s": 0.4, "concurrency": 4}, tmp_path) as shop:
        mine.connect(shop, "--price", "0.10", "--unit", "image", "--on-unknown", "hold")
        words = ("run", table, "--connection", "shop", "--out", tmp_path / "out")
        with mine.running(*words, "--budget", "1"):
            wait_for("four answers", lambda: billed(shop) >= 4)
        for _ in range(2):
            done = mine.run("resume", "--json")
            assert done.code == 4, done.err
        said = done.json
        held = sum(float(m["amount"]) for m in (*said["spent"], *said["reserved"]))
        assert 0.85 < held < 1.01
        assert billed(shop) <= 10


def test_a_refused_prompt_holds_no_money_and_is_no_double_when_sent_again(tmp_path: Path) -> None:
    table = sheet(tmp_path / "cups.csv", ["cup", "cup [[moderate]]"])
    mine = program(tmp_path)
    with provider({"mean_s": 0.05}, tmp_path) as shop:
        mine.connect(shop, "--price", "0.10", "--unit", "image", "--on-unknown", "hold")
        out = tmp_path / "out"
        done = mine.run("run", table, "--connection", "shop", "--out", out, "--budget", "0.25")
        assert done.code == 3, done.err
        for _ in range(2):  # with money held by either refusal the cap would end this
            assert mine.run("requeue", "--batch", "1").code == 0
            done = mine.run("resume", "--batch", "1", "--json")
            assert (done.code, done.json["failed"]) == (3, 1), done.err
        assert (done.json["reserved"], done.json["maybe_double"]) == ([], 0)
        assert (billed(shop), done.json["attempts"]) == (1, 4)


def billed(shop: object) -> int:
    return int(shop.ledger()["billed"])  # type: ignore[attr-defined]
