"""Waits beside a running batch until it ends, pauses, or a signal asks to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from desktop_app.cli.exits import Exit
from desktop_app.cli.progress import Progress
from desktop_app.cli.say import Say
from desktop_app.cli.status import document, exit_of, reason_of
from desktop_app.domain.batch import RunState
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.views import AccountState, BatchSummary
from desktop_app.wiring import House

DRAIN_S = 3.5
LOOK_S = 0.2


@dataclass(slots=True)
class _Stop:
    """Which signal asked to stop, if any."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    code: Exit | None = None

    def ask(self, code: Exit) -> None:
        if self.code is None:
            self.code = code
            self.asked.set()


async def watch(house: House, say: Say, batch_id: int, *, wait_s: float) -> Exit:
    """Start the batch, show progress on stderr, print the status at the end."""
    runs = house.services.runs
    with _signals() as stop, Progress(say) as progress:
        await runs.start(batch_id)
        code, reason = await _until_over(house, batch_id, progress, stop, wait_s)
        if code is not None and code >= Exit.SIGINT:
            await runs.drain(DRAIN_S)
    summary = await _summary(house, batch_id)
    said = document(summary, reason)
    say.document(said)
    say.ledger(said)
    if reason in {"account", "disk", "offline", "paused"}:
        for banner in (await runs.status(batch_id)).banners:
            say.aside(say.tr.say(banner.said))
    say.line(say.tr("Files: {folder}", folder=said["out"]))
    if summary.ledger.dead_letters:
        say.line(
            say.tr(
                "What needs you: batchwright tasks --batch {batch} --state failed", batch=batch_id
            )
        )
    return code if code is not None else exit_of(summary)


async def _until_over(
    house: House, batch_id: int, progress: Progress, stop: _Stop, wait_s: float
) -> tuple[Exit | None, str]:
    """Returns (exit code or None for the ledger's own, reason)."""
    stuck_since: float | None = None
    clock = house.clock
    while True:
        summary = await _summary(house, batch_id)
        progress.show(summary, await house.services.runs.status(batch_id))
        if stop.code is not None:
            return stop.code, "signal"
        if summary.ledger.unfinished == 0:
            return None, reason_of(summary)
        if house.engine.in_flight(batch_id) == 0:
            if summary.batch.run_state is RunState.PAUSED:
                return Exit.PAUSED, "paused"
            states = house.engine.account_states()
            state, _ = states.get(summary.batch.connection_id, (AccountState.OK.value, None))
            if state in {AccountState.PAUSED, AccountState.NO_KEY}:
                return Exit.PAUSED, "account"
            if house.engine.trouble() is not None:
                return Exit.PAUSED, "disk"
            waiting = state == AccountState.WAITING
            stuck_since = (stuck_since or clock.monotonic()) if waiting else None
            if stuck_since is not None and clock.monotonic() - stuck_since > wait_s:
                return Exit.PAUSED, "offline"
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.asked.wait(), LOOK_S)


async def _summary(house: House, batch_id: int) -> BatchSummary:
    summary = await house.services.queries.batch(batch_id)
    if summary is None:
        raise OperatorError(message("services.no_batch", batch=batch_id))
    return summary


@contextlib.contextmanager
def _signals() -> Iterator[_Stop]:
    """SIGINT and SIGTERM set the stop; a second SIGINT interrupts at once."""
    stop = _Stop()
    loop = asyncio.get_running_loop()
    codes = {signal.SIGINT: Exit.SIGINT, signal.SIGTERM: Exit.SIGTERM}
    before = {number: signal.getsignal(number) for number in codes}

    def on_signal(number: int, _frame: object) -> None:
        if stop.code is not None:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(stop.ask, codes[signal.Signals(number)])

    for number in codes:
        # signal.signal serves Windows too, where loops have no add_signal_handler; the watch
        # loop wakes five times a second, so the handler is never starved.
        signal.signal(number, on_signal)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
        sys.stderr.flush()
