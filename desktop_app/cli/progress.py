"""A progress bar on stderr: live on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as RichProgress

from desktop_app.cli.say import Say, printable
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.text import Translator
from desktop_app.domain.views import BatchSummary, EngineStatus
from desktop_app.services.slowed_words import slowed

QUIET_S = 10.0
LOCAL = "local"
"""The banner of this machine's own trouble: until it is mended there is no progress to tell."""


class Progress:
    """Context manager; ``show`` is called a few times a second."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._bar: RichProgress | None = None
        self._task: int | None = None
        self._last = 0.0
        self._heard: set[str] = set()
        self.last_said = ""

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._bar = RichProgress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=None),
                MofNCompleteColumn(),
                TextColumn("{task.fields[note]}", markup=False),
                console=Console(stderr=True, highlight=False, markup=False),
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, summary: BatchSummary, status: EngineStatus, *, is_over: bool = False) -> None:
        """Draw where the batch stands; the end has its own words."""
        ledger = summary.ledger
        done = ledger.imported - ledger.unfinished
        note = self._note(summary, status)
        is_held = any(banner.key == LOCAL for banner in status.banners)
        for banner in status.banners:
            text = self._say.tr.say(banner.said)
            # One trouble of this machine may follow another, and each has its own way out.
            once = text if banner.key == LOCAL else banner.key
            if banner.severity != "info" and once not in self._heard and not is_over:
                self._heard.add(once)
                self._print(text)
        if self._bar is not None:
            if self._task is None:
                self._task = self._bar.add_task(
                    printable(summary.batch.name), total=ledger.imported, note=""
                )
            self._bar.update(self._task, total=ledger.imported, completed=done, note=note)  # type: ignore[arg-type]
        elif not is_over and not is_held and time.monotonic() - self._last >= QUIET_S:
            self._last = time.monotonic()
            self._print(f"{done}/{ledger.imported}  {note}")

    def _print(self, text: str) -> None:
        self.last_said = text
        if self._bar is not None:
            self._bar.console.print(printable(text))
        else:
            self._say.aside(text)

    def _note(self, summary: BatchSummary, status: EngineStatus) -> str:
        tr = self._say.tr
        rate = f"{status.rate:.1f}"
        parts = [tr("{n} running", n=summary.ledger.running), tr("{rate}/s", rate=rate)]
        if summary.ledger.retrying:
            parts.append(tr("{n} retrying", n=summary.ledger.retrying))
        if summary.ledger.dead_letters:
            parts.append(tr.plural("{n} needs you", "{n} need you", summary.ledger.dead_letters))
        parts += [
            said for said in (slowed(tr, status), time_left(tr, summary.ledger, status)) if said
        ]
        return "  ".join(parts)


def time_left(tr: Translator, ledger: Ledger, status: EngineStatus) -> str:
    """How long it still takes, or has taken where nobody can know; empty before that."""
    if status.eta_s is not None:
        return tr("about {m}:{s} left", **_minutes(status.eta_s))
    if ledger.pending or ledger.retrying or not ledger.running or status.oldest_s is None:
        return ""
    return tr("the longest for {m}:{s}", **_minutes(status.oldest_s))


def _minutes(seconds: float) -> dict[str, object]:
    minutes, rest = divmod(round(seconds), 60)
    return {"m": minutes, "s": f"{rest:02d}"}
