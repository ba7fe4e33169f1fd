"""What of a sheet runs whose rows ran before: under its own name, or in other sheets."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from desktop_app.domain.batch import Batch
from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.services.asked_before import AskedBefore, said
from desktop_app.services.import_batch import ImportBatch, ImportPlan
from desktop_app.services.import_plan import Earlier


@dataclass(frozen=True, slots=True)
class Part:
    """What of a sheet is taken: ``plan`` with its rows, ``choice`` as it was made or is usual
    (None: go on where it stopped), ``asked`` with the other sheets' runs that have some of them."""

    plan: ImportPlan
    choice: Earlier | None
    asked: AskedBefore = field(default_factory=AskedBefore)


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
) -> Part:
    """The part of the plan that runs. Raises OperatorError where a choice needs a run that is not
    known."""
    choice = choice_of(args)
    if choice is Earlier.ALL:
        return Part(plan, choice)
    asked = await imports.asked_before(plan)
    if asked.runs:
        choice = choice or asked.usual
        for line in _lines(tr, asked, choice):
            tell(line)
        return Part(replace(plan, only_rows=asked.rows_for(choice)), choice, asked)
    if choice is None:
        return Part(plan, choice)
    if args.earlier is not None and not await imports.earlier(plan):
        if choice is not Earlier.SKIP:
            raise OperatorError(message("services.none_earlier"))
        tell(tr.say(message("services.none_earlier")))
    return Part(replace(plan, only_rows=await imports.rows_for(plan, choice)), choice)


def _lines(tr: Translator, asked: AskedBefore, choice: Earlier) -> Iterator[str]:
    yield from map(tr.say, said(asked.runs))
    are_done = any(each.done for each in asked.runs)
    waiting = [each.run.batch for each in asked.runs if each.waiting]
    if choice is Earlier.SKIP:
        if are_done:
            yield tr("They are left out: --earlier all runs and pays for them again.")
        else:
            yield tr("They are left out, and run there: --earlier all runs them here as well.")
        if waiting:
            yield tr("What waits goes on with: {verbs}", verbs=tr.listed(map(_resume, waiting)))
    elif choice is Earlier.ALL:
        yield tr("They run all the same: --earlier skip leaves them out.")


def _resume(batch: Batch) -> str:
    rest = "" if batch.row_gate is None else " --rest"  # after a trial
    return f"resume --batch {batch.id}{rest}"
