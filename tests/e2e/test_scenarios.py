"""Real trouble from other tools' trackers, on the real program: sheet in, calls out, files out.

Where a scenario needs no process it is tested in its room alone. S02 (a job polled past the
client's threshold) waits for the adapters whose API has jobs.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import json
import urllib.request
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.e2e.program import KEY, Program, Provider, provider, sheet

CALM = {"concurrency": 0, "qps": 0, "mean_s": 1.0, "sigma": 0.2, "time_scale": 0.02}
HOLD = ("--headroom", "1", "--on-unknown", "hold", "--price", "1")
SMALL = ("--param", "size=64x64")


def connect_chat(program: Program, shop: Provider, *args: str) -> None:
    """Text costs the test nothing to draw."""
    done = program.run(
        "connection", "add", "shop", "--adapter", "openai-chat", "--base-url", shop.base_url,
        "--model", "practice-chat", "--proxy", "none", *args,
    )  # fmt: skip
    assert done.code == 0, done.err


def reset(shop: Provider, config: dict[str, Any]) -> None:
    url = f"http://127.0.0.1:{shop.port}/_practice/reset"
    asked = urllib.request.Request(
        url, json.dumps(config).encode(), {"Authorization": f"Bearer {KEY}"}
    )
    with urllib.request.urlopen(asked, timeout=10) as answer:
        answer.read()


def names_of(prompts: Sequence[str]) -> set[str]:
    """What the provider's ledger calls these prompts: a hash of the very bytes it got."""
    return {hashlib.sha256(prompt.encode()).hexdigest() for prompt in prompts}


def run(program: Program, source: Path, out: Path, *args: str) -> Any:
    return program.run("--json", "run", source, "--connection", "shop", "--out", out, *args)


IN_DOUBT = ("drop", "504", "hang", "truncated", "badjson", "badimage")
REFUSED = ("empty", "moderate")


def test_s01_s03_s07_what_may_have_been_billed_is_sent_once_and_says_why(
    program: Program, tmp_path: Path
) -> None:
    kinds = [*IN_DOUBT, *REFUSED]
    source = sheet(tmp_path / "bad.csv", [*(f"cup [[{kind}]]" for kind in kinds), "cup"])
    with provider(CALM, tmp_path) as shop:
        program.connect(shop, "--concurrency", "4", "--timeout", "3", *HOLD)
        done = run(program, source, tmp_path / "out", *SMALL)
        told = shop.ledger()
    assert done.code == 3, done.err
    assert told["attempts"] == len(kinds) + 1
    rows = {row["prompt"]: row for row in program.run("--json", "tasks", "--batch", "1").json}
    assert {rows[f"cup [[{kind}]]"]["state"] for kind in IN_DOUBT} == {"uncertain"}
    assert {rows[f"cup [[{kind}]]"]["state"] for kind in REFUSED} == {"failed"}
    assert {rows[f"cup [[{kind}]]"]["error_class"] for kind in REFUSED} == {"refused"}
    assert rows["cup"]["state"] == "success"
    assert all(rows[f"cup [[{kind}]]"]["error"] for kind in kinds)
    assert sorted(file.suffix for file in (tmp_path / "out").iterdir()) == [".jsonl", ".png"]


def test_s04_a_quota_for_the_second_slows_and_no_money_pauses(
    program: Program, tmp_path: Path
) -> None:
    with provider(CALM, tmp_path) as shop:
        connect_chat(program, shop, "--concurrency", "4", "--headroom", "1")
        soft = sheet(tmp_path / "soft.csv", [*("cup [[softquota:1]]",) * 2, "a", "b", "c"])
        done = run(program, soft, tmp_path / "out")
        assert (done.code, done.json["success"]) == (0, 5), done.err
        hard = sheet(tmp_path / "hard.csv", [f"cup {n} [[quota]]" for n in range(40)])
        done = run(program, hard, tmp_path / "out")
    assert (done.code, done.json["exit_reason"]) == (4, "account"), done.err
    assert (done.json["pending"], done.json["imported"]) == (40, 40)
    assert done.json["attempts"] <= 4


@pytest.mark.long
def test_s05_rows_survive_minutes_of_nothing_but_429(program: Program, tmp_path: Path) -> None:
    """Six seconds in which one call a second is let in, then an open door."""
    rows = 120
    source = sheet(tmp_path / "storm.csv", [f"lamp {n}" for n in range(rows)])
    storm = {"concurrency": 0, "qps": 0.05, "burst": 1, "mean_s": 1.0, "sigma": 0.2}
    storm |= {"time_scale": 0.05, "tell_limits": False}
    storm |= {"schedule": [{"at_s": 120, "qps": 20, "burst": 20}]}
    with provider(storm, tmp_path) as shop:
        connect_chat(program, shop, "--concurrency", "50", "--headroom", "1")
        done = run(program, source, tmp_path / "out")
        told = shop.ledger()
    assert (done.code, done.json["success"]) == (0, rows), done.err
    assert told["billed_twice"] == 0
    # The first burst and a few that ask again: the rate fell, nobody hammered.
    assert 0 < told["refused_429"] < rows
    tasks = program.run("--json", "tasks", "--batch", "1").json
    assert {task["retries"] for task in tasks} == {0}


CHINESE = ["红色运动鞋，白底", "一只猫坐在“窗台”上", "鲜花——玫瑰、百合", "价格：￥99", "plain"]
ENCODINGS = {
    "gbk": "gbk",
    "wps": "gb18030",
    "bom": "utf-8-sig",
    "utf16": "utf-16",
    "utf8": "utf-8",
}


def test_s10_the_same_prompts_arrive_from_every_encoding(program: Program, tmp_path: Path) -> None:
    text = "编号,提示词\r\n" + "".join(f"{n},{p}\r\n" for n, p in enumerate(CHINESE))
    with provider(CALM, tmp_path) as shop:
        connect_chat(program, shop, "--concurrency", "4", "--headroom", "1")
        for name, encoding in ENCODINGS.items():
            source = tmp_path / f"{name}.csv"
            source.write_bytes(codecs.encode(text, encoding))
            reset(shop, CALM)
            done = run(program, source, tmp_path / name, "--new", "--prompt-column", "提示词")
            assert (done.code, done.json["success"]) == (0, 5), (name, done.err)
            assert set(shop.ledger()["prompts"]) == names_of(CHINESE), name


def test_s11_cells_arrive_byte_for_byte(program: Program, tmp_path: Path) -> None:
    prompts = ["00123", '"""Foo"""', "ends in a return\r", "1e5", "  two blanks", "a\nb", "TRUE"]
    source = tmp_path / "cells.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([["prompt"], *([p] for p in prompts)])
    with provider(CALM, tmp_path) as shop:
        connect_chat(program, shop, "--concurrency", "4", "--headroom", "1")
        done = run(program, source, tmp_path / "out")
        assert (done.code, done.json["success"]) == (0, len(prompts)), done.err
        assert set(shop.ledger()["prompts"]) == names_of(prompts)


def test_s12_a_batch_whose_rows_all_fail_does_not_say_completed(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "all.csv", [f"cup {n} [[moderate]]" for n in range(30)])
    with provider(CALM, tmp_path) as shop:
        connect_chat(program, shop, "--concurrency", "4", "--headroom", "1")
        done = program.run("run", source, "--connection", "shop", "--out", tmp_path / "out")
    assert done.code == 3
    assert "30 = 30 failed" in done.out
    assert "Edit the prompt and requeue" in done.out
    status = program.run("--json", "status").json
    assert (status["imported"], status["failed"]) == (30, 30)
    assert status["exit_reason"] == "dead_letters"


@pytest.mark.long
def test_s13_s21_requeue_takes_all_that_match_and_no_burst_follows(
    program: Program, tmp_path: Path
) -> None:
    rows = 1100  # more than any page holds
    source = sheet(tmp_path / "many.csv", [f"cup {n}" for n in range(rows)])
    quick = {"concurrency": 20, "qps": 0, "mean_s": 0.1, "quick_s": 0.1, "time_scale": 0.02}
    with provider({**quick, "trouble": {"moderate": 1.0}}, tmp_path) as shop:
        connect_chat(program, shop, "--concurrency", "20", "--headroom", "1")
        done = run(program, source, tmp_path / "out")
        assert (done.code, done.json["failed"]) == (3, rows), done.err
        reset(shop, quick)
        requeued = program.run("--json", "requeue", "--batch", "1")
        assert requeued.code == 0, requeued.err
        status = program.run("--json", "status").json
        assert (status["pending"], status["failed"]) == (rows, 0)
        # A second click finds nothing more to do, and nothing is sent before resume.
        assert program.run("--json", "requeue", "--batch", "1").code == 0
        assert shop.ledger()["attempts"] == 0
        done = program.run("--json", "resume")
        told = shop.ledger()
    assert (done.code, done.json["success"]) == (0, rows), done.err
    assert (told["billed"], told["billed_twice"]) == (rows, 0)
    assert told["max_in_flight"] <= 20


FORBIDDEN = set('<>:"/\\|?*')


def test_s14_equal_and_impossible_names_keep_every_file(program: Program, tmp_path: Path) -> None:
    long = "红色运动鞋👟：白底/侧面?" * 25  # 300 characters
    keys = ["same", "same", "SAME", long, long, "con", "dots...", "..", "a/../../b", "x" * 300]
    source = tmp_path / "names.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([["sku", "prompt"], *([k, f"cup {n}"] for n, k in enumerate(keys))])
    out = tmp_path / "out"
    with provider(CALM, tmp_path) as shop:
        connect_chat(program, shop, "--concurrency", "4", "--headroom", "1")
        done = run(program, source, out, "--key-column", "sku")
    assert (done.code, done.json["success"]) == (0, len(keys)), done.err
    files = [path for path in tmp_path.rglob("*") if path.suffix in (".txt", ".md")]
    assert len(files) == len(keys)
    assert all(path.is_relative_to(out) for path in files)
    assert len({path.name.casefold() for path in files}) == len(keys)
    for path in files:
        assert not FORBIDDEN & set(path.name)
        assert len(path.name.encode()) <= 255
        assert not path.stem.endswith((".", " "))
        assert path.stem.partition(".")[0].casefold() not in ("con", "nul", "aux", "prn")


def test_s15_without_a_key_the_way_out_is_said(program: Program, tmp_path: Path) -> None:
    source = sheet(tmp_path / "rows.csv", ["a", "b"])
    with provider(CALM, tmp_path) as shop:
        connect_chat(program, shop)
        for env in ({}, {"BATCHWRIGHT_KEY_SHOP": ""}, {"BATCHWRIGHT_KEY_SHOP": "   "}):
            done = run(Program(program.data, env), source, tmp_path / "out")
            assert done.code == 4, (env, done.err)
            assert "BATCHWRIGHT_KEY_SHOP" in " ".join(done.json["said"])
        told = shop.ledger()
    assert told["attempts"] == 0


FORMULAS = ['=HYPERLINK("http://x.example","click")', "+1+1", "@SUM(A1)", "-2", "plain", "'=1"]


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_s19_an_export_is_inert_and_unchanged_when_imported_again(
    program: Program, tmp_path: Path, suffix: str
) -> None:
    source = tmp_path / "formulas.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["prompt"], *([p] for p in FORMULAS)])
    target = tmp_path / f"results.{suffix}"
    with provider(CALM, tmp_path) as shop:
        connect_chat(program, shop, "--concurrency", "2", "--headroom", "1")
        assert run(program, source, tmp_path / "out").code == 0
        exported = program.run("export", "results", "--batch", "1", "--to", target)
        assert exported.code == 0, exported.err
        reset(shop, CALM)
        done = run(program, target, tmp_path / "again", "--prompt-column", "prompt")
        assert (done.code, done.json["success"]) == (0, len(FORMULAS)), done.err
        assert set(shop.ledger()["prompts"]) == names_of(FORMULAS)
    if suffix == "xlsx":
        book = openpyxl.load_workbook(target)
        cells = [cell for sheet_ in book for row in sheet_ for cell in row]
        book.close()
        assert not [cell.value for cell in cells if cell.data_type == "f"]
    else:
        with target.open(encoding="utf-8-sig", newline="") as file:
            values = [value for row in csv.reader(file) for value in row]
        assert not [value for value in values if value[:1] in ("=", "+", "@", "\t", "\r")]


def test_s20_the_key_is_in_no_file_and_no_word(program: Program, tmp_path: Path) -> None:
    prompts = ["cup", "cup [[500]]", "cup [[401]]", "cup [[drop]]", "cup [[badjson]]"]
    source = sheet(tmp_path / "rows.csv", prompts)
    with provider(CALM, tmp_path) as shop:
        program.connect(shop, "--concurrency", "1", "--retries", "1", *HOLD)
        said = [
            run(program, source, tmp_path / "out", *SMALL),
            program.run("--json", "connection", "show", "shop"),
            program.run("export", "results", "--batch", "1", "--to", tmp_path / "r.jsonl"),
            program.run("export", "failures", "--batch", "1", "--to", tmp_path / "f.csv"),
        ]
    assert KEY not in "".join(done.out + done.err for done in said)
    mine = [program.data, tmp_path / "out", tmp_path / "r.jsonl", tmp_path / "f.csv"]
    files = [f for place in mine for f in (place.rglob("*") if place.is_dir() else [place])]
    looked_at = Counter(file.suffix for file in files if file.is_file())
    assert looked_at[".jsonl"] == 2  # the export, and the list beside the pictures
    assert sum(looked_at.values()) > 4
    assert [f for f in files if f.is_file() and KEY.encode() in f.read_bytes()] == []
