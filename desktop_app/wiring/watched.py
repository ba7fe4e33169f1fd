"""What is done without a house is logged and reported all the same: it is done where something is
wrong already."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from desktop_app.settings.crash_output import watch_crashes
from desktop_app.settings.fault_log import keep_faults
from desktop_app.settings.logs import Redactor, start_logs
from desktop_app.settings.paths import paths
from desktop_app.wiring.faults import faults_logged
from desktop_app.wiring.options import HouseOptions


@contextlib.contextmanager
def watched(options: HouseOptions) -> Iterator[None]:
    """Log into the data folder, which is made, and gather faults there. Raises OperatorError."""
    where = paths(options.data_dir)
    where.make()
    redactor = Redactor()
    with contextlib.ExitStack() as stack:
        stack.callback(start_logs(where.logs, redactor, stderr=sys.stderr))
        stack.callback(keep_faults(where.logs, redactor))
        stack.enter_context(faults_logged())
        stack.callback(watch_crashes(where.logs))
        yield
