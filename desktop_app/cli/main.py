"""From parsed arguments to an exit code, with every fault an operator can mend as one sentence."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from desktop_app.cli import (
    connection,
    control,
    export,
    mapping,
    practice,
    reads,
    restore,
    run,
    support,
)
from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.domain.errors import LocalTrouble, is_disk_full
from desktop_app.domain.listening import USUAL_PORT, ListeningPlace
from desktop_app.domain.safe_names import as_text
from desktop_app.domain.text import OperatorError, message
from desktop_app.wiring import FolderInUse, HouseOptions, is_logged, met_damage, translator

Verb = Callable[[argparse.Namespace, HouseOptions, Say], Coroutine[Any, Any, Exit]]

VERBS: dict[str, Verb] = {
    "run": run.run,
    "resume": control.resume,
    "pause": control.pause,
    "cancel": control.cancel,
    "priority": control.priority,
    "requeue": control.requeue,
    "settle": control.settle,
    "status": reads.status,
    "tasks": reads.tasks,
    "attempts": reads.attempts,
    "export": export.export,
    "restore": restore.restore,
    "support": support.support,
    "connection": connection.connection,
    "mapping": mapping.mapping,
}

BUSY = "store.busy"
FULL = "store.disk_full"
DAMAGED = "store.damaged"
PATIENCE_S = 20.0
AGAIN = frozenset(
    {"pause", "cancel", "priority", "requeue", "status", "tasks", "attempts", "export"}
)
"""Verbs that do one thing, all of it or nothing."""

_log = logging.getLogger(__name__)


def main(args: argparse.Namespace) -> int:
    """Run one verb. Returns the exit code of ``exits``."""
    data_dir = getattr(args, "data_dir", None)
    options = HouseOptions(
        data_dir=Path(data_dir) if data_dir else None,
        language=getattr(args, "language", None),
        embed=bool(getattr(args, "embed", False)),
        callbacks=_callbacks(args),
    )
    say = Say(translator(options), bool(getattr(args, "json", False)))
    _survive_narrow_terminals()
    odd = _odd_word(args)
    if odd is not None:
        say.error(message("ingest.odd_name", file=as_text(odd)))
        return Exit.USAGE
    try:
        if args.verb == "practice":
            return practice.practice(args, options, say)
        return _patiently(args, options, say)
    except FolderInUse:
        say.error(message("services.folder_in_use"))
        return Exit.IN_USE
    except OperatorError as error:
        if is_disk_full(error):
            return _full(say)
        say.error(error.message)
        return Exit.USAGE
    except LocalTrouble as trouble:
        if trouble.message.code == FULL:
            return _full(say)
        if trouble.message.code == DAMAGED:
            say.error(met_damage(options, trouble.message))
            return Exit.USAGE
        say.error(trouble.message)
        return Exit.PAUSED
    except KeyboardInterrupt:
        return Exit.SIGINT
    except BrokenPipeError:
        return Exit.INTERNAL
    except Exception as error:
        if is_disk_full(error):
            return _full(say)
        if not is_logged(error):
            _log.exception("the verb %s failed", args.verb)
        say.error(message("services.unexpected", what=type(error).__name__))
        return Exit.INTERNAL


def _odd_word(args: argparse.Namespace) -> str | None:
    """A file, folder or name that no store could keep."""
    for given in vars(args).values():
        for word in given if isinstance(given, list | tuple) else (given,):
            if isinstance(word, str | Path) and as_text(str(word)) != str(word):
                return str(word)
    return None


def _callbacks(args: argparse.Namespace) -> ListeningPlace | None:
    chosen = {
        "host": getattr(args, "callback_address", None),
        "port": getattr(args, "callback_port", None),
        "url": getattr(args, "callback_url", None),
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    if not given:
        return None
    return ListeningPlace(**{"port": USUAL_PORT, **given})


def _patiently(args: argparse.Namespace, options: HouseOptions, say: Say) -> int:
    """Run the verb; where others hold the store it has done nothing, and is tried again."""
    started = time.monotonic()
    while True:
        try:
            return int(asyncio.run(VERBS[args.verb](args, options, say)))
        except LocalTrouble as trouble:
            waited = time.monotonic() - started
            if trouble.message.code != BUSY:
                raise
            if waited >= PATIENCE_S or args.verb not in AGAIN:
                raise LocalTrouble(message("store.locked", seconds=int(waited))) from trouble


def _full(say: Say) -> Exit:
    say.error(message("services.disk_full"))
    return Exit.PAUSED


def _survive_narrow_terminals() -> None:
    """A Windows console or a C locale must not turn a Chinese prompt into a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
