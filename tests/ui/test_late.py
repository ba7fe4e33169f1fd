"""What the first row on the screen has no need of is imported and made when it is looked at."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.ui.conftest import Run, Stage, until
from tests.ui.fakes import make_row

Build = Callable[..., Stage]
LEFT = Qt.MouseButton.LeftButton
LATER = (
    "PIL",
    "charset_normalizer",
    "cryptography",
    "http.client",
    "httpx",
    "importlib.metadata",
    "jinja2",
    "jmespath",
    "keyring",
    "multiprocessing",
    "openpyxl",
    "python_calamine",
    "rich",
    "starlette",
    "tomllib",
    "urllib.request",
    "uvicorn",
    "websockets",
    "desktop_app.domain.ports",
    "desktop_app.engine",
    "desktop_app.exports.sheets",
    "desktop_app.ingest",
    "desktop_app.providers.registry",
    "desktop_app.services.dead_letters",
    "desktop_app.services.import_batch",
    "desktop_app.store.engine_store",
    "desktop_app.store.imports",
    "desktop_app.store.tasks.claim",
    "desktop_app.ui.detail",
    "desktop_app.ui.dialogs.cancel",
    "desktop_app.ui.dialogs.connection",
    "desktop_app.ui.dialogs.edit_prompt",
    "desktop_app.ui.dialogs.export",
    "desktop_app.ui.dialogs.pre_run",
    "desktop_app.ui.dialogs.report",
    "desktop_app.ui.dialogs.restore",
    "desktop_app.ui.dialogs.settings",
    "desktop_app.ui.dialogs.settle",
    "desktop_app.ui.dialogs.updates",
    "desktop_app.ui.help",
    "desktop_app.ui.tabs.needs_you",
    "desktop_app.ui.tabs.results",
)
PROGRAM = f"""
import argparse, sys
from desktop_app import app
from desktop_app.ui import main_window

class Window(main_window.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        print("early:", *(name for name in {LATER!r} if name in sys.modules), flush=True)
        self.context.spawn(self.leave())

    async def leave(self):
        self.close()

app.MainWindow = main_window.MainWindow = Window
args = argparse.Namespace(data_dir=sys.argv[1], language="en", demo=False)
sys.exit(app.run_window(args))
"""


def test_a_window_is_shown_before_what_it_does_not_show_is_imported(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "data")],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout.splitlines()) == (0, ["early:"]), done.stderr


def test_a_tab_is_made_when_it_is_first_looked_at(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=[make_row(pk) for pk in range(1, 4)]).show()
        assert not {"needs_you", "results"} & set(vars(window))
        bar = window.tabs.tabBar()
        for at, name in ((1, "needs_you"), (2, "results"), (1, "needs_you")):
            QTest.mouseClick(bar, LEFT, pos=bar.tabRect(at).center() + QPoint(0, 1))
            assert window.tabs.currentWidget() is vars(window)[name]
            await until(lambda at=at: window.tabs.widget(at).isVisible())  # type: ignore[misc]
        assert window.tabs.count() == 3
        assert [window.tabs.tabText(at) for at in range(3)] == ["Progress", "Needs you", "Results"]

    run(go())


def test_what_is_made_late_is_dressed_like_the_rest(stage: Build, run: Run) -> None:
    async def go() -> None:
        built = stage(rows=[make_row(pk) for pk in range(1, 4)])
        window = await built.show()
        await until(lambda: window.batch_id is not None)
        for tab in (window.results, window.needs_you):
            assert not tab.acceptDrops()
            assert tab.export.autoDefault()
            assert tab.export.isEnabled()  # it knows which batch is shown

    run(go())


def test_the_detail_pane_is_made_for_the_first_row_that_is_opened(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=[make_row(pk) for pk in range(1, 4)]).show()
        assert "detail" not in vars(window)
        assert window.detail_place.currentWidget() is window.detail_place.nothing
        words = window.detail_place.nothing.text()
        window.context.signals.open_task.emit(2)
        await until(lambda: window.detail.detail is not None)
        assert window.detail.detail is not None
        assert window.detail.detail.row.pk == 2
        assert window.detail_place.currentWidget() is window.detail
        window.detail.clear()
        assert window.detail.nothing.text() == words

    run(go())


def test_the_detail_pane_is_ready_once_the_window_is_seen(stage: Build, run: Run) -> None:
    async def go() -> None:
        window = await stage(rows=[make_row(1)]).show()
        window.make_ready()
        assert window.detail_place.currentWidget() is window.detail
        assert not window.detail.attempts.acceptDrops()

    run(go())
