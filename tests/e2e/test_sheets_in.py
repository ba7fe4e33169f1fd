"""Every way a sheet comes to the window: several dropped at once, pasted, named at the start."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from tests.e2e.program import Program, wait_for
from tests.e2e.screen import Screen, display, window

pytestmark = pytest.mark.display


@pytest.fixture
def screen() -> Iterator[Screen]:
    with display() as shown:
        yield shown


@pytest.fixture
def program(screen: Screen, tmp_path: Path) -> Program:
    home = tmp_path / "home"
    home.mkdir()
    return Program(tmp_path / "data", {**screen.env, "HOME": str(home)})


def start(screen: Screen, process: subprocess.Popen[str], title: str) -> None:
    """Press Enter until the pre-run sheet of this title is gone."""
    screen.wait_for_window(process.pid, title)

    def started() -> bool:
        shown = screen.windows(process.pid, title)
        if shown:
            screen.press(shown[0], "Return", check=False)  # it may close at this very moment
        return not shown

    wait_for(f"{title} to start", started)


def prompts(program: Program, batch: int) -> list[str]:
    rows = program.run("--json", "tasks", "--batch", str(batch)).json
    return [row["prompt"] for row in rows]


def done(program: Program, batch: int) -> int:
    status = program.run("--json", "status", "--batch", str(batch))
    return int(status.json["success"]) if status.code == 0 else 0


def test_several_dropped_sheets_are_asked_about_one_after_another(
    screen: Screen, program: Program, tmp_path: Path
) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("红色运动鞋, 白色背景\n一只猫\n", encoding="gb18030")
    objects = tmp_path / "objects.jsonl"
    objects.write_text('{"prompt": "a cup"}\n{"n": 1.50}\n', encoding="utf-8")
    book = openpyxl.Workbook()
    for row in (["prompt"], ["a vase"], ["hidden"]):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    book.save(tmp_path / "book.xlsx")
    with window(program) as process:
        screen.wait_for_window(process.pid, "Batchwright")
        with screen.dropped(lines, objects, tmp_path / "book.xlsx"):
            for name in ("lines.txt", "objects.jsonl", "book.xlsx"):
                start(screen, process, f"^Import {name}")
        wait_for("all to be done", lambda: [done(program, n) for n in (1, 2, 3)] == [2, 1, 1])
    assert prompts(program, 1) == ["红色运动鞋, 白色背景", "一只猫"]
    assert prompts(program, 3) == ["a vase"]
    ledger = program.run("--json", "status", "--batch", "2").json
    assert (ledger["imported"], ledger["failed"]) == (2, 1)  # the object without a prompt


def test_copied_cells_are_pasted(screen: Screen, program: Program, tmp_path: Path) -> None:
    with window(program) as process:
        main = screen.wait_for_window(process.pid, "Batchwright")
        with screen.copied('货号\t提示词\r\n00123\t"红色\n运动鞋"\r\n00124\t一只猫, 坐着\r\n'):
            screen.press(main, "ctrl+v")
            start(screen, process, "^Import Pasted ")
        wait_for("both to be done", lambda: done(program, 1) == 2)
        wait_for("the sheet to go", lambda: not list((tmp_path / "data" / "sheets").glob("*")))
    assert prompts(program, 1) == ["红色\n运动鞋", "一只猫, 坐着"]
    assert [p.name for p in sorted((tmp_path / "home").rglob("Pasted*/*.png"))] == [
        "0002_00123.png",
        "0003_00124.png",
    ]


def test_a_sheet_named_at_the_start_or_at_a_second_one_is_asked_about(
    screen: Screen, program: Program, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "第二.csv"
    for file in (first, second):
        file.write_text("prompt\na cup\n", encoding="utf-8")
    with window(program, str(first)) as process:
        screen.press(screen.wait_for_window(process.pid, "^Import first.csv"), "Escape")
        wait_for("it to close", lambda: not screen.windows(process.pid, "^Import "))
        with window(program, str(second)) as other:
            assert other.wait(30) == 0
        screen.wait_for_window(process.pid, "^Import 第二.csv")
