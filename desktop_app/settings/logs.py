"""Logs that help with trouble and hold no key, whoever wrote the line."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from desktop_app.domain.errors import LocalTrouble, behind
from desktop_app.domain.masking import Mask

MASK = "***"
_SHORTEST = 6
_LOOKS_LIKE_A_KEY = re.compile(
    r"""
    (?P<word>\bBearer\s+|\bBasic\s+)[^\s"'\\,;]+
    | (?P<field>(?:authorization|api[-_]?key|x-goog-api-key|access[-_]?token|secret)
        ["'\\]*\s*[:=,]\s*(?:b(?=["']))?["'\\]*)(?!Bearer|Basic)[^\s"'\\,;&)]+
    | (?P<query>[?&](?:key|token|sig|signature)=)[^\s"'&]+
    | (?P<user>://)[^\s/@"']+(?=@)
    | (?P<callback>/callbacks/)[A-Za-z0-9_.%\-]+
    | (?P<prefix>\bsk-)[A-Za-z0-9_\-]{6,}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TALKATIVE = ("httpx", "httpcore", "hpack", "uvicorn.access", "asyncio", "PIL", "keyring")


class Redactor:
    """Masks every key it was told of, and whatever looks like one. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mask = Mask((), MASK)

    def add(self, secret: str) -> None:
        """Mask this from now on, however it is spelled."""
        if len(secret) >= _SHORTEST:
            with self._lock:
                self._mask = self._mask.also(secret)

    def clean(self, text: str) -> str:
        """The text without keys."""
        return self._mask(text, lambda text: _LOOKS_LIKE_A_KEY.sub(_masked, text))


def _masked(found: re.Match[str]) -> str:
    kept = next((group for group in found.groups() if group is not None), "")
    return kept + MASK


class RedactingFormatter(logging.Formatter):
    """Cleans the finished line, traceback included: arguments and exceptions may hold keys."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        """One record as text."""
        return self._redactor.clean(super().format(record))


class PatientRotation(logging.handlers.RotatingFileHandler):
    """Goes on with the old file where it can't be renamed (on Windows another process reads it),
    and without lines where the disk is full."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        """A disk that takes no line is told by whoever needs it; a page about each line helps
        nobody."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)

    def close(self) -> None:
        """Close, even where the last lines find no room."""
        with contextlib.suppress(OSError):
            super().close()

    def doRollover(self) -> None:  # noqa: N802 - the base class's name
        """Rotate, or don't."""
        try:
            super().doRollover()
        except OSError:
            if self.stream is None:
                self.stream = self._open()


def _is_for_the_terminal(record: logging.LogRecord) -> bool:
    """Not where this machine is at fault: that is told to the operator in a sentence."""
    error = record.exc_info[1] if record.exc_info else None
    return not any(isinstance(one, LocalTrouble) for one in behind(error, only_causes=True))


def start_logs(
    folder: Path,
    redactor: Redactor,
    *,
    level: int = logging.INFO,
    stderr: TextIO | None = None,
    stderr_level: int = logging.ERROR,
) -> Callable[[], None]:
    """Log into ``folder/batchwright.log`` (5 files of 2 MB), and to ``stderr`` where one is given:
    there only the program's own faults, since whoever sits there is told the rest in sentences.

    ``folder`` must exist. Returns the way to stop, which puts the logging back as it was.
    """
    formatter = RedactingFormatter(redactor)
    file = PatientRotation(
        folder / "batchwright.log",
        maxBytes=2_000_000,
        backupCount=4,
        encoding="utf-8",
        errors="backslashreplace",
        delay=True,
    )
    file.setLevel(level)
    handlers: list[logging.Handler] = [file]
    if stderr is not None:
        shown = logging.StreamHandler(stderr)
        shown.setLevel(stderr_level)
        shown.addFilter(_is_for_the_terminal)
        handlers.append(shown)
    root = logging.getLogger()
    former = {name: logging.getLogger(name).level for name in _TALKATIVE}
    former_root = root.level
    for handler in handlers:
        handler.setFormatter(formatter)
        root.addHandler(handler)
    root.setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)

    def stop() -> None:
        logging.captureWarnings(False)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(former_root)
        for name, before in former.items():
            logging.getLogger(name).setLevel(before)

    return stop
