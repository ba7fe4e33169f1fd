"""``run --check``: what a run would be, said in full while nothing is imported."""

from __future__ import annotations

import argparse
import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop_app.cli.earlier import part_of
from desktop_app.cli.exits import Exit
from desktop_app.cli.reading import as_options
from desktop_app.cli.say import Say, ledger_line
from desktop_app.cli.status import document
from desktop_app.cli.update import update_lines
from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.services.import_batch import ImportPlan, PreRun, RowPreview
from desktop_app.services.import_plan import AskedIn, Differences, Earlier
from desktop_app.services.trial import MOST, Pick, Trial, rows_of, spelled, spelled_first
from desktop_app.wiring import House

SHOWN = 20
"""Rows that are named; a sheet has them all."""

SAID_EVERY = 100_000


def trial_of(args: argparse.Namespace) -> Trial | None:
    """The trial that was asked for. Raises OperatorError."""
    if (args.random and args.trial is None) or (args.seed is not None and not args.random):
        raise OperatorError(message("services.trial_options"))
    if args.trial_rows is not None:
        rows = rows_of(args.trial_rows)
        if not rows:
            raise OperatorError(message("services.bad_rows", text=repr(args.trial_rows)))
        return Trial(Pick.CHOSEN, rows=rows)
    if args.trial is None:
        return None
    if args.trial > MOST:
        raise OperatorError(message("services.trial_many", most=f"{MOST:,}"))
    if not args.random:
        return Trial(count=args.trial)
    seed = args.seed if args.seed is not None else secrets.randbelow(1_000_000)
    return Trial(Pick.RANDOM, args.trial, seed)


async def check(house: House, args: argparse.Namespace, plan: ImportPlan, say: Say) -> Exit:
    """Print the report; 3 where rows can't be used. Raises OperatorError."""
    imports = house.services.imports
    part = await part_of(imports, args, plan, say.tr, say.line)
    plan = part.plan
    found = await imports.pre_run(plan, _heard(say, plan.info.rows))
    plan = replace(plan, dead=found.dead)
    run = found.earlier[0] if found.earlier else found.lineage or part.asked.version
    differs: Differences | None = None
    if part.choice is Earlier.CHANGED and run is not None:
        differs = await imports.differences(plan, run.batch.id)
        found = _of_update(found, differs, pay=args.pay_again)
    said: dict[str, Any] = _document(say, found)
    said["read"] = {
        "encoding": plan.info.encoding,
        "delimiter": plan.info.delimiter,
        "worksheet": plan.info.worksheet,
        "worksheets": list(plan.info.worksheets),
    }
    said["asked"] = [_asked(each) for each in part.asked.runs]
    if args.problems is not None:
        target = Path(args.problems).absolute()
        saved = await house.services.exports.unusable(
            plan.info.columns, imports.unusable_rows(plan), target
        )
        said["saved"] = str(saved.path)
    shown_row = None if args.row is None else await imports.preview(plan, args.row)
    if shown_row is not None:
        said["request"] = _request(say, shown_row)
    say.document(said)
    for line in (*_read(say, plan.info), *_lines(say, found)):
        say.line(line)
    if differs is not None and run is not None:
        ways = {"pay": args.pay_again, "cancel": args.gone}
        for line in update_lines(say.tr, run.batch.id, differs, **ways):
            say.line(line)
    shown = [(problem.row_no, say.tr.say(problem.said)) for problem in found.problems[:SHOWN]]
    if shown:
        say.table([say.tr("Row"), say.tr("Problem")], shown)
    if shown_row is not None:
        if shown_row.row_no != args.row:
            near = {"row": args.row, "near": shown_row.row_no}
            say.aside(say.tr("The sheet has no row {row}: row {near} is shown.", **near))
        say.line(say.tr("Row {row} of the sheet", row=shown_row.row_no))
        say.line(json.dumps(said["request"], ensure_ascii=False, indent=2, default=str))
    if "saved" in said:
        say.line(say.tr("Saved: {file}", file=said["saved"]))
    return Exit.DEAD_LETTERS if found.bad_rows else Exit.OK


def _of_update(found: PreRun, differs: Differences, *, pay: bool) -> PreRun:
    """The same of the rows that an update runs; their time and disk are not known."""
    return replace(
        found,
        calls=differs.runs + (len(differs.again) if pay else 0),
        cost=differs.whole_cost if pay else differs.cost,
        duration=None,
        disk=None,
        trial=(),
    )


def _heard(say: Say, total: int | None) -> Callable[[int], None]:
    """Says how far a long check is, now and then."""
    following = SAID_EVERY

    def hear(rows: int) -> None:
        nonlocal following
        if rows >= following and total is not None:
            following += SAID_EVERY
            say.aside(say.tr("{n} of {total} rows checked", n=f"{rows:,}", total=f"{total:,}"))

    return hear


def _read(say: Say, info: SheetInfo) -> Iterator[str]:
    yield say.tr("Read with: {options}", options=as_options(info) or "-")
    others = [name for name in info.worksheets if name != info.worksheet]
    if others:
        yield say.tr("Other worksheets: {names}", names=say.tr.listed(others))


def _lines(say: Say, found: PreRun) -> Iterator[str]:
    tr = say.tr
    yield tr(
        "Rows found: {found}; {valid} can be used, {bad} can't.",
        found=f"{found.found:,}",
        valid=f"{found.valid:,}",
        bad=f"{found.bad_rows:,}",
    )
    if found.duplicates:
        yield tr.plural(
            "{n} row asks for exactly what a row above asks for (row {rows}).",
            "{n} rows ask for exactly what rows above ask for (rows {rows}).",
            found.duplicates,
            rows=spelled_first(found.duplicate_rows, SHOWN, of=found.duplicates),
        )
        yield (
            tr("They are left out.")
            if found.skips_duplicates
            else tr("They run all the same: --duplicates skip leaves them out.")
        )
    if found.gaps:
        yield tr.plural(
            "{n} row leaves {columns} blank (row {rows}); its prompt goes out without that.",
            "{n} rows leave {columns} blank (rows {rows}); their prompts go out without that.",
            found.gaps,
            columns=tr.listed(found.gap_columns),
            rows=spelled_first(found.gap_rows, SHOWN, of=found.gaps),
        )
    for doubt in found.address_doubts:
        yield tr.say(doubt)
    for run in found.earlier or tuple(filter(None, (found.lineage,))):
        yield tr(
            "Ran before as batch {batch}: {rows}.",
            batch=run.batch.id,
            rows=ledger_line(tr, document(run)),
        )
    yield tr("Calls: {n}", n=f"{found.calls:,}")
    yield tr("Cost: {cost}", cost=_say(say, found.cost))
    if found.duration is not None:
        yield tr("Time: {time}", time=_say(say, found.duration))
    if found.disk is not None:
        yield tr("Disk: {disk}", disk=_say(say, found.disk.said()))
    if found.trial_problem is not None:
        yield _say(say, found.trial_problem)
    elif found.trial:
        yield tr("Trial: rows {rows}", rows=spelled(row.row_no for row in found.trial))
    yield tr("Files: {folder}", folder=found.out_dir)


def _document(say: Say, found: PreRun) -> dict[str, Any]:
    disk = found.disk
    return {
        "rows": found.found,
        "valid": found.valid,
        "invalid": found.bad_rows,
        "problems": [
            {"row": problem.row_no, "said": say.tr.say(problem.said)} for problem in found.problems
        ],
        "duplicates": found.duplicates,
        "duplicate_rows": list(found.duplicate_rows),
        "skips_duplicates": found.skips_duplicates,
        "gaps": found.gaps,
        "gap_rows": list(found.gap_rows),
        "gap_columns": list(found.gap_columns),
        "addresses": [say.tr.say(doubt) for doubt in found.address_doubts],
        "earlier": [
            {"batch": run.batch.id, "success": run.ledger.success, "imported": run.ledger.imported}
            for run in found.earlier or tuple(filter(None, (found.lineage,)))
        ],
        "calls": found.calls,
        "cost": found.cost and {"said": say.tr.say(found.cost), **found.cost.values},
        "time": found.duration and {"said": say.tr.say(found.duration), **found.duration.values},
        "disk": disk and {"free": disk.free, "needed": disk.needed, "measured": disk.measured},
        "trial": [row.row_no for row in found.trial],
        "trial_problem": found.trial_problem and say.tr.say(found.trial_problem),
        "out": found.out_dir,
    }


def _asked(each: AskedIn) -> dict[str, Any]:
    batch = each.run.batch
    return {"batch": batch.id, "name": batch.name, "done": each.done, "waiting": each.waiting}


def _request(say: Say, shown: RowPreview) -> dict[str, Any]:
    return {
        "row": shown.row_no,
        "file": shown.file_name,
        "body": dict(shown.body),
        "problem": shown.problem and say.tr.say(shown.problem),
    }


def _say(say: Say, said: Message | None) -> str:
    return "-" if said is None else say.tr.say(said)
