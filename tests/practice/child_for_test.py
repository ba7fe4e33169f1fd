"""The verb ``practice`` without the program around it: ``python -m ... [--port P] [--config F]``.

With ``--as-parent`` it is a parent that starts the child, tells of it, and waits to be killed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.practice.child import PracticeProcess
from desktop_app.practice.serve import run_blocking
from tests.practice.practice_kit import FONT

ARGV = [sys.executable, "-m", "tests.practice.child_for_test"]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--config")
    parser.add_argument("--as-parent", action="store_true")
    given = parser.parse_args()
    say = Translator().say
    if given.as_parent:
        base_url, key = asyncio.run(PracticeProcess(ARGV).start())
        print(base_url, key, flush=True)
        time.sleep(600)
    try:
        return run_blocking(
            font=FONT, say=say, out=sys.stdout, port=given.port, config=given.config
        )
    except OperatorError as error:
        print(say(error.message), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
