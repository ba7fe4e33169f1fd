"""The window on Qt's loop: opens the house, shows the window, and leaves by the rules."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import logging
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtCore import QEventLoop, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ui.context import UiContext
from desktop_app.ui.first_look import FirstLook
from desktop_app.ui.forward import come_forward
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.opened import Application
from desktop_app.ui.start import dress, make_context
from desktop_app.wiring import (
    FolderInUse,
    House,
    HouseOptions,
    StoreDamaged,
    bring_back,
    hand_over,
    is_logged,
    lone_support,
    open_house,
    resources_dir,
    told,
    translator,
)

DRAIN_S = 3.5
SESSION_END_MS = 5_000
IN_USE = 5
FAILED = 1
SAMPLE_LANE = "customer"

_log = logging.getLogger(__name__)


class Leaving(QObject):
    """Why the program ends. ``wanted`` is set once it should; ``gone`` fires when the wire is
    empty or given up, and everything is in the store."""

    gone = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.wanted = asyncio.Event()
        self.code = 0

    def by_signal(self, number: int) -> None:
        """SIGINT or SIGTERM."""
        self.code = 128 + number
        self.wanted.set()

    def by_session_end(self) -> None:
        """The operator logs off or shuts down: once this returns the system may end us at once,
        so what is on the wire is waited for in here, while the loop goes on turning."""
        hold = QEventLoop()
        self.gone.connect(hold.quit)
        QTimer.singleShot(SESSION_END_MS, hold.quit)
        self.wanted.set()
        hold.exec()


def run_window(args: argparse.Namespace) -> int:
    """Open the window. Returns the exit code: 0 closed, 5 folder in use, 1 folder unusable,
    143/130 by signal."""
    app = QApplication.instance() or Application(sys.argv[:1])
    assert isinstance(app, Application)
    app.setApplicationName("Batchwright")
    app.setApplicationDisplayName("Batchwright")
    app.setDesktopFileName("batchwright")
    # The loop must outlive the last window: draining and closing the store come after it.
    app.setQuitOnLastWindowClosed(False)
    data_dir = getattr(args, "data_dir", None)
    options = HouseOptions(
        data_dir=Path(data_dir) if data_dir else None,
        language=getattr(args, "language", None),
        window=True,
    )
    files: list[str] = getattr(args, "files", [])
    try:
        try:
            return int(qasync.run(_main(app, options, files, demo=args.demo)))
        except StoreDamaged as damaged:
            restored = qasync.run(_mend(options, damaged))
        if restored is None:
            return FAILED
        options = replace(options, restored=restored)
        return int(qasync.run(_main(app, options, files, demo=args.demo)))
    except FolderInUse:
        if files and qasync.run(hand_over(options, files)):
            return 0
        return _refuse(options, message("services.folder_in_use"), IN_USE)
    except (OperatorError, LocalTrouble) as error:
        return _refuse(options, error.message, FAILED)
    except Exception as error:
        if not is_logged(error):
            raise
        return _refuse(options, message("services.unexpected", what=type(error).__name__), FAILED)


def _refuse(options: HouseOptions, said: Message, code: int) -> int:
    """There is no window to say it in: a box of its own, which signals close as well."""
    # Imported here: a start that succeeds has no use for it.
    from PySide6.QtWidgets import QMessageBox

    tr = translator(options)
    theme = dress(resources_dir())
    theme.set_mode("system")
    box = QMessageBox(QMessageBox.Icon.Information, "Batchwright", tr.say(said))
    box.addButton(tr("Close"), QMessageBox.ButtonRole.RejectRole)
    with _signals(lambda _number: box.reject()):
        box.exec()
    return code


async def _mend(options: HouseOptions, damaged: StoreDamaged) -> Message | None:
    """Offer what can be had of the damaged list. What came of it, None where it was left alone."""
    # Imported here: a start that finds the store whole has no use for it.
    from desktop_app.ui.dialogs.restore import RestoreDialog

    theme = dress(resources_dir())
    theme.set_mode("system")
    came: list[Message] = []

    async def restore() -> None:
        came.append(told(await bring_back(options, fresh=False)))

    async def save(target: Path) -> None:
        await lone_support(options).save(target)

    reason = damaged.message.values.get("reason")
    dialog = RestoreDialog(
        translator(options),
        theme,
        when=None if damaged.backup is None else _near(damaged.backup.made_at),
        reason=None if reason is None else str(reason),
        bring_back=restore,
        save=save,
    )
    with _signals(lambda _number: dialog.reject()):
        dialog.show()
        await dialog.decided
    dialog.deleteLater()
    return came[0] if came else None


def _near(at: float) -> str:
    """The time of day, with its date where that is not today."""
    then = datetime.fromtimestamp(at).astimezone()
    today = datetime.now().astimezone().date()
    return then.strftime("%H:%M" if then.date() == today else "%Y-%m-%d %H:%M")


async def _main(app: Application, options: HouseOptions, files: list[str], *, demo: bool) -> int:
    leaving = Leaving()
    async with open_house(options) as house:
        context = make_context(
            house.services, options.language, house.locale_dir, house.resources_dir
        )
        app.setWindowIcon(context.icons.app_icon())
        window = MainWindow(context)
        window.closed.connect(leaving.wanted.set)
        look = FirstLook(window, window.watch, window.progress.model)
        house.sheets_asked.append(lambda sheets: _ask(window, sheets))
        app.commitDataRequest.connect(lambda _manager: leaving.by_session_end())
        with _signals(leaving.by_signal), _faults_shown(context):
            # What was cut short is settled before its rows are shown: nothing runs any more.
            if house.store_is_checked() and await house.was_cut_short():
                await house.start_engine()
            try:
                await _first_of(leaving, look.whole())
                await _first_of(leaving, look.seen())
                context.spawn(_settle_down(house, window))
                asked = context.signals.request_import.emit
                if files:
                    asked(files)
                app.hand_over(asked)
                if demo:
                    context.spawn(_demo(house, context))
                await _work(house, leaving)
                window.hide()
                await house.services.runs.drain(0.0 if window.quit_now else DRAIN_S)
            finally:
                app.hand_over(None)
                window.hide()
                await context.finish()
                window.deleteLater()
    leaving.gone.emit()
    return leaving.code


def _ask(window: MainWindow, sheets: list[str]) -> None:
    """About sheets that a second start was given."""
    come_forward(window)
    window.context.signals.request_import.emit(sheets)


async def _first_of(leaving: Leaving, work: Coroutine[Any, Any, None]) -> None:
    """Do this unless the program is to end, or until then."""
    if leaving.wanted.is_set():
        work.close()
        return
    doing, ended = asyncio.ensure_future(work), asyncio.ensure_future(leaving.wanted.wait())
    await asyncio.wait({doing, ended}, return_when=asyncio.FIRST_COMPLETED)
    for task in (doing, ended):
        task.cancel()
    await asyncio.wait({doing, ended})
    if not doing.cancelled():
        doing.result()


async def _settle_down(house: House, window: MainWindow) -> None:
    """What can wait until the rows are on the screen."""
    window.make_ready()
    await asyncio.to_thread(house.warm_up)
    window.watch.look_for_keys()
    # What the program is made of stays; a search among it all for garbage stops the window for
    # some hundredths of a second, again and again.
    gc.freeze()
    gc.enable()


async def _work(house: House, leaving: Leaving) -> None:
    """Until the program ends. An engine that had to wait for the look at a large store is started
    behind the window. Raises StoreDamaged."""
    starting = asyncio.ensure_future(house.start_engine())
    wanted = asyncio.ensure_future(leaving.wanted.wait())
    try:
        await asyncio.wait({starting, wanted}, return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            await starting
        await wanted
    finally:
        for task in (starting, wanted):
            task.cancel()
        await asyncio.wait({starting, wanted})


async def _demo(house: House, context: UiContext) -> None:
    """The sample, imported and running against the practice server."""
    from desktop_app.services.import_plan import ImportPlan

    imports = house.services.imports
    sheet = house.services.preferences.sample_sheet()
    connection = await house.services.connections.practice()
    info = await imports.open(sheet)
    guess = info.guess
    plan = ImportPlan(
        info=info,
        mapping=SheetMapping(
            prompt_column=guess["prompt"],
            params={"size": "@" + guess["size"]} if "size" in guess else {},
            key_column=guess.get("key"),
            lane_column=SAMPLE_LANE if SAMPLE_LANE in info.columns else None,
        ),
        connection_id=connection.id,
        out_dir=str(house.data_dir / "pictures" / sheet.stem),
    )
    batch_id = await imports.run(plan)
    context.signals.batch_selected.emit(batch_id)
    await house.services.runs.start(batch_id)


@contextlib.contextmanager
def _signals(stop: Callable[[int], None]) -> Iterator[None]:
    """SIGINT and SIGTERM leave cleanly, on every system.

    Qt's loop sleeps in C, where Python's handlers do not run: a slow timer lets them.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    timer = QTimer()
    timer.start(250)
    timer.timeout.connect(lambda: None)
    for number in numbers:
        signal.signal(number, lambda got, _frame: stop(got))
    try:
        yield
    finally:
        timer.stop()
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


@contextlib.contextmanager
def _faults_shown(context: UiContext) -> Iterator[None]:
    """An exception in a slot is logged and becomes a line; it never takes the engine down."""
    before = sys.excepthook
    shown_at = -1.0

    def hook(_kind: type[BaseException], error: BaseException, _trace: object) -> None:
        nonlocal shown_at
        _log.error("an unexpected fault in the window", exc_info=error)
        # A fault in painting comes again with every line shown about it.
        if time.monotonic() - shown_at > 1.0:
            shown_at = time.monotonic()
            what = f"{type(error).__name__}: {error}"
            context.say_error(message("services.unexpected", what=what))

    sys.excepthook = hook
    try:
        yield
    finally:
        sys.excepthook = before
