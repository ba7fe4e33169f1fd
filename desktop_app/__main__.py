"""The one entry: verbs go to the terminal, no verb opens the window."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

NEW_OBJECTS = 10_000
"""So many more objects than were dropped are made before any is looked at for garbage. The engine
makes thousands a second and drops nearly all of them by itself: looking every 700, as Python does,
takes a fifth of its time."""


def collect_rarely() -> None:
    """How this program's processes look for garbage."""
    gc.set_threshold(NEW_OBJECTS)


TURN_S = 0.001


def main(argv: Sequence[str] | None = None) -> int:
    """Run a verb, or the window when none is named. Returns the exit code."""
    if getattr(sys, "frozen", False):
        # A frozen program is its own interpreter: its helpers are started by this same entry.
        import multiprocessing

        multiprocessing.freeze_support()
    collect_rarely()
    from desktop_app.cli.parser import parse

    args = parse(sys.argv[1:] if argv is None else list(argv))
    if args.verb is None:
        # Qt is only imported where a window is wanted: the verbs run without it installed.
        # A start makes much and throws little away: no time is spent looking for it meanwhile.
        # The window turns this on again.
        gc.disable()
        # Qt's thread asks for its turn again after nearly every line it draws; a thread that reads
        # or decodes meanwhile would keep it for Python's usual 5 ms each time.
        sys.setswitchinterval(TURN_S)
        from desktop_app.ui.quick_imports import import_plainly

        try:
            import_plainly()
            from desktop_app.app import run_window
        except ImportError as error:
            from desktop_app.cli.no_window import is_without_window, no_window

            if not is_without_window(error):
                raise
            return no_window(args, error)
        return run_window(args)
    from desktop_app.cli.main import main as run_verb

    return run_verb(args)


def window() -> int:
    """The entry of the desktop icon."""
    return main()


if __name__ == "__main__":
    sys.exit(main())
