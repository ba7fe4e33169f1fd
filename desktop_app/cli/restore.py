"""``restore``: a damaged list of tasks is put together again; what is lost is named."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import TYPE_CHECKING

from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.wiring import HouseOptions, bring_back

if TYPE_CHECKING:
    from desktop_app.wiring.restore import Restored


async def restore(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Set the damaged file aside, bring back what can be had, say what is lost."""
    done = await bring_back(options, fresh=args.fresh)
    when = None if done.backup is None else _when(done.backup.made_at)
    lost = done.lost_rows
    say.document(
        {
            "backup": None if done.backup is None else str(done.backup.path),
            "backup_at": when,
            "damaged": None if done.damaged is None else str(done.damaged),
            "whole": done.is_whole,
            "lost_attempts": done.lost_attempts,
            "lost_batches": None if lost is None else [rows.name for rows in lost],
            "lost_rows": None
            if lost is None
            else [{"batch": r.name, "rows": r.rows, "folder": r.folder} for r in lost],
            "rebuilt_batches": list(done.rebuilt),
            "uncertain": done.uncertain,
            "lost_prompts": done.requests,
        }
    )
    tr = say.tr
    if done.damaged is not None:
        say.line(tr("The damaged file is kept as {file}.", file=done.damaged))
    for line in _told(done, when, say):
        say.line(line)
    return Exit.OK


def _told(done: Restored, when: str | None, say: Say) -> list[str]:
    tr = say.tr
    if done.is_whole:
        return [tr("Everything could be read: nothing is lost.")]
    if done.lost_rows is None and when is None:
        return [tr("The list of tasks is empty now.")]
    lines = []
    if done.lost_rows is None:
        lines += [
            tr("The list of tasks is the copy of {when} now.", when=when),
            tr("What happened since then can't be read."),
        ]
    elif when is None:
        lines.append(tr("The list of tasks holds what could be read of the damaged file."))
    else:
        lines.append(
            tr(
                "The list of tasks is the copy of {when} and all that could be read since.",
                when=when,
            )
        )
    lines += [
        tr(
            "Made anew from its rows, and paused: the batch {name}. It has no cap any more: give "
            "resume a --budget or --max-calls. Its sheet would be taken for a new one: don't "
            "import it again.",
            name=name,
        )
        for name in done.rebuilt
    ]
    if done.lost_attempts:
        lines.append(tr.plural("Lost: {n} call.", "Lost: {n} calls.", done.lost_attempts))
    for rows in done.lost_rows or ():
        if rows.folder is None:
            lines.append(tr("Lost: the batch {name}.", name=rows.name))
        elif rows.rows is None:
            lines.append(tr("Rows of the batch {name} may be lost.", name=rows.name))
        else:
            lines.append(
                tr.plural(
                    "Lost: {n} row of the batch {name}.",
                    "Lost: {n} rows of the batch {name}.",
                    rows.rows,
                    name=rows.name,
                )
            )
        if rows.folder is not None:
            lines.append(tr("Its files are in {folder}.", folder=rows.folder))
    if done.lost_rows:
        lines.append(
            tr(
                "Don't import such a sheet again as it is: what is paid for would be bought again. "
                "Leave the rows out whose files are there."
            )
        )
    if done.requests:
        lines.append(
            tr.plural(
                "Lost: the prompt of {n} row.", "Lost: the prompts of {n} rows.", done.requests
            )
        )
    if done.uncertain:
        lines.append(
            tr.plural(
                "{n} row needs you: nobody knows what became of it. It is not sent before you say "
                "so.",
                "{n} rows need you: nobody knows what became of them. They are not sent before you "
                "say so.",
                done.uncertain,
            )
        )
    return lines


def _when(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds")
