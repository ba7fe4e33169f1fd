"""Several results a row on the real program: what was paid for is there, also after kill -9."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from PIL import Image

from tests.e2e.program import KEY, Program, kill_group, provider, sheet, wait_for

THREE_SMALL = ("--param", "n=3", "--param", "size=128x128")
QUICK = {"mean_s": 0.05, "concurrency": 4}


def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})


def test_every_picture_of_a_row_is_kept_named_and_priced(tmp_path: Path) -> None:
    mine = program(tmp_path)
    out, table = tmp_path / "out", tmp_path / "cups.csv"
    table.write_text("sku,prompt,n\ncup,red cup,3\nCUP,blue cup,2\njug,green jug,\n", "utf-8")
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop, "--price", "0.10", "--unit", "image", "--currency", "USD")
        done = mine.run(
            "run", table, "--connection", "shop", "--out", out, "--key-column", "sku",
            "--param", "n=@n", "--param", "size=128x128", "--json",
        )  # fmt: skip
        assert done.code == 0, done.err
        assert shop.ledger()["billed"] == 3
    batch = str(done.json["batch"])
    rows = mine.run("tasks", "--batch", batch, "--json").json
    assert [len(row["files"]) for row in rows] == [3, 2, 1]
    files = [Path(path) for row in rows for path in row["files"]]
    assert mine.run("status", "--json").json["results"] == len(files) == 6
    assert sorted(files) == sorted(out.glob("*.png"))
    assert len({file.name.casefold() for file in files}) == 6
    assert len({file.read_bytes() for file in files}) == 6
    for file in files:
        Image.open(file).load()
    assert [row["cost"] for row in rows] == ["0.30 USD", "0.20 USD", "0.10 USD"]
    said = mine.run("export", "results", "--batch", batch, "--to", tmp_path / "all.jsonl")
    assert said.code == 0, said.err
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    assert [line["files"] for line in lines] == [row["files"] for row in rows]


def test_every_answer_of_a_chat_is_kept(tmp_path: Path) -> None:
    mine, out = program(tmp_path), tmp_path / "out"
    table = sheet(tmp_path / "faq.csv", ["why?"])
    with provider(QUICK, tmp_path) as shop:
        added = mine.run(
            "connection", "add", "shop", "--adapter", "openai-chat", "--base-url", shop.base_url,
            "--model", "practice-chat", "--proxy", "none", "--extra", '{"n": 4}',
        )  # fmt: skip
        assert added.code == 0, added.err
        done = mine.run("run", table, "--connection", "shop", "--out", out, "--json")
        assert done.code == 0, done.err
    answers = [path.read_text("utf-8") for path in sorted(out.glob("*.txt"))]
    assert sorted(answers) == [f"Practice answer {n}. You asked: why?" for n in (1, 2, 3, 4)]
    said = mine.run("export", "results", "--batch", "1", "--to", tmp_path / "all.csv")
    assert said.code == 0, said.err
    with (tmp_path / "all.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert all(answer in row["text"] for answer in answers)
    assert len(row["files"].splitlines()) == 4


def test_one_that_is_no_picture_is_told_and_the_others_stay(tmp_path: Path) -> None:
    mine, out = program(tmp_path), tmp_path / "out"
    table = sheet(tmp_path / "cups.csv", ["red cup [[badimage]]", "blue cup"])
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop, "--price", "0.10", "--unit", "image", "--currency", "USD")
        done = mine.run("run", table, "--connection", "shop", "--out", out, *THREE_SMALL, "--json")
        assert done.code == 0, done.err
        assert shop.ledger()["attempts"] == 2
    assert done.json["in_part"] == mine.run("status", "--json").json["in_part"] == 1
    assert "Came in part  1" in mine.run("status").out
    row, other = mine.run("tasks", "--batch", str(done.json["batch"]), "--json").json
    assert (row["state"], row["flags"], row["cost"]) == ("success", ["partial"], "0.30 USD")
    assert (len(row["files"]), len(other["files"])) == (2, 3)
    assert sorted(map(Path, row["files"] + other["files"])) == sorted(out.glob("*.png"))


def test_a_cap_counts_every_picture(tmp_path: Path) -> None:
    mine = program(tmp_path)
    table = sheet(tmp_path / "cups.csv", ["red cup", "blue cup", "green cup"])
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop, "--price", "0.10", "--unit", "image", "--currency", "USD")
        mine.run(
            "run", table, "--connection", "shop", "--out", tmp_path / "out", *THREE_SMALL,
            "--budget", "0.65", "--json",
        )  # fmt: skip
        assert shop.ledger()["billed"] == 2
    assert len(list((tmp_path / "out").glob("*.png"))) == 6


def test_killed_among_groups_nothing_is_lost_or_bought_twice(tmp_path: Path) -> None:
    mine, out = program(tmp_path), tmp_path / "out"
    table = sheet(tmp_path / "cups.csv", [f"cup {n}" for n in range(24)])
    run = ("run", table, "--connection", "shop", "--out", out, *THREE_SMALL)
    with provider({"mean_s": 0.2, "concurrency": 4}, tmp_path) as shop:
        mine.connect(shop, "--on-unknown", "hold", "--price", "1")
        for verb, least in ((run, 4), (("resume",), 10), (("resume",), 16)):
            with mine.running(*verb) as process:
                wait_for("some", lambda least=least: shop.ledger()["billed"] >= least)
                kill_group(process)
        last = mine.run("resume", "--json")
        ledger = shop.ledger()
    assert last.code in (0, 3), last.err
    assert ledger["billed_twice"] == 0
    rows = mine.run("tasks", "--batch", "1", "--json").json
    done = [row for row in rows if row["state"] == "success"]
    assert {row["state"] for row in rows} <= {"success", "uncertain"}
    # At most what was on the wire at each kill is uncertain.
    assert len(rows) - len(done) <= 3 * 4
    assert all((len(row["files"]), row["flags"]) == (3, []) for row in done)
    files = [Path(path) for row in done for path in row["files"]]
    assert sorted(set(files)) == sorted(out.glob("*.png"))
    assert len(set(files)) == len(files)
    for path in files:
        Image.open(path).load()
    assert not list(out.glob(".bw-*"))
