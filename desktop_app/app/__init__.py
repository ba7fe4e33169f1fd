"""The window on Qt's loop: opens the house, shows the window, and leaves by the rules."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtWidgets import QApplication

from desktop_app.app.demo import run_demo
from desktop_app.app.refusing import mend, refuse
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import OperatorError, message
from desktop_app.ui.faults_shown import faults_shown
from desktop_app.ui.first_look import FirstLook
from desktop_app.ui.forward import LEAVE, come_forward
from desktop_app.ui.leaving import Leaving, on_signals
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.opened import Application
from desktop_app.ui.start import make_context
from desktop_app.wiring import (
    LEFT_S,
    FolderInUse,
    House,
    HouseOptions,
    StoreDamaged,
    hand_over,
    hangs,
    is_left,
    is_logged,
    open_house,
)

DRAIN_S = 3.5
IN_USE = 5
FAILED = 1


def run_window(args: argparse.Namespace, *, again: bool = False) -> int:
    """Open the window, or let the one that is open come forward. Returns the exit code: 0 closed or
    come forward, 5 folder in use, 1 folder unusable, 143/130 by signal. ``again``: the folder was
    in use a moment ago."""
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
            restored = qasync.run(mend(options, damaged))
        if restored is None:
            return FAILED
        options = replace(options, restored=restored)
        return int(qasync.run(_main(app, options, files, demo=args.demo)))
    except FolderInUse:
        taken = qasync.run(hand_over(options, files, os.environ.get(LEAVE, "")))
        if taken:
            return 0
        # Who has given no answer until now is waited for no longer.
        patience = 0.0 if taken is None else LEFT_S
        if not again and qasync.run(is_left(options, patience)):
            return run_window(args, again=True)
        said = hangs(options) if taken is None else message("services.folder_in_use")
        return refuse(options, said, IN_USE)
    except (OperatorError, LocalTrouble) as error:
        return refuse(options, error.message, FAILED)
    except Exception as error:
        if not is_logged(error):
            raise
        return refuse(options, message("services.unexpected", what=type(error).__name__), FAILED)


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
        house.sheets_asked.append(lambda sheets, leave: _ask(window, sheets, leave))
        app.commitDataRequest.connect(lambda _manager: leaving.by_session_end())
        with on_signals(leaving.by_signal), faults_shown(context):
            try:
                # What was cut short is settled before its rows are shown: nothing runs any more.
                if house.store_is_checked() and await house.was_cut_short():
                    await house.start_engine()
                await _first_of(leaving, look.whole())
                await _first_of(leaving, look.seen())
                context.spawn(_settle_down(house, window))
                if files:
                    context.signals.request_import.emit(files)
                app.hand_over(lambda given: _ask(window, given, ""))
                if demo:
                    context.spawn(run_demo(house, context))
                await _work(house, leaving)
                # Whoever comes now is not handed to a window that closes.
                house.sheets_asked.clear()
                window.hide()
                await house.services.runs.drain(0.0 if window.quit_now else DRAIN_S)
            finally:
                app.hand_over(None)
                window.hide()
                await context.finish()
                window.deleteLater()
    leaving.gone.emit()
    return leaving.code


def _ask(window: MainWindow, sheets: list[str], leave: str) -> None:
    """Come forward for a second start or the system, and ask about the sheets given."""
    come_forward(window, leave)
    if sheets:
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
    await asyncio.to_thread(house.warm_up)
    await asyncio.to_thread(window.load_ahead)
    window.make_ready()
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
