"""What the trial asks of the window: to come soon, read well, and take a sheet and a key."""

from __future__ import annotations

import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

import login
import paint
from ground import Ground
from installed import HOME
from places import ROOT

sys.path.insert(0, str(ROOT))  # the end-to-end tests' display, pointer and provider
from tests.e2e.program import KEY, provider, wait_for

PAINT_RATIO = 1.5
STARTS = 9
LONGEST_S = 180
CALM = {"concurrency": 4, "qps": 0, "mean_s": 0.5, "sigma": 0.1, "time_scale": 0.1}
ROWS, KEYED_ROWS = 6, 3
REFUSED = 401
CHINESE_FONT = re.compile(r"cjk|wqy", re.IGNORECASE)


class WindowSteps:
    """Each returns what it found."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def start(self) -> str:
        """As quick as unfrozen, near enough."""
        program, screen = self._ground.program(), self._ground.screen
        home = self._ground.scratch / "home"
        home.mkdir()
        plain = {**program.environ, "HOME": str(home), "PYTHONPATH": str(ROOT)}
        argv = [sys.executable, "-m", "desktop_app"]
        both = [(program.argv(), program.environ), (argv, plain)]
        frozen, unfrozen = paint.first_paints(both, screen.name, STARTS)
        said = (
            f"first paint {frozen:.2f} s frozen, {unfrozen:.2f} s unfrozen: {frozen / unfrozen:.2f}"
            f" (medians of {STARTS} each, in turns)"
        )
        assert frozen <= PAINT_RATIO * unfrozen, said
        return said

    def drop(self) -> str:
        """A sheet dropped with the pointer is run to its end by the practice server."""
        program = self._ground.program()
        sheet = self._ground.write_sheet("/春季 运动鞋.csv", ROWS)
        with program.window() as process:
            self._run_dropped(process.pid, sheet)
            try:
                wait_for("all rows", lambda: program.ended() == ROWS, LONGEST_S)
            finally:
                self._ground.picture("dropped")
        pictures = list(self._ground.root.inside(HOME).rglob("春季 运动鞋*/*.png"))
        won = program.status()["success"]
        assert len(pictures) == won > 0, pictures
        return (
            f"{ROWS} of {ROWS} rows ended, {won} with a picture, {len(pictures)} pictures on disk"
        )

    def key(self) -> str:
        """A key typed into the window is in a real Secret Service: the window of the next login
        takes it from there and sends it, and it lies nowhere else."""
        ground = self._ground
        ground.root.apt(*login.STORE)
        ground.no_python()
        sheet = ground.write_sheet("/keyed.csv", KEYED_ROWS)
        with provider(CALM, ground.scratch) as shop:
            assert _answer_without_key(shop.base_url) == REFUSED
            with login.session(ground.root, ground.program().environ) as bus:
                program = ground.program(bus=bus, data=f"{HOME}/keyed")
                with program.window() as first:
                    self._connect(first.pid, shop.base_url)
                connections = program.run("--json", "connection", "list")
                assert shop.base_url in connections, connections
            with login.session(ground.root, ground.program().environ) as bus:
                program = ground.program(bus=bus, data=f"{HOME}/keyed")
                with program.window() as second:
                    self._run_dropped(second.pid, sheet)
                    wait_for("all rows", lambda: program.ended() == KEYED_ROWS, LONGEST_S)
                    ground.picture("keyed")
            told = shop.ledger()
        assert first.pid != second.pid
        assert told["billed"] == told["attempts"] == KEYED_ROWS, told
        files = [f for f in ground.root.inside(HOME).rglob("*") if f.is_file()]
        assert not any(KEY.encode() in f.read_bytes() for f in files)
        return (
            f"typed into one window, sent by that of the next login: {told['billed']} of "
            f"{KEYED_ROWS} rows billed by a server that turns others away; in none of "
            f"{len(files)} files"
        )

    def _connect(self, pid: int, address: str) -> None:
        """Add an account by the keys of the keyboard alone."""
        screen = self._ground.screen
        screen.press(screen.wait_for_window(pid, "Batchwright"), "ctrl+n")
        form = screen.wait_for_window(pid, "^Connect ")
        screen.xdotool("windowfocus", "--sync", form, "type", KEY)
        screen.press(form, "shift+Tab", "shift+Tab", "ctrl+a")  # over the model to the address
        screen.xdotool("type", address)
        self._ground.picture("connect")
        screen.press(form, "Return")
        wait_for("the account to be stored", lambda: not screen.windows(pid, "^Connect "))

    def _run_dropped(self, pid: int, sheet: Path) -> None:
        screen = self._ground.screen
        screen.wait_for_window(pid, "Batchwright")
        with screen.dropped(sheet):
            screen.wait_for_window(pid, "^Import ")

        def started() -> bool:
            # Its button waits for the check of all rows; until then Enter does nothing.
            shown = screen.windows(pid, "^Import ")
            if shown:
                screen.press(shown[0], "Return", check=False)  # it may close at this very moment
            return not shown

        wait_for("the import to start", started)

    def chinese(self) -> str:
        """The screen shows characters. The same window without a font that has them is what it is
        compared to: there the boxes must be, or this could not fail."""
        ground = self._ground
        seen = ground.shot("chinese", "--language", "zh_CN")
        fonts = ground.root.inside("/usr/share/fonts")
        away = ground.root.inside("/fonts-away")
        away.mkdir()
        for at, file in enumerate(f for f in fonts.rglob("*") if CHINESE_FONT.search(f.name)):
            file.rename(away / f"{at} {file.name}")
        boxes = ground.shot("boxes", "--language", "zh_CN")
        assert boxes.same_hollow >= 20, boxes
        assert seen.same_hollow <= 3, seen
        assert seen.different > boxes.different + 20, (seen, boxes)
        return f"with the package's fonts {seen}; without {boxes}"


def _answer_without_key(address: str) -> int:
    try:
        with urllib.request.urlopen(f"{address}/models", timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code
