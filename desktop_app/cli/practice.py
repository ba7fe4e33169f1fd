"""``practice``: the built-in server in the foreground, for trying the app with no account."""

from __future__ import annotations

import argparse

from desktop_app.cli.say import Say
from desktop_app.wiring import HouseOptions, serve_practice


def practice(args: argparse.Namespace, options: HouseOptions, say: Say) -> int:
    """Serve until interrupted. Returns the exit code."""
    return serve_practice(options, port=args.port, config=args.config, tr=say.tr)
