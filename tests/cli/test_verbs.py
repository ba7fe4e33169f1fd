"""The verbs in this process: what is not there is one sentence, connections are kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.cli.conftest import Verbs
from tests.e2e.program import KEY, provider, sheet

HOLD = ("--headroom", "1", "--on-unknown", "hold", "--price", "0.25")
QUICK = {"concurrency": 40, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}


def tasks(verbs: Verbs, batch: int = 1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = verbs.run("--json", "tasks", "--batch", str(batch)).json
    return found


def test_a_person_decides_about_dead_letters(verbs: Verbs, tmp_path: Path) -> None:
    kinds = ["drop", "truncated", "badjson", "moderate", "400"]
    source = sheet(tmp_path / "t.csv", [*(f"a thing [[{kind}]]" for kind in kinds), "a cup"])
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--concurrency", "6", *HOLD)
        done = verbs.run("--json", "run", source, "--connection", "shop", "--out", tmp_path / "out")
        assert (done.code, done.json["uncertain"], done.json["failed"]) == (3, 3, 2)
        ids = [row["task"] for row in tasks(verbs)]

        assert "can't be asked" in verbs.refused("settle", "--task", ids[0], "--as", "ask")
        picture = tmp_path / "found.png"
        Image.new("RGB", (8, 8)).save(picture)
        attach = ("settle", "--task", ids[0], "--as", "attach")
        verbs.refused(*attach)
        verbs.refused(*attach, source)
        verbs.refused(*attach, tmp_path / "nowhere.png")
        assert verbs.run(*attach, picture).code == 0
        assert "no longer waiting" in verbs.refused(*attach, picture)
        assert verbs.run("settle", "--task", ids[1], "--as", "failed").code == 0
        assert verbs.run("settle", "--task", ids[2], "--as", "resend").code == 0
        requeue = ("requeue", "--batch", "1")
        none = verbs.run(*requeue, "--cause", "no_such")
        assert (none.code, none.out.startswith("Nothing was requeued")) == (0, True)
        assert verbs.run("--json", *requeue, "--cause", "no_such").json["count"] == 0
        codes = {row["error_class"]: row["error_code"] for row in tasks(verbs)}
        by_code = ("--task", ids[3], "--cause", codes["refused"])
        assert verbs.run("--json", *requeue, *by_code).json["count"] == 1
        verbs.refused(*requeue, "--state", "success")
        status = verbs.run("--json", "status").json
        assert (status["pending"], status["exit_reason"]) == (2, "paused")
        assert verbs.run("--json", "cancel").json["count"] == 2
        assert verbs.run("--json", *requeue, "--state", "cancelled").json["count"] == 2
        assert verbs.run("--json", "cancel", "--batch", "1").json["count"] == 2
        final = verbs.run("--json", "status").json
        assert shop.ledger()["attempts"] == 6  # no verb but run and resume sends anything
    states = ("pending", "success", "failed", "dead", "uncertain", "cancelled")
    assert [final[state] for state in states] == [0, 2, 2, 0, 0, 2]
    target = tmp_path / "failures.csv"
    exported = verbs.run("--json", "export", "failures", "--batch", "1", "--to", target)
    assert exported.json == {"path": str(target), "rows": 2, "renamed": False}


def test_what_may_be_paid_twice_is_named_with_its_price(verbs: Verbs, tmp_path: Path) -> None:
    source = sheet(tmp_path / "t.csv", [f"cup {n} [[drop]]" for n in range(4)])
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, *HOLD, "--price", "0.05", "--currency", "USD")
        run = ("run", source, "--connection", "shop", "--out", tmp_path / "out", "--budget", "5")
        done = verbs.run("--json", *run)
        assert (done.code, done.json["uncertain"]) == (3, 4)
        facts = [line.split(maxsplit=1) for line in verbs.run("status").out.splitlines()[1:]]
        assert facts == [["Reserved", "0.20 USD"], ["Cap", "5.00 USD"]]

        left = verbs.run("requeue", "--batch", "1").out
        assert "4 rows may have been billed and were left: settle them" in left
        assert verbs.run("--json", "status").json["uncertain"] == 4
        ids = [row["task"] for row in tasks(verbs)]
        assert "#1  RemoteProtocolError" in verbs.run("attempts", "--task", ids[0]).out
        one = verbs.run("settle", "--task", ids[0], "--as", "resend").out
        assert one.splitlines() == [
            "Done.",
            "It may be paid twice: up to 0.05 USD more.",
            "It is sent once you give: resume --batch 1",
        ]
        rest = verbs.run("--json", "requeue", "--batch", "1", "--state", "uncertain").json
        assert rest == {
            "verb": "requeue",
            "ok": True,
            "count": 3,
            "left_uncertain": 0,
            "may_cost": [{"amount": "0.15", "currency": "USD"}],
            "said": "It may be paid twice: up to 0.15 USD more.",
            "held": [1],
        }
        assert verbs.run("resume", "--batch", "1").code == 3  # lost once more, and paid
        ends = [line.split("  ")[-1].strip() for line in verbs.run("status").out.splitlines()[1:]]
        assert ends == ["0.40 USD", "5.00 USD", "4"]  # reserved, cap, may be paid twice

        every = ("settle", "--batch", "1", "--as")
        verbs.refused(*every, "attach", source)
        two = ("settle", "--task", ids[0], "--task", ids[1], "--as")
        assert "2 rows would be sent again. It may be paid twice: up to 0.10 USD more." in (
            verbs.refused(*two, "resend")
        )
        assert "up to 0.20 USD more. Add --yes" in verbs.refused(*every, "resend")
        assert verbs.run("--json", "status").json["uncertain"] == 4
        said = (
            "2 rows will be sent again.\nIt may be paid twice: up to 0.10 USD more.\n"
            "They are sent once you give: resume --batch 1\n"
        )
        assert verbs.run(*two, "resend", "--yes").out == said
        assert verbs.run(*every, "resend", "--yes").out == said
        assert verbs.run(*every, "failed").out == (
            "Nothing was settled: no row that may have been billed matches.\n"
        )
        assert [row["state"] for row in tasks(verbs)] == ["pending"] * 4


def test_files_found_by_hand_are_attached_by_their_names(verbs: Verbs, tmp_path: Path) -> None:
    lost, out, found = (f"cup {n} [[drop]]" for n in range(3)), tmp_path / "out", tmp_path / "in"
    source = sheet(tmp_path / "t.csv", [*lost, "a fine cup"])
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, *HOLD)
        assert verbs.run("run", source, "--connection", "shop", "--out", out).code == 3
    every = ("settle", "--batch", "1", "--as", "attach")
    assert "A file is attached to one row" in verbs.refused(*every, found)
    found.mkdir()
    assert "No file in" in verbs.refused(*every, found)
    (good,) = out.glob("*.png")
    (found / "0002_K001.PNG").write_bytes(good.read_bytes())
    (found / "0003_K002.png").write_bytes(b"no picture")
    said = verbs.run(*every, found).out
    assert said == "1 row has its file now.\n2 rows have no usable file there and were left.\n"
    states = [row["state"] for row in tasks(verbs)]
    assert states == ["success", "uncertain", "uncertain", "success"]


def test_a_lost_answer_is_asked_for_again_where_calls_are_free(
    verbs: Verbs, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "t.csv", ["a cup [[drop:1]]"])
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url)
        done = verbs.run("--json", "run", source, "--connection", "shop", "--out", tmp_path / "out")
    assert (done.code, done.json["success"], done.json["attempts"]) == (0, 1, 2)


def test_a_row_that_was_no_request_is_never_sent(verbs: Verbs, tmp_path: Path) -> None:
    source = sheet(tmp_path / "t.csv", ["", "a cup"])
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url)
        done = verbs.run("run", source, "--connection", "shop", "--out", tmp_path / "out")
        assert done.code == 3
        assert "Row 2 has no prompt." in done.out
        assert "edit the prompt" in verbs.refused("requeue", "--batch", "1")
        assert verbs.run("resume", "--batch", "1").code == 3
        assert shop.ledger()["attempts"] == 1


def test_connections_are_added_changed_tested_and_removed(verbs: Verbs, tmp_path: Path) -> None:
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--rpm", "60", "--concurrency", "3")
        shown = verbs.run("--json", "connection", "show", "shop").json
        assert (shown["rate"], shown["rate_unit"], shown["concurrency"]) == (60.0, "rpm", 3)
        verbs.connect(shop.base_url, "--qps", "2", "--proxy", "http://me:secret@127.0.0.1:9")
        shown = verbs.run("--json", "connection", "show", "shop")
        assert shown.json["rate_unit"] == "qps"
        assert "secret" not in shown.out
        verbs.connect(shop.base_url)
        assert len(verbs.run("--json", "connection", "list").json) == 1
        tested = verbs.run("--json", "connection", "test", "shop")
        assert (tested.code, tested.json["ok"]) == (0, True)
        verbs.patch.delenv("BATCHWRIGHT_KEY_SHOP")
        keyless = verbs.run("connection", "test", "shop")
        assert keyless.code == 4
        assert "No key is stored" in keyless.out
        assert "connection set-key shop" in keyless.out
        said = verbs.refused("connection", "set-key", "shop")
        assert "empty" in said
        done = verbs.run("connection", "set-key", "shop", stdin=f"{KEY}\n")
        assert done.code == 2
        assert "BATCHWRIGHT_KEY_SHOP" in done.err
        verbs.patch.setenv("BATCHWRIGHT_KEY_SHOP", KEY)
        assert verbs.run("connection", "resume", "shop").code == 0
        assert "shop" in verbs.refused("connection", "show", "nobody")
        assert verbs.run("connection", "remove", "shop").code == 0
        assert verbs.run("--json", "connection", "list").json == []


def test_a_parameter_nobody_knows_is_refused_before_the_import(
    verbs: Verbs, tmp_path: Path
) -> None:
    verbs.connect("http://127.0.0.1:9/v1")
    source = sheet(tmp_path / "t.csv", ["a cup"])
    run = ("run", source, "--connection", "shop", "--out", tmp_path / "out")
    for value in ("1", "@prompt"):
        said = verbs.refused(*run, "--param", f"nosuch={value}")
        assert '"nosuch"' in said
        assert "size" in said
    assert "no batch" in verbs.refused("status", "--batch", "1")


def test_a_sheet_without_a_header_does_not_lose_its_first_prompt(
    verbs: Verbs, tmp_path: Path
) -> None:
    source = tmp_path / "t.csv"
    source.write_text("红色猫\n蓝色狗\n", encoding="utf-8")
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url)
        run = ("--json", "run", source, "--connection", "shop", "--out", tmp_path / "out")
        said = verbs.refused(*run[1:])
        assert "no header row" in said
        assert "红色猫" in said
        done = verbs.run(*run, "--prompt-column", "红色猫")
    assert (done.code, done.json["imported"]) == (0, 1)


@pytest.mark.parametrize(
    ("preset", "given", "shown"),
    [
        ("openai-images", (), (None, None, 0.8)),
        ("deepseek", (), (None, None, 0.8)),
        ("ollama", (), (1, None, 1.0)),
        ("openai-images", ("--concurrency", "10"), (10, None, 0.8)),
        ("openai-images", ("--ipm", "50"), (None, 50.0, 0.8)),
        ("openai-images", ("--tpm", "50000"), (None, None, 0.8)),
    ],
)
def test_only_the_preset_of_ones_own_server_fills_the_calls_at_once(
    verbs: Verbs, preset: str, given: tuple[str, ...], shown: tuple[object, ...]
) -> None:
    done = verbs.run("--json", "connection", "add", "shop", "--preset", preset, *given).json
    assert (done["concurrency"], done["rate"], done["headroom"]) == shown


@pytest.mark.parametrize(
    ("given", "rate", "images"),
    [
        (("--ipm", "60"), (60.0, "ipm"), None),
        (("--qps", "3", "--ipm", "60"), (3.0, "qps"), 60.0),
        (("--rpm", "90"), (90.0, "rpm"), None),
    ],
)
def test_limits_by_the_minute_are_kept_beside_a_rate(
    verbs: Verbs, given: tuple[str, ...], rate: tuple[float, str], images: float | None
) -> None:
    shop = ("connection", "add", "shop", "--preset", "openai-images", "--tpm", "30000")
    verbs.run(*shop, *given)
    shown = verbs.run("--json", "connection", "show", "shop").json
    assert (shown["rate"], shown["rate_unit"]) == rate
    assert (shown["tokens_per_minute"], shown["images_per_minute"]) == (30_000, images)
    assert "tokens_per_minute" in verbs.run("connection", "show", "shop").out


USAGE: Sequence[tuple[str, ...]] = (
    ("status",),
    ("status", "--batch", "9"),
    ("tasks", "--batch", "9"),
    ("attempts", "--task", "nobody"),
    ("export", "results", "--batch", "9", "--to", "x.csv"),
    ("pause",),
    ("cancel",),
    ("cancel", "--batch", "9"),
    ("resume",),
    ("resume", "--batch", "9"),
    ("requeue", "--batch", "9"),
    ("requeue", "--batch", "9", "--task", "nobody"),
    ("settle", "--task", "nobody", "--as", "failed"),
    ("settle", "--task", "nobody", "--as", "dance"),
    ("run", "nowhere.csv", "--connection", "nobody"),
    ("connection", "remove", "nobody"),
    ("practice", "--config", "nowhere.json"),
    ("dance",),
)


@pytest.mark.parametrize("args", USAGE, ids=" ".join)
def test_what_is_not_there_is_one_sentence_and_2(verbs: Verbs, args: tuple[str, ...]) -> None:
    assert verbs.refused(*args)


def test_max_calls_is_never_passed_and_can_be_raised(verbs: Verbs, tmp_path: Path) -> None:
    source = sheet(tmp_path / "s.csv", [f"cup {n}" for n in range(6)])
    run = ("run", source, "--connection", "shop", "--out", tmp_path / "out")
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--concurrency", "4", *HOLD)
        capped = verbs.run("--json", *run, "--max-calls", "2")
        assert (capped.code, capped.json["exit_reason"]) == (4, "budget")
        assert (capped.json["success"], shop.ledger()["attempts"]) == (2, 2)
        assert any("--max-calls" in sentence for sentence in capped.json["said"])
        again = verbs.run("--json", "resume")
        assert (again.code, again.json["success"]) == (4, 2)
        more = verbs.run("--json", "resume", "--max-calls", "3")
        assert (more.code, more.json["success"]) == (4, 3)
        rest = verbs.run("--json", *run, "--max-calls", "100")
        assert (rest.code, rest.json["success"]) == (0, 6)
        assert shop.ledger()["attempts"] == 6


def test_texts_are_files_and_a_cut_one_is_flagged(verbs: Verbs, tmp_path: Path) -> None:
    source = sheet(tmp_path / "s.csv", ["what is a shoe?", "用一句话介绍红色的鞋", "a list"])
    out = tmp_path / "out"
    with provider(QUICK, tmp_path) as shop:
        done = verbs.run(
            "connection", "add", "shop", "--adapter", "openai-chat", "--base-url", shop.base_url,
            "--model", "practice", "--proxy", "none", "--concurrency", "3",
        )  # fmt: skip
        assert done.code == 0, done.err
        run = ("--json", "run", source, "--connection", "shop")
        whole = verbs.run(*run, "--out", out)
        cut = verbs.run(*run, "--new", "--out", tmp_path / "cut", "--param", "max_tokens=3")
    assert (whole.code, whole.json["success"]) == (0, 3)
    files = sorted(file for file in out.iterdir() if file.name != "manifest.jsonl")
    assert [file.name.partition("_")[0] for file in files] == ["0002", "0003", "0004"]
    assert {file.suffix for file in files} <= {".txt", ".md"}
    assert all(file.read_text(encoding="utf-8").strip() for file in files)
    assert (cut.code, cut.json["success"]) == (0, 3)
    assert all("length" in row["flags"] for row in tasks(verbs, 2))
    assert all(row["error"] == "Cut off at the length limit" for row in tasks(verbs, 2))
    assert not any("length" in row["flags"] for row in tasks(verbs, 1))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is text")
def test_what_is_named_in_another_encoding_is_refused_in_a_sentence(
    verbs: Verbs, tmp_path: Path
) -> None:
    odd = tmp_path / os.fsdecode("新品.csv".encode("gbk"))
    sheet(odd, ["a cup"])
    plain = sheet(tmp_path / "plain.csv", ["a cup"])
    practice = ("--practice", "--out")
    assert "rename it first" in verbs.refused("run", odd, *practice, tmp_path / "out")
    assert "rename it first" in verbs.refused("run", plain, *practice, tmp_path / odd.stem)
