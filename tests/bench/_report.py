"""What every bench prints: one table, ratios first, and one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Bar:
    """``figure`` of the figures must not be above (``at_least``: below) ``limit``."""

    figure: str
    limit: float
    at_least: bool = False

    def holds(self, figures: Mapping[str, Any]) -> bool:
        """A figure that is not there holds no bar."""
        value = figures.get(self.figure)
        if value is None:
            return False
        return bool(value >= self.limit if self.at_least else value <= self.limit)

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.limit:g}"


def show(
    title: str, figures: Mapping[str, Any], bars: Sequence[Bar], *, json_only: bool = False
) -> int:
    """Print; the exit code: 1 when a bar is missed."""
    missed = [bar.figure for bar in bars if not bar.holds(figures)]
    if not json_only:
        print(table(title, figures, bars))
    print(json.dumps({**figures, "missed": missed, "passed": not missed}), flush=True)
    return 1 if missed else 0


def table(title: str, figures: Mapping[str, Any], bars: Sequence[Bar]) -> str:
    """One line a figure; beside those with a bar, the bar and whether it holds."""
    by_name: dict[str, list[Bar]] = {}
    for bar in bars:
        by_name.setdefault(bar.figure, []).append(bar)
    lines = [title]
    for name, value in figures.items():
        shown = f"{value:.3f}" if isinstance(value, float) else str(value)
        line = f"  {name.replace('_', ' '):<34}{shown:>12}"
        for bar in by_name.get(name, []):
            line += f"   {bar}{'' if bar.holds(figures) else '  MISSED'}"
        lines.append(line)
    lines.append("  passed" if all(bar.holds(figures) for bar in bars) else "  FAILED")
    return "\n".join(lines)
