"""A fault that nobody expected is told on the banner line, and the program goes on."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Iterator

from desktop_app.domain.text import OperatorError, message
from desktop_app.ui.context import UiContext

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def faults_shown(context: UiContext) -> Iterator[None]:
    """An exception in a slot is logged and becomes a line; it never takes the engine down."""
    before = sys.excepthook
    shown_at = -1.0

    def hook(_kind: type[BaseException], error: BaseException, _trace: object) -> None:
        nonlocal shown_at
        if isinstance(error, OperatorError):
            context.say_error(error.message)
            return
        _log.error("an unexpected fault in the window", exc_info=error)
        # A fault in painting comes again with every line shown about it.
        if time.monotonic() - shown_at > 1.0:
            shown_at = time.monotonic()
            # What it says besides may quote a key or a prompt, and who reads it has no use for it.
            context.say_error(message("services.unexpected", what=type(error).__name__))

    sys.excepthook = hook
    try:
        yield
    finally:
        sys.excepthook = before
