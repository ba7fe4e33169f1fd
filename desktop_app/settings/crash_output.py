"""What the interpreter says when it goes down or a thread dies lands in the logs: a program started
by its icon has no terminal, and a bare traceback would show the values that the logs mask."""

from __future__ import annotations

import faulthandler
import logging
import platform
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import __version__

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_log = logging.getLogger(__name__)
_MOST = 500_000
_STACKS = "crash.log"
_REPORT = "crash-report.log"


def watch_crashes(folder: Path) -> Callable[[], None]:
    """Log what no caller can catch, and write a native crash's stacks (places, no values) into
    ``folder/crash.log``, unless somebody watches for crashes already.

    ``folder`` must exist. Returns the way to stop, which puts everything back.
    """
    thread_hook, unraisable_hook = threading.excepthook, sys.unraisablehook
    threading.excepthook = _thread_died
    sys.unraisablehook = _unraisable
    watched = faulthandler.is_enabled()
    stop_dumps = None if watched else _dump_into(folder / _STACKS)

    def stop() -> None:
        if stop_dumps is not None:
            stop_dumps()
        threading.excepthook, sys.unraisablehook = thread_hook, unraisable_hook

    return stop


@dataclass(frozen=True, slots=True)
class Crash:
    """The last end that was none: what tells of it, and when it was (epoch seconds)."""

    report: Path
    at: float


def earlier_crash(folder: Path) -> Crash | None:
    """What a native crash left since this was last asked, or None. To be asked before
    ``watch_crashes``, by the one process that works in the folder; the report of the crash before
    goes."""
    stacks, report = folder / _STACKS, folder / _REPORT
    try:
        found = stacks.stat()
        if found.st_size == 0:
            return None
        at = datetime.fromtimestamp(found.st_mtime).astimezone()
        head = f"Batchwright {__version__} on {platform.platform()}, {at:%Y-%m-%d %H:%M:%S %z}\n\n"
        report.write_text(head + stacks.read_text("utf-8", "replace"), encoding="utf-8")
        stacks.unlink()
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            _log.warning("an earlier crash can't be told: %s", error)
        return None
    return Crash(report, found.st_mtime)


def _dump_into(path: Path) -> Callable[[], None] | None:
    try:
        mode = "ab" if path.exists() and path.stat().st_size < _MOST else "wb"
        file = path.open(mode, buffering=0)
    except OSError as error:
        _log.warning("crashes can't be noted in %s: %s", path.name, error)
        return None
    faulthandler.enable(file)

    def stop() -> None:
        faulthandler.disable()
        file.close()

    return stop


def _thread_died(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        name = args.thread.name if args.thread else "?"
        _log.error("the thread %s died", name, exc_info=args.exc_value)


def _unraisable(args: UnraisableHookArgs) -> None:
    _log.error("%s: %r", args.err_msg or "an exception was ignored in", args.object,
               exc_info=args.exc_value)  # fmt: skip
