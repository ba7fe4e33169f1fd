"""The real program, from its own entry, the provider alone replaced.

``python -m tests.bench._window_child DATA WHAT SECONDS SINCE``: WHAT is ``open`` (until the first
row is painted), ``idle`` (nothing happens for SECONDS), ``busy`` (the engine runs and a script
uses the window, SECONDS a scene) or ``requeue`` (the script requeues all dead rows). Prints one
line of JSON. SINCE is the time.monotonic() at which this process was started. Until the first row
nothing is imported here that the program does not import by itself.
"""

from __future__ import annotations

import gc
import sys
import time
from typing import Any, NamedTuple

gc.disable()  # as the program's own entry does, and before anything is made

from desktop_app.ui.quick_imports import import_plainly  # noqa: E402

import_plainly()

from PySide6.QtGui import QPaintEvent  # noqa: E402

from desktop_app import app as program  # noqa: E402
from desktop_app.__main__ import main as run_program  # noqa: E402
from desktop_app.domain.text import Message  # noqa: E402
from desktop_app.ui.context import UiContext  # noqa: E402
from desktop_app.ui.grid.view import GridView  # noqa: E402
from desktop_app.ui.main_window import MainWindow  # noqa: E402
from desktop_app.wiring import later  # noqa: E402


class Asked(NamedTuple):
    """The command line."""

    data: str
    what: str
    seconds: float
    since: float


class FirstRow:
    """When the grid first painted a row that it had at hand, and the CPU spent until then."""

    at: float | None = None
    cpu_s = 0.0


def _watch_paint(first: FirstRow) -> None:
    paint = GridView.paintEvent

    def painted(view: GridView, event: QPaintEvent) -> None:
        paint(view, event)
        if first.at is None and view._model.row_at(0) is not None:
            first.at = time.monotonic()
            first.cpu_s = time.process_time()

    GridView.paintEvent = painted  # type: ignore[method-assign]


async def _play(
    context: UiContext, window: MainWindow, asked: Asked, first: FirstRow, told: dict[str, Any]
) -> None:
    import asyncio

    while first.at is None:  # noqa: ASYNC110 - it is painted from Qt
        await asyncio.sleep(0.001)
    from tests.bench._window_script import Script

    script = Script(context, window, asked, first)
    try:
        await script.play()
    finally:
        told.update(script.figures)


def _adapters(*_: object) -> Any:
    from tests.bench._window_provider import Provider

    return Provider()


def _refused(_options: object, said: Message, code: int) -> int:
    """Nobody would press the button of the box that says so."""
    print(f"the program does not open: {said}", file=sys.stderr)
    return code


def main(arguments: list[str]) -> int:
    """Run the program's own entry with the script inside."""
    data, what, seconds, since = arguments
    asked, first = Asked(data, what, float(seconds), float(since)), FirstRow()
    told: dict[str, Any] = {}

    class Window(MainWindow):
        def __init__(self, context: UiContext) -> None:
            super().__init__(context)
            context.spawn(_play(context, self, asked, first, told))

    program.MainWindow = Window  # type: ignore[misc]
    program.refuse = _refused
    later.adapters = _adapters
    _watch_paint(first)
    code = run_program(["--data-dir", data, "--language", "en"])
    import json

    print(json.dumps(told), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
