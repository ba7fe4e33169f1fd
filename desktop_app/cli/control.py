"""Verbs that act on batches: here if the folder is free, else through the instance that has it."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from desktop_app.cli.acted import said_of
from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.cli.status import document, exit_of
from desktop_app.cli.watch import watch
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.ports import Command
from desktop_app.domain.text import OperatorError, message
from desktop_app.services.queries import Queries
from desktop_app.wiring import FolderInUse, HouseOptions, open_guest, open_house

ANSWER_S = 30.0
ASK_S = 60.0
NOT_OBEYED = "services.not_obeyed"


async def resume(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Run the batch to its end; when another instance holds the folder, it is told to."""

    async def here() -> Exit:
        async with open_house(options) as house:
            await house.start_engine()
            batch_id = args.batch or await house.services.queries.newest_unfinished()
            if batch_id is None:
                newest = await house.services.queries.batches()
                if not newest:
                    raise OperatorError(message("services.no_unfinished"))
                said = document(newest[0])
                say.document(said)
                say.ledger(said)
                return exit_of(newest[0])
            if args.rest:
                await house.services.runs.widen(batch_id)
            await house.services.runs.cap(batch_id, args.max_calls, args.budget)
            return await watch(house, say, batch_id, wait_s=args.wait)

    budget = None if args.budget is None else str(args.budget)
    wanted = {"batch": args.batch, "max_calls": args.max_calls, "budget": budget}
    wanted["rest"] = args.rest
    return await _here_or_there(here, options, say, "resume", wanted)


async def pause(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Send nothing more of the batch."""
    return await _act(options, say, "pause", {"batch": args.batch, "now": args.now})


async def cancel(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Give up what waits; what is on the wire finishes and is kept."""
    return await _act(options, say, "cancel", {"batch": args.batch})


async def priority(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Let the batch go before or after others; what is on the wire goes on."""
    wanted = {"batch": args.batch, "priority": args.priority}
    return await _act(options, say, "priority", wanted)


async def requeue(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Try dead letters again, all that match."""
    wanted: dict[str, Any] = {"batch": args.batch, "states": args.state, "cause": args.cause}
    if args.sheet is not None:
        wanted |= {"from": str(Path(args.sheet).absolute()), "yes": args.yes}
    return await _act(options, say, "requeue", wanted, tasks=args.task)


async def settle(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Decide what became of uncertain rows: of those named, or of all in a batch."""
    how, *rest = args.how
    if how not in {"ask", "resend", "failed", "attach"} or (how == "attach") != (len(rest) == 1):
        raise OperatorError(message("services.bad_settle"))
    wanted: dict[str, Any] = {"batch": args.batch, "how": how, "yes": args.yes}
    if rest:
        wanted["file"] = str(Path(rest[0]).absolute())
    several = args.task if len(args.task) > 1 else None
    if several is None and args.task:
        wanted["task"] = args.task[0]
    return await _act(options, say, "settle", wanted, tasks=several)


async def _act(
    options: HouseOptions,
    say: Say,
    verb: str,
    wanted: dict[str, Any],
    tasks: list[str] | None = None,
) -> Exit:
    async def here() -> Exit:
        async with open_house(options) as house:
            # What a killed instance left on its way is decided first: a verb is about what is.
            await house.settle_orphans()
            if verb in {"pause", "cancel", "priority"} and wanted["batch"] is None:
                wanted["batch"] = await house.services.queries.newest_unfinished()
                if wanted["batch"] is None:
                    raise OperatorError(message("services.no_unfinished"))
            if tasks:
                wanted["pks"] = await _pks(house.services.queries, tasks)
            result = await house.obey.do(Command(0, verb, wanted))
            if wanted.get("how") == "ask":
                # Nobody else is here to hear the answer. What is not known by then is asked for
                # again at the next start.
                await house.engine.drain(ASK_S)
            return said_of(say, verb, wanted, result)

    return await _here_or_there(here, options, say, verb, wanted, tasks)


async def _here_or_there(
    here: Callable[[], Awaitable[Exit]],
    options: HouseOptions,
    say: Say,
    verb: str,
    wanted: dict[str, Any],
    tasks: list[str] | None = None,
) -> Exit:
    """Whoever has the folder may be a verb like this one, which obeys nobody and is gone soon:
    then it is done here after all."""
    clock = SystemClock()
    deadline = clock.monotonic() + ANSWER_S
    while True:
        try:
            return await here()
        except FolderInUse:
            left = deadline - clock.monotonic()
        process, result = await _tell(options, verb, wanted, tasks, left)
        if result is not None:
            return said_of(say, verb, wanted, result)
        if clock.monotonic() >= deadline:
            said = message("services.no_answer", seconds=int(ANSWER_S), process=process or "?")
            raise OperatorError(said)


async def _tell(
    options: HouseOptions,
    verb: str,
    wanted: dict[str, Any],
    tasks: list[str] | None,
    timeout_s: float,
) -> tuple[int | None, Mapping[str, Any] | None]:
    """(whose process has the folder, its answer or None where it did nothing)."""
    async with open_guest(options) as guest:
        if wanted.get("batch") is None and verb != "settle" and "from" not in wanted:
            wanted["batch"] = await guest.queries.newest_unfinished()
            if wanted["batch"] is None:
                raise OperatorError(message("services.no_unfinished"))
        if tasks:
            wanted["pks"] = await _pks(guest.queries, tasks)
        result = await guest.tell(verb, wanted, timeout_s)
        ended = result is not None and NOT_OBEYED in str(result.get("error"))
        return guest.lock.holder(), None if ended else result


async def _pks(queries: Queries, tasks: list[str]) -> list[int]:
    found = [await queries.pk_of(task) for task in tasks]
    if None in found:
        raise OperatorError(message("services.no_task_id", task=tasks[found.index(None)]))
    return [pk for pk in found if pk is not None]
