"""Reference pictures on the real program: each sent once and as it was imported, also after kill
-9; what can't be sent is said by row, before anything is paid."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from tests.e2e.program import KEY, Program, kill_group, provider, wait_for

QUICK = {"mean_s": 0.05, "concurrency": 4}
SLOW = {"concurrency": 4, "qps": 0, "mean_s": 3.0, "sigma": 0.2, "time_scale": 0.1}
SMALL = ("--param", "size=128x128")
ROWS = 20


def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})


def picture(path: Path, red: int, noise: int = 0) -> Path:
    """With ``noise``, of about so many bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    Image.new("RGB", (64, 64), (red, 20, 200)).save(stream, "PNG")
    path.write_bytes(stream.getvalue() + bytes(noise))
    return path


def table(path: Path, rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("prompt", "picture", "n"), *rows])
    return path


def reds(files: Sequence[str]) -> list[int]:
    """What was stuck to the edge of each result."""
    found = []
    for file in files:
        with Image.open(file) as image:
            red, _, blue = image.convert("RGB").getpixel((6, 6))
            assert blue == 200
            found.append(red)
    return found


def test_killed_in_the_middle_each_row_goes_out_once_with_its_own_picture(tmp_path: Path) -> None:
    mine, out = program(tmp_path), tmp_path / "out"
    for n in range(ROWS):
        picture(tmp_path / "pics" / f"{n}.png", n * 10, noise=400_000)
    source = table(tmp_path / "a.csv", [(f"vase {n}", f"pics/{n}.png", "") for n in range(ROWS)])
    run = ("run", source, "--connection", "shop", "--out", out, "--reference", "picture", *SMALL)
    with provider(SLOW, tmp_path) as shop:
        mine.connect(shop, "--concurrency", "4", "--headroom", "1", "--price", "1", "--on-unknown",
                     "hold")  # fmt: skip
        with mine.running(*run) as process:
            wait_for("part of the work", lambda: shop.ledger()["billed"] >= ROWS // 3)
            kill_group(process)
        wait_for("the provider to end its work", lambda: shop.ledger()["in_flight"] == 0)
        done = mine.run("--json", "resume", timeout=300)
        told = shop.ledger()
    status = done.json
    assert done.code in (0, 3), done.err
    assert status["success"] + status["uncertain"] == status["imported"] == ROWS
    assert status["uncertain"] <= 4
    assert [p["prompt"] for p in told["prompts"].values() if p["billed"] > 1] == []
    rows = mine.run("--json", "tasks", "--batch", "1").json
    for row in rows:
        assert reds(row["files"]) == [(row["row"] - 2) * 10] * len(row["files"])


def test_rows_whose_picture_cant_be_sent_are_named_before_the_run(tmp_path: Path) -> None:
    mine, out = program(tmp_path), tmp_path / "out"
    picture(tmp_path / "good.png", 10)
    picture(tmp_path / "large.png", 20, noise=50_000_000)
    (tmp_path / "text.png").write_text("no picture", "utf-8")
    names = ("good.png", "gone.png", "text.png", "large.png")
    source = table(tmp_path / "a.csv", [(f"vase {n}", name, "") for n, name in enumerate(names)])
    run = ("run", source, "--connection", "shop", "--out", out, "--reference", "picture", *SMALL)
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop)
        checked = mine.run(*run, "--check")
        assert shop.ledger()["attempts"] == 0
        done = mine.run(*run, "--json")
        assert shop.ledger()["attempts"] == 1
    for row, said in ((3, "there is no file"), (4, "is no picture"), (5, "50 MB at most")):
        (line,) = (line for line in checked.out.splitlines() if f"Row {row}, picture" in line)
        assert said in line
    assert (done.json["success"], done.json["failed"]) == (1, 3)


def test_a_picture_that_is_gone_or_changed_fails_its_row_unpaid_and_comes_back(
    tmp_path: Path,
) -> None:
    mine, out = program(tmp_path), tmp_path / "out"
    files = [picture(tmp_path / f"{n}.png", n * 50) for n in range(4)]
    source = table(tmp_path / "a.csv", [(f"vase {n}", f"{n}.png", "") for n in range(4)])
    run = ("run", source, "--connection", "shop", "--out", out, "--reference", "picture", *SMALL)
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop)
        tried = mine.run(*run, "--trial", "1", "--json")
        assert tried.json["success"] == 1, tried.err
        files[1].rename(tmp_path / "away.png")
        picture(files[2], 77)
        done = mine.run(*run, "--json")
        assert (done.json["success"], done.json["failed"]) == (2, 2)
        assert shop.ledger()["attempts"] == 2
        notes = [row["error"] for row in mine.run("tasks", "--batch", "1", "--json").json]
        assert "can't be read" in notes[1]
        assert "was changed after the import" in notes[2]
        (tmp_path / "away.png").rename(files[1])
        mine.run("requeue", "--batch", "1", "--state", "failed")
        again = mine.run("resume", "--json")
        assert (again.json["success"], again.json["failed"]) == (3, 1), again.err
        assert shop.ledger()["attempts"] == 3
    rows = mine.run("tasks", "--batch", "1", "--json").json
    assert [reds(row["files"]) for row in rows] == [[0], [50], [], [150]]


def test_several_results_of_several_pictures_and_a_model_that_sees(tmp_path: Path) -> None:
    mine, out = program(tmp_path), tmp_path / "out"
    picture(tmp_path / "a.png", 10)
    picture(tmp_path / "b.png", 20)
    source = table(tmp_path / "a.csv", [("vase", "a.png;b.png", "3")])
    run = ("--out", out, "--reference", "picture", "--json")
    with provider(QUICK, tmp_path) as shop:
        mine.connect(shop)
        done = mine.run("run", source, "--connection", "shop", "--param", "n=@n", *SMALL, *run)
        assert done.json["success"] == 1, done.err
        added = mine.run(
            "connection", "add", "eyes", "--adapter", "openai-chat", "--base-url", shop.base_url,
            "--model", "practice-chat", "--proxy", "none",
        )  # fmt: skip
        assert added.code == 0, added.err
        seeing = Program(mine.data, {**mine.env, "BATCHWRIGHT_KEY_EYES": KEY})
        done = seeing.run("run", source, "--connection", "eyes", "--new", *run)
        assert done.json["success"] == 1, done.err
        assert shop.ledger()["billed"] == 2
    (row,) = mine.run("tasks", "--batch", "1", "--json").json
    assert reds(row["files"]) == [10, 10, 10]
    assert len({Path(file).read_bytes() for file in row["files"]}) == 3
    (answer,) = out.glob("*.txt")
    first, second = answer.read_text("utf-8").partition("[")[2].rstrip("]").split()
    assert first != second
