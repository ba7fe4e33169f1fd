"""``support``: one file for whoever helps; works beside a running instance and without a store."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.wiring import HouseOptions, lone_support


async def support(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """Write the file and say what is in it."""
    now = datetime.now().astimezone().strftime("%Y-%m-%d %H%M")
    target = Path(args.out or f"Batchwright support {now}.zip").expanduser().absolute()
    saved = await lone_support(options).save(target)
    unread = [say.tr.say(why) for why in saved.unread]
    say.document({"file": str(saved.path), "holds": list(saved.names), "unread": unread})
    say.line(say.tr("Support file saved: {name}", name=saved.path))
    for why in unread:
        say.aside(why)
    return Exit.OK
