"""An operator who guessed: told 32 at once where 10 are allowed, else the same as ``makespan``.

    python -m tests.bench.guessed [--scale S] [--json] [--rows N]

Bars: every row comes to its end, 1.10 times the list schedule for the true limits, at most 30
answers 429.
"""

from __future__ import annotations

import sys

from tests.bench._report import Bar, show
from tests.bench.makespan import WHOLE, measure, parse

TOLD = 32
BARS = (Bar("ratio", 1.10), Bar("refused_429", 30), *WHOLE)


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    given = parse(arguments, __doc__)
    title = "guessed: makespan's server, told 32 at once where 10 are allowed"
    figures = measure(TOLD, given.scale, given.rows)
    return show(title, figures, BARS, json_only=given.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
