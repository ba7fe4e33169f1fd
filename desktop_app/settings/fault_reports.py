"""What went wrong in earlier runs is put into one report, which the next start offers to show."""

from __future__ import annotations

import logging
import platform
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from desktop_app import __version__
from desktop_app.settings.crash_output import STACKS, WENT_ON
from desktop_app.settings.fault_log import FAULTS, ended_by
from desktop_app.settings.fault_words import without_owners
from desktop_app.settings.logs import Redactor

KEPT = 5
_MOST = 400_000
_NAME = "report {at:%Y-%m-%d %H%M%S}.log"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FaultReport:
    """What tells of faults in earlier runs, when the last of them was (epoch seconds), and whether
    one took the program down."""

    file: Path
    at: float
    went_down: bool


def earlier_faults(folder: Path, redactor: Redactor) -> FaultReport | None:
    """The report of what went wrong since this was last asked, or None: each is told of once. To
    be asked before anything is noted in ``folder``, by the one process that works there. The
    newest reports are kept, five of them."""
    stacks, faults = folder / STACKS, folder / FAULTS
    try:
        found = [file for file in (faults, stacks) if file.exists() and file.stat().st_size]
        if not found:
            return None
        at = max(file.stat().st_mtime for file in found)
        noted = _text(faults) if faults in found else ""
        fallen = _text(stacks) if stacks in found else ""
        report = folder / _NAME.format(at=datetime.fromtimestamp(at).astimezone())
        text = "\n".join(part for part in (noted, _native(fallen, stacks)) if part)
        report.write_text(redactor.clean(text), encoding="utf-8")
    except OSError as error:
        _log.warning("what went wrong earlier can't be told: %s", error)
        return None
    try:
        for file in found:
            _put_away(file)
        for old in sorted(folder.glob("report *.log"))[:-KEPT]:
            old.unlink()
    except OSError as error:
        _log.warning("what was told of faults can't be put away: %s", error)
    went_down = ended_by(noted) or bool(fallen and not fallen.endswith(WENT_ON))
    return FaultReport(report, at, went_down)


def _native(stacks: str, file: Path) -> str:
    if not stacks:
        return ""
    at = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
    head = f"Batchwright {__version__} on {platform.platform()}, {at:%Y-%m-%d %H:%M:%S %z}\n\n"
    return head + without_owners(stacks)


def _text(file: Path) -> str:
    """The end of a file: what took the program down is there."""
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _MOST))
        return opened.read(_MOST).decode("utf-8", "replace")


def _put_away(file: Path) -> None:
    try:
        file.unlink()
    except PermissionError:  # on Windows a verb that runs beside has it open
        file.write_bytes(b"")
