"""``run``: a sheet becomes a batch, the batch runs to its end, the ledger is the last word."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from desktop_app.cli.check import check, trial_of
from desktop_app.cli.earlier import Part, choice_of, part_of
from desktop_app.cli.exits import Exit
from desktop_app.cli.reading import options_of
from desktop_app.cli.run_connection import connection_of, priced
from desktop_app.cli.run_mapping import chosen, keep, lane_rule, mapping_of
from desktop_app.cli.say import Say
from desktop_app.cli.several import each
from desktop_app.cli.update import update_lines
from desktop_app.cli.watch import watch
from desktop_app.domain.mapping_file import MappingPreset
from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.text import OperatorError, message
from desktop_app.services.batch_priority import priority_of
from desktop_app.services.import_batch import ImportBatch, ImportPlan
from desktop_app.services.import_plan import Earlier
from desktop_app.services.literal_names import literal_names
from desktop_app.services.trial import Trial, spelled
from desktop_app.wiring import FolderInUse, House, HouseOptions, open_house


async def run(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Import (or continue) and run; with ``--check`` only say what that would be. Raises
    OperatorError for what can't be used."""
    if (args.pay_again or args.gone != "keep") and choice_of(args) is not Earlier.CHANGED:
        raise OperatorError(message("services.only_with_update"))
    trial = trial_of(args)
    if trial is not None and choice_of(args) is Earlier.CHANGED:
        raise OperatorError(message("services.trial_not_update"))
    try:
        # A check changes nothing, and so is in nobody's way.
        async with open_house(options, shared=args.check) as house:
            preset = await chosen(house, args)
            return await each(
                house, args, say, lambda one, said: _run(house, one, said, trial, preset)
            )
    except FolderInUse:
        say.error(message("services.run_in_window", sheet=Path(args.sheet).name))
        return Exit.IN_USE


async def _run(
    house: House,
    args: argparse.Namespace,
    say: Say,
    trial: Trial | None,
    preset: MappingPreset | None,
) -> Exit:
    imports = house.services.imports
    connection = await connection_of(house, args)
    connection = await priced(house, args, connection)
    await _no_failure_sheet(house, args)
    info = await imports.open(Path(args.sheet), options_of(args))
    try:
        for warning in info.warnings:
            say.aside(say.tr.say(warning))
        if not args.check:
            say_worksheet(say, info)
        shown = house.services.connections.params(connection.adapter, connection)
        known = {param.name for param in shown}
        plan = ImportPlan(
            info=info,
            mapping=mapping_of(args, info, known, preset),
            connection_id=connection.id,
            out_dir=str(Path(args.out).absolute()) if args.out else None,
            limit=args.limit,
            lane_on_dead=lane_rule(args, preset),
            max_calls=args.max_calls,
            budget=args.budget,
            skip_duplicates=args.duplicates == "skip",
            trial=trial or Trial(),
            embed=args.embed,
            price=connection.price if args.check else None,
        )
        for doubt in literal_names(plan.mapping, info.columns):
            say.aside(say.tr.say(doubt))
        if args.check:
            code = await check(house, args, plan, say)
            await keep(house, args, plan, say)
            return code
        await house.start_engine()
        batch_id, is_whole = await _import(house, args, plan, say)
        await keep(house, args, plan, say)
    finally:
        await imports.forget(info)
    if is_whole:
        await house.services.runs.widen(batch_id)
    await house.services.runs.cap(batch_id, args.max_calls, args.budget)
    if args.priority is not None:
        await house.services.priorities.set(batch_id, priority_of(args.priority))
    return await watch(house, say, batch_id, wait_s=args.wait)


def say_worksheet(say: Say, info: SheetInfo) -> None:
    """Which one of several is taken; a check says it in full."""
    others = [name for name in info.worksheets if name != info.worksheet]
    if others:
        listed = say.tr.listed(others)
        say.aside(
            say.tr("Worksheet taken: {name}; left: {others}", name=info.worksheet, others=listed)
        )


async def _no_failure_sheet(house: House, args: argparse.Namespace) -> None:
    """Raises OperatorError for one, since its rows go on in their own batch."""
    if args.new:
        return
    found = await house.services.failure_sheets.look(Path(args.sheet))
    if found is not None:
        code = "services.is_result_sheet" if found.others else "services.is_failure_sheet"
        raise OperatorError(message(code, sheet=Path(args.sheet).name))


async def _import(
    house: House, args: argparse.Namespace, plan: ImportPlan, say: Say
) -> tuple[int, bool]:
    """Returns (batch id, whether all its rows may run)."""
    imports = house.services.imports
    part = await part_of(imports, args, plan, say.tr, say.aside)
    plan = part.plan
    if part.choice is Earlier.CHANGED:
        return await _update(house, args, part, say), True
    if plan.only_rows is not None and not plan.only_rows:
        return await _unfinished(house, plan, say), True
    if args.trial is not None or args.trial_rows is not None:
        plan = await _gated(imports, plan, say)
    batch_id, continued = await imports.continue_or_new(plan, new=part.choice is not None)
    if continued:
        say.aside(say.tr("This sheet ran before: going on with batch {batch}.", batch=batch_id))
        if plan.gate:
            await house.services.runs.try_rows(batch_id, plan.gate)
    return batch_id, not plan.gate


async def _gated(imports: ImportBatch, plan: ImportPlan, say: Say) -> ImportPlan:
    """The plan as a trial; one of all its rows is none."""
    found = await imports.pre_run(plan)
    if found.trial_problem is not None:
        raise OperatorError(found.trial_problem)
    rows = tuple(row.row_no for row in found.trial)
    if rows:
        say.aside(
            say.tr.plural(
                "Trial of {n} row: {rows}.",
                "Trial of {n} rows: {rows}.",
                len(rows),
                rows=spelled(rows),
            )
        )
    return replace(plan, gate=rows, dead=found.dead)


async def _unfinished(house: House, plan: ImportPlan, say: Say) -> int:
    """Where nothing is left for a new run: the earlier one that has rows to come."""
    runs = await house.services.imports.earlier(plan)
    waiting = next((run.batch.id for run in runs if run.ledger.unfinished), None)
    if waiting is None:
        raise OperatorError(message("services.nothing_left", sheet=plan.info.path.name))
    say.aside(say.tr("This sheet ran before: going on with batch {batch}.", batch=waiting))
    return waiting


async def _update(house: House, args: argparse.Namespace, part: Part, say: Say) -> int:
    imports, tr, plan = house.services.imports, say.tr, part.plan
    earlier = part.asked.version or await imports.lineage(plan)
    if earlier is None:
        raise OperatorError(message("services.no_lineage", sheet=plan.info.path.name))
    batch_id = earlier.batch.id
    differs = await imports.differences(plan, batch_id)
    for line in update_lines(tr, batch_id, differs, pay=args.pay_again, cancel=args.gone):
        say.aside(line)
    await imports.update(
        plan,
        batch_id,
        again=differs.again if args.pay_again else (),
        cancel_gone=args.gone == "cancel",
    )
    return batch_id


def parse_extra(text: str | None) -> dict[str, object]:
    """The ``--extra`` object. Raises OperatorError unless it is a JSON object."""
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError as error:
        raise OperatorError(message("services.bad_extra", why=str(error))) from error
    if not isinstance(found, dict):
        raise OperatorError(message("services.bad_extra", why=type(found).__name__))
    return found
