"""A fault that nobody expected is written down while keys are still masked: whoever hears of it
later has a traceback that would show them."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from desktop_app.domain.errors import LocalTrouble, is_disk_full
from desktop_app.domain.text import OperatorError
from desktop_app.wiring.options import FolderInUse

_log = logging.getLogger(__name__)
_NOTE = "Batchwright's log holds this."
_SAID_OTHERWISE = (OperatorError, LocalTrouble, FolderInUse, BrokenPipeError)


@contextlib.contextmanager
def faults_logged() -> Iterator[None]:
    """Log what passes through, unless it is a sentence for the operator."""
    try:
        yield
    except _SAID_OTHERWISE:
        raise
    except Exception as fault:
        if is_disk_full(fault):
            raise  # said in one sentence, and the log has no room for more
        _log.exception("the program failed", extra={"ends": True})
        fault.add_note(_NOTE)
        raise


def is_logged(fault: BaseException) -> bool:
    """Whether it passed through ``faults_logged``."""
    return _NOTE in getattr(fault, "__notes__", ())
