"""Faults nobody expected are gathered in one file a run: whoever mends the program wants them
without the days of log around them, and without what the operator works on."""

from __future__ import annotations

import logging
import os
import platform
import re
import time
from collections.abc import Callable
from pathlib import Path

from desktop_app import __version__
from desktop_app.domain.errors import LocalTrouble, behind, is_disk_full
from desktop_app.domain.text import OperatorError
from desktop_app.settings.fault_words import told
from desktop_app.settings.logs import Redactor

FAULTS = "faults.log"
_OWN = "desktop_app."
_MOST = 300_000
_MOST_EACH = 12_000
_MOST_PLACES = 50
_BLANK = re.compile(r"%[a-z]")
_ENDED = "The program ended by this."
_ENDS = re.compile(rf"^{re.escape(_ENDED)}$", re.MULTILINE)
_SAID_OTHERWISE = (OperatorError, LocalTrouble)


def keep_faults(folder: Path, redactor: Redactor) -> Callable[[], None]:
    """Write every fault that is logged from now on into ``folder/faults.log``, which is made by
    the first. ``folder`` must exist. Returns the way to stop."""
    handler = FaultLog(folder / FAULTS, redactor)
    root = logging.getLogger()
    root.addHandler(handler)

    def stop() -> None:
        root.removeHandler(handler)
        handler.close()

    return stop


def ended_by(faults: str) -> bool:
    """Whether one of them took the program down. ``faults``: the text of such a file."""
    return _ENDS.search(faults) is not None


class FaultLog(logging.Handler):
    """One entry for each place that fails, without keys, prompts and paths; one that fails again
    and again (in painting, in a round of the engine) is counted. A record with ``ends`` set is of
    a fault that took the program down."""

    def __init__(self, file: Path, redactor: Redactor) -> None:
        super().__init__(logging.ERROR)
        self._file = file
        self._redactor = redactor
        self._seen: dict[str, tuple[int, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Note it, where it is a fault of the program's own. Never raises: there is nobody left
        who could be told."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, Exception) or _is_said_otherwise(error):
            return
        try:
            text = self._entry(record, error)
            if text:
                self._append(self._redactor.clean(text))
        except Exception:  # noqa: S110 - the log has it, and a second fault tells nobody more
            pass

    def _entry(self, record: logging.LogRecord, error: Exception) -> str:
        ends = bool(getattr(record, "ends", False))
        text = told(error)
        number, times = self._seen.get(text, (len(self._seen) + 1, 0))
        if number > _MOST_PLACES and not ends:
            return ""
        self._seen[text] = number, times + 1
        at = time.strftime("%H:%M:%S", time.localtime(record.created))
        if times and not ends:
            is_round = set(str(times + 1)[1:]) == {"0"}  # 10, 20 ... 100, 200 ...
            return f"\n[{number}] {at} again, {times + 1} times in all\n" if is_round else ""
        # The sentence as it stands in the program, without what would be put into it; others
        # put together theirs from what they worked on.
        said = f": {_BLANK.sub('…', record.msg)}" if record.name.startswith(_OWN) else ""
        begun = "" if len(self._seen) > 1 or times else _head()
        ended = f"{_ENDED}\n" if ends else ""
        return f"{begun}\n[{number}] {at} {record.name}{said}\n{ended}{text[-_MOST_EACH:]}"

    def _append(self, text: str) -> None:
        full = self._file.exists() and self._file.stat().st_size > _MOST
        with self._file.open("w" if full else "a", encoding="utf-8", errors="replace") as file:
            file.write(text)


def _head() -> str:
    now = time.strftime("%Y-%m-%d %H:%M:%S %z")
    return (
        f"\nBatchwright {__version__} on {platform.platform()}, {now}, process {os.getpid()}\n"
        "What exceptions say may quote prompts and is left out here; batchwright.log has it.\n"
    )


def _is_said_otherwise(error: Exception) -> bool:
    """This machine is at fault, and the operator is told so in a sentence."""
    if is_disk_full(error):
        return True
    return any(isinstance(one, _SAID_OTHERWISE) for one in behind(error, only_causes=True))
