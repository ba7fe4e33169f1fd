"""Columns by the names people write: one rule for mappings, templates, patterns and presets."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 30


def place_of(columns: Sequence[str], name: str) -> int | None:
    """The place of the column of exactly this name; else of the one that differs in case and outer
    spaces only; None where there is none, or more than one."""
    if name in columns:
        return columns.index(name)
    wanted = name.strip().casefold()
    near = [at for at, column in enumerate(columns) if column.strip().casefold() == wanted]
    return near[0] if len(near) == 1 else None


def named(columns: Sequence[str]) -> list[str]:
    """The columns as a Message lists them: a wide sheet's first ones."""
    more = ["…"] if len(columns) > _NAMED else []
    return [*columns[:_NAMED], *more]
