"""A window on fakes, on qasync's loop, with no display."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import qasync
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from desktop_app.ui.context import UiContext
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.opened import Application
from desktop_app.ui.start import make_context
from tests.ui.fakes import Fakes

RESOURCES = Path(__file__).resolve().parents[2] / "resources"

Run = Callable[[Coroutine[Any, Any, Any]], Any]


async def until(true: Callable[[], Any], what: str = "it") -> None:
    """Wait for something to become true; the limit is there for failures only."""
    for _ in range(20_000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"{what} did not happen")


class Stage:
    """Context and window over fakes, put away at the end."""

    def __init__(self, fakes: Fakes, language: str = "en", locale_dir: Path | None = None) -> None:
        self.fakes = fakes
        self.opened: list[str] = []
        self.context: UiContext = make_context(fakes.services, language, locale_dir, RESOURCES)
        self.context.open_path = lambda path: self.opened.append(f"open {path}")
        self.context.reveal_path = lambda path: self.opened.append(f"reveal {path}")
        self.window: MainWindow | None = None

    async def show(self) -> MainWindow:
        """The whole window, with the first batch selected where there is one."""
        window = MainWindow(self.context)
        self.window = window
        window.resize(1280, 760)
        window.show()
        await until(lambda: window.watch.links, "connections")
        if self.fakes.queries.batch_list:
            await until(lambda: window.sidebar.batches.count() > 1, "batches")
            self.context.signals.batch_selected.emit(self.fakes.queries.batch_list[0].id)
            await until(lambda: window.progress.model.rowCount() > 0, "rows")
            await until(lambda: window.progress.model.row_at(0) is not None, "row 0")
        return window

    async def strike(self) -> None:
        """Put everything away."""
        await self.context.finish()
        if self.window is not None:
            self.window.closer.done = True
            self.window.close()
            self.window.deleteLater()


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    """As the program makes it."""
    return Application


@pytest.fixture(autouse=True)
def clear_clipboard() -> Iterator[None]:
    """Without a display Qt keeps what was copied in a static of its own, which outlives Python:
    the process would end with a crash."""
    yield
    if isinstance(QApplication.instance(), QApplication):
        QApplication.clipboard().clear()


@pytest.fixture
def stages() -> list[Stage]:
    """What the test has built."""
    return []


@pytest.fixture
def run(qapp: QApplication, stages: list[Stage]) -> Iterator[Run]:
    """Run a coroutine on qasync's loop, as the program does; what it staged is put away by the
    same run, because pytest-qt lets Qt's events through between the phases of a test."""
    qapp.setQuitOnLastWindowClosed(False)  # as app.py does: the loop outlives the window
    loop = qasync.QEventLoop(qapp)

    async def whole(work: Coroutine[Any, Any, Any]) -> Any:
        try:
            return await work
        finally:
            while stages:
                await stages.pop().strike()

    yield lambda work: loop.run_until_complete(whole(work))
    loop.close()
    asyncio.set_event_loop(None)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def stage(run: Run, stages: list[Stage], tmp_path: Path) -> Callable[..., Stage]:
    """``stage(rows=...)`` or ``stage(lazy=50_000)`` builds one."""

    def build(*, language: str = "en", locale_dir: Path | None = None, **rows: Any) -> Stage:
        stages.append(Stage(Fakes(tmp_path, **rows), language, locale_dir))
        return stages[-1]

    return build
