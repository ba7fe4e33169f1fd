"""Verbs that only read: they work beside a running instance and without one."""

from __future__ import annotations

import argparse
from datetime import datetime

from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.cli.status import document, reason_of
from desktop_app.domain.attempt import flags_note
from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.money import Money, costs_nothing, spoken
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.domain.views import BatchSummary, TaskFilter
from desktop_app.services.obey_commands import filter_of
from desktop_app.wiring import HouseOptions, open_guest

PAGE = 1000
RUNNING = TaskState.RUNNING.word


async def status(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """The ledger of a batch; the newest when none is named."""
    async with open_guest(options) as guest:
        if args.batch is None:
            batches = await guest.queries.batches()
            summary = batches[0] if batches else None
        else:
            summary = await guest.queries.batch(args.batch)
        works = guest.is_worked_on()
        if summary is None:
            empty = args.batch is None
            raise OperatorError(
                message("services.no_batches" if empty else "services.no_batch", batch=args.batch)
            )
        done = TaskFilter(summary.batch.id, frozenset({TaskState.SUCCESS}))
        several = await guest.queries.several(done)
    said = document(summary, reason_of(summary, works=works))
    said["interrupted"] = 0 if works else summary.ledger.running
    said["results"] = summary.ledger.success + sum(several.values()) - len(several)
    say.document(said)
    say.ledger(said, works=works)
    if summary.batch.priority is not BatchPriority.NORMAL:
        say.facts({say.tr("Priority"): priority_word(say.tr, summary.batch.priority)})
    if several:
        say.facts({say.tr("Results"): said["results"]})
    if summary.in_part:
        say.facts({say.tr("Came in part"): summary.in_part})
    _money(say, summary)
    return Exit.OK


def _money(say: Say, summary: BatchSummary) -> None:
    tr, cap = say.tr, summary.batch.budget
    is_free = costs_nothing(summary.spent, summary.reserved, summary.unpriced_calls)
    facts = {
        tr("Spent"): _sum(summary.spent),
        tr("Reserved"): _sum(summary.reserved),
        tr("Cap"): spoken(cap) if cap is not None else "",
        tr("Without a price"): summary.unpriced_calls or "",
        tr("May be paid twice"): "" if is_free else summary.maybe_double or "",
    }
    say.facts({name: said for name, said in facts.items() if said})


def priority_word(tr: Translator, priority: BatchPriority) -> str:
    """In one word."""
    return {
        BatchPriority.HIGH: tr("high"),
        BatchPriority.NORMAL: tr("normal"),
        BatchPriority.LOW: tr("low"),
    }[priority]


def _sum(parts: tuple[Money, ...]) -> str:
    return " + ".join(map(spoken, parts))


async def tasks(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """The rows of a batch, in sheet order."""
    which = filter_of({"batch": args.batch, "states": args.state})
    shown = []
    async with open_guest(options) as guest:
        if await guest.queries.batch(args.batch) is None:
            raise OperatorError(message("services.no_batch", batch=args.batch))
        works = guest.is_worked_on()
        ids = await guest.queries.ids(which)
        for start in range(0, len(ids), PAGE):
            for row in await guest.queries.rows(ids[start : start + PAGE]):
                said = row.note or flags_note(row.flags)
                note = say.tr.say(said) if said else None
                shown.append(
                    {
                        "task": row.task_id,
                        "row": row.row_no,
                        "key": row.key,
                        "state": row.state.word,
                        "attempts": row.tries,
                        "retries": row.retries_spent,
                        "error_class": row.error_class,
                        "error_code": row.error_code,
                        "error": note,
                        "output": row.output,
                        "files": [] if row.output is None else [row.output, *row.more],
                        "cost": row.cost,
                        "flags": list(row.flags),
                        "prompt": row.prompt,
                    }
                )
    say.document(shown)
    say.table(
        [
            say.tr("Row"),
            say.tr("State"),
            say.tr("Tries"),
            say.tr("Task"),
            say.tr("Cause"),
            say.tr("Note"),
        ],
        [
            (
                t["row"],
                t["state"] if works or t["state"] != RUNNING else say.tr("interrupted"),
                t["attempts"],
                t["task"],
                t["error_code"] or "",
                t["error"] or "",
            )
            for t in shown
        ],
    )
    return Exit.OK


async def attempts(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Every try of one row, with what the provider answered."""
    async with open_guest(options) as guest:
        pk = await guest.queries.pk_of(args.task)
        detail = await guest.queries.detail(pk) if pk is not None else None
    if detail is None:
        raise OperatorError(message("services.no_task_id", task=args.task))
    shown = [
        {
            "attempt": a.attempt_no,
            "edition": a.edition,
            "started_at": _when(a.started_at),
            "ended_at": _when(a.ended_at),
            "outcome": a.outcome,
            "http_status": a.http_status,
            "request_id": a.request_id,
            "latency_s": None if a.latency_s is None else round(a.latency_s, 3),
            "error_code": a.error_code,
            "error": say.tr.say(a.said) if a.said else None,
            "body": a.body,
            "cost": a.cost,
            "billed": a.billed,
            "sent": a.sent,
            "idempotency_key": a.idempotency_key,
        }
        for a in detail.attempts
    ]
    say.document({"task": args.task, "state": detail.row.state.word, "attempts": shown})
    say.table(
        ["#", say.tr("Started"), say.tr("Outcome"), "HTTP", say.tr("Seconds"), say.tr("Note")],
        [
            (
                a["attempt"],
                a["started_at"],
                a["outcome"],
                a["http_status"],
                a["latency_s"],
                a["error"] or "",
            )
            for a in shown
        ],
    )
    for a in shown:  # a result's address, the provider's own words: they are there to be copied
        if a["body"]:
            say.line(f"#{a['attempt']}  {a['body']}")
    return Exit.OK


def _when(at: float | None) -> str | None:
    return (
        datetime.fromtimestamp(at).astimezone().isoformat(timespec="milliseconds") if at else None
    )
