"""A damaged list of tasks, brought back in the window by a real click."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.program import KEY, Program, provider, sheet, wait_for
from tests.e2e.screen import Screen, display, window

pytestmark = pytest.mark.display

QUICK = {"concurrency": 0, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}
MARGIN, FOOTER = 24, 16


@pytest.fixture
def screen() -> Iterator[Screen]:
    with display() as shown:
        yield shown


def damage(file: Path, table: str) -> None:
    with closing(sqlite3.connect(file)) as conn:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = conn.execute(sql, (table,)).fetchone()
    with file.open("r+b") as opened:
        opened.seek((page - 1) * 4096)
        opened.write(b"\xff" * 4096)


def click_last_button(screen: Screen, shown: str) -> None:
    """The one at the right end of the footer."""
    told = screen.xdotool("getwindowgeometry", "--shell", shown).split()
    place = dict(line.split("=") for line in told)
    x = int(place["WIDTH"]) - MARGIN - 40
    y = int(place["HEIGHT"]) - MARGIN - FOOTER
    screen.xdotool("mousemove", "--window", shown, x, y, "click", 1)


def test_one_click_brings_the_list_back_and_the_window_opens_on_it(
    screen: Screen, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    env = {**screen.env, "HOME": str(home), "BATCHWRIGHT_KEY_SHOP": KEY}
    program = Program(tmp_path / "data", env)
    source = sheet(tmp_path / "t.csv", [f"cup {n}" for n in range(4)])
    with provider(QUICK, tmp_path) as shop:
        program.connect(shop)
        done = program.run("run", source, "--connection", "shop", "--out", tmp_path / "out")
        assert done.code == 0, done.err
    store = program.data / "batchwright.db"
    assert list(program.data.glob("batchwright.backup-*.db"))
    damage(store, "task_row")
    with window(program) as process:
        box = screen.wait_for_window(process.pid, "Batchwright")
        click_last_button(screen, box)
        wait_for("the list to be whole", lambda: list(program.data.glob("*.damaged-1.db")))
        wait_for("the dialog to go", lambda: box not in screen.windows(process.pid))
        shown = screen.wait_for_window(process.pid, "Batchwright")
        status = program.run("--json", "status").json
        assert (status["success"], status["imported"]) == (4, 4)
        screen.press(shown, "ctrl+q")
        assert process.wait(30) == 0


def test_closed_it_leaves_everything_as_it_is(screen: Screen, tmp_path: Path) -> None:
    program = Program(tmp_path / "data", {**screen.env, "HOME": str(tmp_path)})
    assert program.run("connection", "list").code == 0
    store = program.data / "batchwright.db"
    damage(store, "account_pause")
    before = store.read_bytes()
    with window(program) as process:
        screen.press(screen.wait_for_window(process.pid), "Escape")
        assert process.wait(30) == 1
    assert store.read_bytes() == before
