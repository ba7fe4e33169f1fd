"""``restore``: the newest copy takes the place of a damaged list of tasks; losses are named."""

from __future__ import annotations

import argparse
from datetime import datetime

from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.wiring import HouseOptions, bring_back


async def restore(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Set the damaged file aside, bring back the copy, say what is lost."""
    done = await bring_back(options, fresh=args.fresh)
    made_at = None if done.backup is None else done.backup.made_at
    when = None if made_at is None else _when(made_at)
    lost = None if done.lost_batches is None else list(done.lost_batches)
    say.document(
        {
            "backup": None if done.backup is None else str(done.backup.path),
            "backup_at": when,
            "damaged": str(done.damaged),
            "lost_attempts": done.lost_attempts,
            "lost_batches": lost,
            "uncertain": done.uncertain,
        }
    )
    tr = say.tr
    say.line(tr("The damaged file is kept as {file}.", file=done.damaged))
    if when is None:
        say.line(tr("The list of tasks is empty now."))
        return Exit.OK
    say.line(tr("The list of tasks is the copy of {when} now.", when=when))
    if done.lost_attempts is None or lost is None:
        say.line(
            tr(
                "What happened since then can't be read. Compare the list with the output folders "
                "before you resume: rows sent since then would be paid for again."
            )
        )
    else:
        say.line(tr.plural("Lost: {n} call.", "Lost: {n} calls.", done.lost_attempts))
        for name in lost:
            say.line(tr("Lost: the batch {name}. Import its sheet again.", name=name))
    if done.uncertain:
        say.line(
            tr.plural(
                "{n} row was sent since then and needs you: it may have been billed.",
                "{n} rows were sent since then and need you: they may have been billed.",
                done.uncertain,
            )
        )
    return Exit.OK


def _when(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds")
