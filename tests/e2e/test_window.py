"""The window as an operator has it: dropped on with a real pointer, driven by real keys, closed."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.e2e.program import KEY, Program, Provider, provider, sheet, wait_for
from tests.e2e.screen import Screen, display, window

pytestmark = pytest.mark.display

SLOW = {"concurrency": 20, "qps": 0, "mean_s": 60.0, "sigma": 0.1, "time_scale": 1.0}
CALLS = 20


@pytest.fixture
def screen() -> Iterator[Screen]:
    with display() as shown:
        yield shown


@pytest.fixture
def program(screen: Screen, tmp_path: Path) -> Program:
    """A data folder and a home of nobody; connections called ``shop`` have the server's key."""
    home = tmp_path / "home"
    home.mkdir()
    env = {
        **screen.env,
        "HOME": str(home),
        "PYTHON_KEYRING_BACKEND": "tests.helpers.env_keyring.Keyring",
        "TEST_KEYRING_shop": KEY,
    }
    return Program(tmp_path / "data", env)


def start_dropped(screen: Screen, process: subprocess.Popen[str], file: Path) -> None:
    """Drop a sheet, wait for the pre-run sheet, and press Enter until it is gone."""
    screen.wait_for_window(process.pid, "Batchwright")
    with screen.dropped(file):
        screen.wait_for_window(process.pid, "^Import ")

    def started() -> bool:
        # Its button waits for the check of all rows; until then Enter does nothing.
        shown = screen.windows(process.pid, "^Import ")
        if shown:
            screen.press(shown[0], "Return", check=False)  # it may close at this very moment
        return not shown

    wait_for("the import to start", started)


def test_a_dropped_sheet_is_run_to_its_last_file(
    screen: Screen, program: Program, tmp_path: Path
) -> None:
    file = sheet(tmp_path / "春季 运动鞋.csv", [f"红色运动鞋 {n}" for n in range(1, 7)])
    with window(program) as process:
        start_dropped(screen, process, file)
        wait_for(
            "all rows to be done",
            lambda: program.run("--json", "status").json["success"] == 6,
        )
        # A second start on the same folder is for the first.
        with window(program) as second:
            assert second.wait(30) == 0
        screen.press(screen.wait_for_window(process.pid, "Batchwright"), "ctrl+q")
        assert process.wait(30) == 0
    pictures = sorted((tmp_path / "home").rglob("春季 运动鞋*/*.png"))
    assert [p.name for p in pictures] == [f"{n + 1:04d}_K{n:03d}.png" for n in range(1, 7)]
    for picture in pictures:
        with Image.open(picture) as opened:
            opened.load()
    assert not list((tmp_path / "data" / "sheets").glob("*"))  # the private copy is gone


def test_a_start_while_the_window_closes_opens_it_anew(
    screen: Screen, program: Program, slow: Provider, tmp_path: Path
) -> None:
    file = sheet(tmp_path / "one.csv", ["one"])
    program.connect(slow, "--concurrency", "1", "--headroom", "1", "--on-unknown", "hold")
    with window(program) as first:
        start_dropped(screen, first, file)
        wait_for("a call on the wire", lambda: slow.ledger()["in_flight"] == 1)
        first.send_signal(signal.SIGTERM)  # it waits for the answer for some seconds
        with window(program) as second:
            lock = program.data / "engine.lock"
            wait_for("its window", lambda: lock.read_text().strip() == str(second.pid))
            assert first.wait(30) == 128 + signal.SIGTERM


def test_a_start_beside_a_verb_says_that_the_folder_is_in_use(
    screen: Screen, program: Program, slow: Provider, tmp_path: Path
) -> None:
    file = sheet(tmp_path / "one.csv", ["one"])
    program.connect(slow, "--concurrency", "1", "--headroom", "1", "--on-unknown", "hold")
    with program.running("run", str(file), "--connection", "shop"):
        wait_for("a call on the wire", lambda: slow.ledger()["in_flight"] == 1)
        with window(program) as second:
            screen.press(screen.wait_for_window(second.pid), "Escape")
            assert second.wait(30) == 5


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Provider]:
    with provider(SLOW, tmp_path) as shop:
        yield shop


def test_s16_quit_now_with_20_calls_on_the_wire(
    screen: Screen, program: Program, slow: Provider, tmp_path: Path
) -> None:
    file = sheet(tmp_path / "vases.csv", [f"vase {n}" for n in range(CALLS)])
    program.connect(slow, "--concurrency", str(CALLS), "--headroom", "1", "--on-unknown", "hold")
    with window(program) as process:
        start_dropped(screen, process, file)
        wait_for("the wire to be full", lambda: slow.ledger()["in_flight"] == CALLS)
        screen.press(screen.wait_for_window(process.pid, "Batchwright"), "ctrl+q")
        asked = screen.wait_for_window(process.pid, "^Close ")
        screen.press(asked, "shift+Tab", "Return")  # from Finish to Quit now
        assert process.wait(15) == 0  # 5 s are promised, on a machine that is not testing
    status = program.run("--json", "status").json
    assert status["imported"] == CALLS
    # All may have been billed, none is lost, and nothing is sent again by itself.
    assert status["uncertain"] + status["running"] == CALLS
    assert slow.ledger()["attempts"] == CALLS


def test_back_from_closing_goes_on(
    screen: Screen, program: Program, slow: Provider, tmp_path: Path
) -> None:
    file = sheet(tmp_path / "two.csv", ["one", "two"])
    program.connect(slow, "--concurrency", "2", "--headroom", "1")
    with window(program) as process:
        start_dropped(screen, process, file)
        wait_for("calls on the wire", lambda: slow.ledger()["in_flight"] == 2)
        main = screen.wait_for_window(process.pid, "Batchwright")
        screen.press(main, "ctrl+q")
        screen.press(screen.wait_for_window(process.pid, "^Close "), "Escape")
        wait_for("the question to go", lambda: not screen.windows(process.pid, "^Close "))
        assert process.poll() is None
        assert program.run("--json", "status").json["running"] == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_by_the_rules(program: Program, number: signal.Signals) -> None:
    with window(program, "--demo") as process:
        wait_for("the first picture", lambda: _success(program) > 0)
        process.send_signal(number)
        assert process.wait(30) == 128 + number
    status = program.run("--json", "status").json
    states = ("pending", "running", "retrying", "success", "failed", "dead", "uncertain")
    assert sum(status[state] for state in states) == status["imported"] == 200
    assert status["success"] > 0


def _success(program: Program) -> int:
    done = program.run("--json", "status")
    return int(done.json["success"]) if done.code == 0 else 0
