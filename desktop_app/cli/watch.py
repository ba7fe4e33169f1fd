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
from desktop_app.cli.say import Say, joined
from desktop_app.cli.status import MAX_CALLS, document, exit_of, is_tried, reason_of
from desktop_app.domain.batch import RunState
from desktop_app.domain.connection import Connection
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.views import AccountState, BatchSummary
from desktop_app.wiring import House, key_variable

DRAIN_S = 3.5
MEND_S = 8.0
"""Together less than service managers wait before they kill."""
LOOK_S = 0.2
CAPPED = "store.budget_batch"
PASSING = frozenset({"store.busy", "store.disk_full"})
"""What the engine waits for as it waits for the network; it goes on by itself."""


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
        left = await _leave(house) if code is not None and code >= Exit.SIGINT else 0
    summary = await _summary(house, batch_id)
    is_halted = code is Exit.PAUSED or is_tried(summary)
    why = await _why(house, say, summary, reason) if is_halted else []
    if left and (trouble := house.engine.trouble()) is not None:
        under_way = say.tr.plural(
            "{n} row was still under way. The next start looks for its answer; where that cannot "
            "be found the row will need you.",
            "{n} rows were still under way. The next start looks for their answers; a row whose "
            "answer cannot be found will need you.",
            left,
        )
        why += [say.tr.say(trouble), under_way]
    said = {**document(summary, reason), "said": why}
    say.document(said)
    say.ledger(said)
    for sentence in why:
        if sentence != progress.last_said:
            say.aside(sentence)
    if summary.in_part:
        say.line(
            say.tr.plural(
                "{n} row came in part: fewer results than were asked for.",
                "{n} rows came in part: fewer results than were asked for.",
                summary.in_part,
            )
        )
    say.line(say.tr("Files: {folder}", folder=said["out"]))
    if summary.ledger.dead_letters and not say.as_json:
        await _say_what_needs_you(house, say, batch_id)
    return code if code is not None else exit_of(summary)


async def _leave(house: House) -> int:
    """Wait for the wire a little, and longer for answers that this machine's trouble keeps from
    being stored. Returns how many rows are still under way."""
    runs, clock = house.services.runs, house.clock
    left = await runs.drain(DRAIN_S)
    until = clock.monotonic() + MEND_S
    while left and house.engine.trouble() is not None and clock.monotonic() < until:
        await house.engine.look_again()
        left = await runs.drain(LOOK_S)
    return left


async def _why(house: House, say: Say, summary: BatchSummary, reason: str) -> list[str]:
    """Why it stands still, and how to go on."""
    services, batch = house.services, summary.batch
    said = [banner.said for banner in (await services.runs.status(batch.id)).banners]
    if reason == "account":
        connection = await services.connections.get(batch.connection_id)
        if connection is not None and not await _has_key(house, connection):
            name = connection.name
            variable = key_variable(name, await services.connections.names())
            said.append(message("services.key_how", name=name, variable=variable))
    elif reason == "trial":
        said.append(message("services.trial_how", batch=batch.id))
    elif reason == "budget":
        paused = batch.pause_reason
        option = "--budget AMOUNT" if paused and paused.code == CAPPED else "--max-calls N"
        if paused is None or paused.code in {CAPPED, MAX_CALLS}:
            said.append(message("services.budget_how", batch=batch.id, option=option))
    return [say.tr.say(sentence) for sentence in said]


async def _has_key(house: House, connection: Connection) -> bool:
    try:
        return await house.services.connections.has_key(connection)
    except OperatorError:
        return True  # there may be one: the banner has said what is wrong with the store


async def _say_what_needs_you(house: House, say: Say, batch_id: int) -> None:
    groups = await house.services.dead_letters.groups(batch_id)
    say.table(
        [say.tr("Rows"), say.tr("State"), say.tr("What needs you")],
        [(g.count, g.state.word, joined(say.tr.say(g.said), say.tr.say(g.advice))) for g in groups],
    )


async def _until_over(
    house: House, batch_id: int, progress: Progress, stop: _Stop, wait_s: float
) -> tuple[Exit | None, str]:
    """Returns (exit code or None for the ledger's own, reason)."""
    stuck_since: float | None = None
    clock = house.clock
    while True:
        summary = await _summary(house, batch_id)
        over = _over(house, summary, stop)
        if house.engine.in_flight(batch_id) == 0:
            held = _is_passing(house)
            waiting = held or _state(house, summary) == AccountState.WAITING
            stuck_since = (stuck_since or clock.monotonic()) if waiting else None
            if stuck_since is not None and clock.monotonic() - stuck_since > wait_s:
                over = over or (Exit.PAUSED, "disk" if held else "offline")
        status = await house.services.runs.status(batch_id)
        progress.show(summary, status, is_over=over is not None)
        if over is not None:
            return over
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.asked.wait(), LOOK_S)


def _over(house: House, summary: BatchSummary, stop: _Stop) -> tuple[Exit | None, str] | None:
    """Why there is nothing to wait for any more, or None."""
    if stop.code is not None:
        return stop.code, "signal"
    if summary.ledger.unfinished == 0:
        return None, reason_of(summary)
    if house.engine.in_flight(summary.batch.id):
        return None
    if is_tried(summary):
        return None, reason_of(summary)
    if summary.batch.run_state is RunState.PAUSED:
        return Exit.PAUSED, reason_of(summary)
    if _state(house, summary) in {AccountState.PAUSED, AccountState.NO_KEY}:
        return Exit.PAUSED, "account"
    if house.engine.trouble() is None or _is_passing(house):
        return None
    return Exit.PAUSED, "disk"


def _is_passing(house: House) -> bool:
    trouble = house.engine.trouble()
    return trouble is not None and trouble.code in PASSING


def _state(house: House, summary: BatchSummary) -> str:
    states = house.engine.account_states()
    return states.get(summary.batch.connection_id, (AccountState.OK.value, None))[0]


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
