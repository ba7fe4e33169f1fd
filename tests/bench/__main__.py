"""``python -m tests.bench [NAME] [options]``: one bench, or all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.bench import makespan

BENCHES: dict[str, Callable[[list[str]], int]] = {"makespan": makespan.main}


def main(arguments: list[str]) -> int:
    """The first bench that fails ends the run with its exit code."""
    if arguments and arguments[0] not in BENCHES:
        print(f"There is no such bench. There are: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    for name in arguments[:1] or BENCHES:
        code = BENCHES[name](arguments[1:])
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
