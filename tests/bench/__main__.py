"""``python -m tests.bench [NAME] [options]``: one bench, or all of them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

BENCHES = sorted(f.stem for f in Path(__file__).parent.glob("*.py") if not f.name.startswith("_"))


def main(arguments: list[str]) -> int:
    """The first bench that fails ends the run with its exit code."""
    if arguments and arguments[0] not in BENCHES:
        print(f"There is no such bench. There are: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    for name in arguments[:1] or BENCHES:
        code: int = importlib.import_module(f"tests.bench.{name}").main(arguments[1:])
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
