"""What the interpreter says when it goes down or a thread dies lands in the logs: a program started
by its icon has no terminal, and a bare traceback would show the values that the logs mask."""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_log = logging.getLogger(__name__)
_MOST = 500_000
STACKS = "crash.log"
WENT_ON = "The program went on after this, and ended as it was told to.\n"
"""Windows tells of exceptions that were caught in native code as if they were crashes."""


def watch_crashes(folder: Path) -> Callable[[], None]:
    """Log what no caller can catch, and write a native crash's stacks (places, no values) into
    ``folder/crash.log``, unless somebody watches for crashes already.

    ``folder`` must exist. Returns the way to stop, which puts everything back.
    """
    main_hook, thread_hook, unraisable_hook = (
        sys.excepthook,
        threading.excepthook,
        sys.unraisablehook,
    )

    def uncaught(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            _log.error("an exception that nobody caught", exc_info=error)
        else:  # the end of the program, or Ctrl+C
            main_hook(kind, error, trace)

    sys.excepthook = uncaught
    threading.excepthook = _thread_died
    sys.unraisablehook = _unraisable
    watched = faulthandler.is_enabled()
    stop_dumps = None if watched else _dump_into(folder / STACKS)

    def stop() -> None:
        if stop_dumps is not None:
            stop_dumps()
        sys.excepthook, threading.excepthook, sys.unraisablehook = (
            main_hook,
            thread_hook,
            unraisable_hook,
        )

    return stop


def _dump_into(path: Path) -> Callable[[], None] | None:
    try:
        mode = "ab" if path.exists() and path.stat().st_size < _MOST else "wb"
        file = path.open(mode, buffering=0)
    except OSError as error:
        _log.warning("crashes can't be noted in %s: %s", path.name, error)
        return None
    before = file.tell()
    faulthandler.enable(file)

    def stop() -> None:
        faulthandler.disable()
        if file.seek(0, 2) > before:
            file.write(WENT_ON.encode())
        file.close()

    return stop


def _thread_died(args: threading.ExceptHookArgs) -> None:
    if isinstance(args.exc_value, Exception):
        name = args.thread.name if args.thread else "?"
        _log.error("the thread %s died", name, exc_info=args.exc_value)


def _unraisable(args: UnraisableHookArgs) -> None:
    _log.error("an exception was ignored: %s %r", args.err_msg or "in", args.object,
               exc_info=args.exc_value)  # fmt: skip
