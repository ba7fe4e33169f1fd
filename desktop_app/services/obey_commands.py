"""Obeys other processes: what they write into the command table is done by this running engine."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from desktop_app.domain.money import figure
from desktop_app.domain.ports import Command, CommandStore
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.views import Doubts, TaskFilter
from desktop_app.services.batch_priority import Priorities, priority_of
from desktop_app.services.dead_letters import DeadLetters, price_of_resending
from desktop_app.services.failure_sheets import FailureSheets
from desktop_app.services.queries import Queries
from desktop_app.services.run_control import RunControl

_log = logging.getLogger(__name__)


def filter_of(args: Mapping[str, Any]) -> TaskFilter:
    """The filter a command names: ``batch``, ``states`` (words), ``cause`` (a code or a class),
    ``pks``."""
    known = {state.word: state for state in TaskState}
    states = set()
    for word in args.get("states") or ():
        if word not in known:
            raise OperatorError(message("services.bad_state", word=word, known=sorted(known)))
        states.add(known[word])
    pks = args.get("pks")
    return TaskFilter(
        batch_id=args.get("batch"),
        states=frozenset(states),
        cause_or_class=args.get("cause") or None,
        pks=tuple(pks) if pks is not None else None,
    )


class ObeyCommands:
    """The verbs that work on a store, whether they come from this process or another."""

    def __init__(
        self,
        *,
        commands: CommandStore,
        runs: RunControl,
        priorities: Priorities,
        dead_letters: DeadLetters,
        failure_sheets: FailureSheets,
        queries: Queries,
        connection_changed: Callable[[int], Awaitable[None]],
        ask_about: Callable[[list[str], str], bool] = lambda _sheets, _leave: False,
    ) -> None:
        self._commands = commands
        self._runs = runs
        self._priorities = priorities
        self._dead_letters = dead_letters
        self._failure_sheets = failure_sheets
        self._queries = queries
        self._connection_changed = connection_changed
        self._ask_about = ask_about

    async def pump(self) -> None:
        """Do every waiting command, in order, and answer each. Never raises for a bad one."""
        for command in await self._commands.take():
            try:
                result = await self.do(command)
            except OperatorError as error:
                said = error.message
                result = {"ok": False, "error": said.dump()}
            except Exception as error:
                _log.exception("command %s failed", command.verb)
                said = message("services.unexpected", what=type(error).__name__)
                result = {"ok": False, "error": said.dump()}
            await self._commands.answer(command.id, result)

    async def do(self, command: Command) -> Mapping[str, Any]:
        """Do one command. Raises OperatorError for what an operator can mend."""
        args = command.args
        match command.verb:
            case "pause":
                await self._runs.pause(args.get("batch"), now=bool(args.get("now")))
                return {"ok": True}
            case "resume":
                batch_id = args.get("batch")
                if batch_id is not None:
                    budget = args.get("budget")
                    money = None if budget is None else Decimal(str(budget))
                    await self._runs.cap(batch_id, args.get("max_calls"), money)
                    if args.get("rest"):
                        await self._runs.widen(batch_id)
                await self._runs.start(batch_id)
                return {"ok": True}
            case "priority":
                await self._priorities.set(int(args["batch"]), priority_of(args.get("priority")))
                return {"ok": True}
            case "cancel":
                return {"ok": True, "count": await self._runs.cancel(filter_of(args))}
            case "requeue" if args.get("from") is not None:
                return await self._take_back(args, filter_of(args))
            case "requeue":
                return await self._requeue(filter_of(args))
            case "settle":
                return await self._settle(args)
            case "connection":
                await self._connection_changed(int(args["id"]))
                return {"ok": True}
            case "import":
                # Only a window can ask; where there is none it is left undone.
                sheets, leave = [str(path) for path in args["paths"]], str(args.get("leave", ""))
                return {"ok": self._ask_about(sheets, leave)}
            case _:
                raise OperatorError(message("services.bad_command", verb=command.verb))

    async def _requeue(self, which: TaskFilter) -> Mapping[str, Any]:
        doubts = await self._dead_letters.doubts(which)
        held = await self._dead_letters.held(which)
        count = await self._dead_letters.requeue(which)
        result: dict[str, Any] = {"ok": True, "count": count, "left_uncertain": 0}
        result |= _held(count, held)
        if TaskState.UNCERTAIN not in which.states:
            result["left_uncertain"] = doubts.rows
        elif doubts.rows:
            result |= _bill(doubts)
        return result

    async def _take_back(self, args: Mapping[str, Any], which: TaskFilter) -> Mapping[str, Any]:
        sheet = Path(str(args["from"]))
        plan = await self._failure_sheets.look(sheet)
        if plan is None:
            raise OperatorError(message("services.not_returned", file=sheet.name))
        uncertain = TaskState.UNCERTAIN in which.states
        if uncertain and args.get("yes") is False and (plan.doubts.worst or plan.doubts.unpriced):
            price = price_of_resending(plan.doubts)
            raise OperatorError(
                message("services.resend_ask", n=f"{plan.doubts.rows:,}", price=price)
            )
        count = await self._failure_sheets.requeue(plan, uncertain=uncertain)
        result: dict[str, Any] = {
            "ok": True,
            "count": count,
            "edited": plan.edited(uncertain=uncertain),
            "refused": [said.dump() for said in plan.refused],
            "left_uncertain": 0 if uncertain else len(plan.doubtful),
            **_held(count, plan.held),
        }
        return result | (_bill(plan.doubts) if plan.doubtful else {})

    async def _settle(self, args: Mapping[str, Any]) -> Mapping[str, Any]:
        if args.get("batch") is not None or args.get("pks") is not None:
            return await self._settle_all(filter_of(args), args)
        pk = await self._queries.pk_of(str(args.get("task")))
        if pk is None:
            raise OperatorError(message("services.no_task_id", task=args.get("task")))
        only = TaskFilter(pks=(pk,))
        doubts, held = await self._dead_letters.doubts(only), await self._dead_letters.held(only)
        match args.get("how"):
            case "failed":
                done = await self._dead_letters.settle_failed(pk)
            case "resend":
                done = await self._dead_letters.settle_resend(pk)
            case "attach":
                done = await self._dead_letters.settle_attach(pk, Path(str(args["file"])))
            case _:
                done = await self._dead_letters.settle_ask(pk)
        if not done:
            detail = await self._queries.detail(pk)
            row = detail.row.row_no if detail else 0
            runs = detail is not None and detail.row.state is TaskState.RUNNING
            code = "services.still_running" if runs else "services.not_uncertain"
            raise OperatorError(message(code, row=row))
        if args.get("how") == "resend":
            return {"ok": True, **_bill(doubts), **_held(1, held)}
        return {"ok": True}

    async def _settle_all(self, which: TaskFilter, args: Mapping[str, Any]) -> Mapping[str, Any]:
        if which.batch_id is not None and await self._queries.batch(which.batch_id) is None:
            raise OperatorError(message("services.no_batch", batch=which.batch_id))
        letters = self._dead_letters
        doubts = await letters.doubts(which)
        match args.get("how"):
            case "failed":
                count = await letters.settle_failed_all(which)
            case "resend":
                if args.get("yes") is False and (doubts.worst or doubts.unpriced):
                    price = price_of_resending(doubts)
                    raise OperatorError(
                        message("services.resend_ask", n=f"{doubts.rows:,}", price=price)
                    )
                held = await letters.held(replace(which, states=frozenset({TaskState.UNCERTAIN})))
                count = await letters.settle_resend_all(which)
                bill = _bill(doubts) if count else {}
                return {"ok": True, "count": count, **bill, **_held(count, held)}
            case "ask":
                if doubts.rows and not doubts.askable:
                    raise OperatorError(message("services.cannot_ask"))
                count = await letters.settle_ask_all(which)
            case _:
                if args.get("file") is None:
                    raise OperatorError(message("services.attach_one"))
                count = await letters.settle_attach_all(which, Path(str(args["file"])))
        return {"ok": True, "count": count, "left_uncertain": doubts.rows - count}


def _held(count: int, held: tuple[int, ...]) -> dict[str, Any]:
    """Which batches stand still, so that what was requeued in them waits for Resume."""
    return {"held": list(held)} if count and held else {}


def _bill(doubts: Doubts) -> dict[str, Any]:
    sums = [{"amount": figure(m.amount), "currency": m.currency} for m in doubts.worst]
    return {"may_cost": sums, "said": price_of_resending(doubts).dump()}
