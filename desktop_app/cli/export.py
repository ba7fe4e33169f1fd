"""``export``: the sheet's own columns first, ours after them."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.wiring import HouseOptions, open_guest


async def export(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Write results or failures of a batch. Raises OperatorError."""
    async with open_guest(options) as guest:
        target = Path(args.to).absolute()
        if args.what == "results":
            done = await guest.exports.results(args.batch, target, thumbnails=args.thumbnails)
        else:
            done = await guest.exports.failures(args.batch, target)
    say.document({"path": str(done.path), "rows": done.rows, "renamed": done.renamed})
    if done.renamed:
        say.aside(say.tr("{name} is open in another program: saved beside it.", name=target.name))
    say.line(
        say.tr.plural(
            "{n} row was exported to {path}.",
            "{n} rows were exported to {path}.",
            done.rows,
            path=done.path,
        )
    )
    return Exit.OK
