"""A mapping made ready for one sheet: names resolved to places once, not for every row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.template import Template


@dataclass(frozen=True, slots=True)
class Plan:
    """Exactly one of ``prompt_at`` and ``template`` is set. ``fixed`` and ``from_cells`` hold the
    parameters; places are indexes into a row's cells."""

    prompt_at: int | None
    template: Template | None
    fixed: Mapping[str, str]
    from_cells: Mapping[str, int]
    lane_at: int | None
    key_at: int | None
    priority_at: int | None


def make_plan(columns: tuple[str, ...], mapping: SheetMapping) -> Plan:
    """Raises OperatorError that names the missing column and the columns there are."""
    if (mapping.prompt_column is None) == (mapping.template is None):
        raise OperatorError(message("ingest.no_prompt_column", columns=", ".join(columns)))

    def find(name: str) -> int:
        return _find(columns, name)

    def find_optional(name: str | None) -> int | None:
        return None if name is None else find(name)

    template = None if mapping.template is None else Template(mapping.template, find)
    if template is not None and not template.places and not (mapping.template or "").strip():
        raise OperatorError(message("ingest.no_prompt_column", columns=", ".join(columns)))
    return Plan(
        prompt_at=find_optional(mapping.prompt_column),
        template=template,
        fixed={k: v for k, v in mapping.params.items() if not v.startswith("@")},
        from_cells={k: find(v[1:]) for k, v in mapping.params.items() if v.startswith("@")},
        lane_at=find_optional(mapping.lane_column),
        key_at=find_optional(mapping.key_column),
        priority_at=find_optional(mapping.priority_column),
    )


def _find(columns: tuple[str, ...], name: str) -> int:
    """By the exact name; else by the one name that differs in case and outer spaces only."""
    if name in columns:
        return columns.index(name)
    wanted = name.strip().casefold()
    near = [at for at, column in enumerate(columns) if column.strip().casefold() == wanted]
    if len(near) != 1:
        names = ", ".join(columns)
        raise OperatorError(message("ingest.no_such_column", column=name, columns=names))
    return near[0]
