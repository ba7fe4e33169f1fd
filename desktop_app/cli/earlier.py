"""What of a sheet runs whose rows ran before: under its own name, or in other sheets."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.services.asked_before import said
from desktop_app.services.import_batch import ImportBatch, ImportPlan
from desktop_app.services.import_plan import AskedIn, Earlier


def choice_of(args: argparse.Namespace) -> Earlier | None:
    """What of a sheet that ran before is wanted; None: go on where it stopped."""
    if args.earlier is not None:
        return Earlier(args.earlier)
    if args.update:
        return Earlier.CHANGED
    return Earlier.ALL if args.new else None


async def part_of(
    imports: ImportBatch,
    args: argparse.Namespace,
    plan: ImportPlan,
    tr: Translator,
    tell: Callable[[str], None],
) -> tuple[ImportPlan, Earlier | None, Sequence[AskedIn]]:
    """The plan with the rows that run, what that makes of earlier runs, and those of other sheets
    that have some of them. Raises OperatorError where a choice needs a run that is not known."""
    choice = choice_of(args)
    if choice is Earlier.ALL:
        return plan, choice, ()
    asked = await imports.asked_before(plan)
    if asked.runs:
        choice = choice or asked.usual
        for line in _lines(tr, asked.runs, choice):
            tell(line)
        return replace(plan, only_rows=asked.rows_for(choice)), choice, asked.runs
    if choice is None:
        return plan, choice, ()
    if args.earlier is not None and not await imports.earlier(plan):
        if choice is not Earlier.SKIP:
            raise OperatorError(message("services.none_earlier"))
        tell(tr.say(message("services.none_earlier")))
    return replace(plan, only_rows=await imports.rows_for(plan, choice)), choice, ()


def _lines(tr: Translator, asked: Sequence[AskedIn], choice: Earlier) -> Iterator[str]:
    yield from map(tr.say, said(asked))
    if choice is Earlier.SKIP:
        yield tr("They are left out: --earlier all runs and pays for them again.")
    elif choice is Earlier.ALL:
        yield tr("They run all the same: --earlier skip leaves them out.")
