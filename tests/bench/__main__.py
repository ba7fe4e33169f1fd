"""``python -m tests.bench [NAME] [options]``: one bench, or all of them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

BENCHES = sorted(f.stem for f in Path(__file__).parent.glob("*.py") if not f.name.startswith("_"))


def main(arguments: list[str]) -> int:
    """Exit code 1 where one of them failed; the others are measured all the same."""
    if arguments and arguments[0] not in BENCHES:
        print(f"There is no such bench. There are: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    codes = [
        importlib.import_module(f"tests.bench.{name}").main(arguments[1:])
        for name in arguments[:1] or BENCHES
    ]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
