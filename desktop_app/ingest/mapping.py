"""A mapping made ready for one sheet: names resolved to places once, not for every row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.columns import named, place_of
from desktop_app.domain.filing import Filing, NameTemplate
from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.template import Template, make_template


@dataclass(frozen=True, slots=True)
class Plan:
    """Exactly one of ``prompt_at`` and ``template`` is set. ``fixed`` and ``from_cells`` hold the
    parameters; places are indexes into a row's cells. ``filing`` None: the usual names."""

    prompt_at: int | None
    template: Template | None
    fixed: Mapping[str, str]
    from_cells: Mapping[str, int]
    lane_at: int | None
    key_at: int | None
    priority_at: int | None
    filing: Filing | None


def make_plan(columns: tuple[str, ...], mapping: SheetMapping) -> Plan:
    """Raises OperatorError that names the missing column and the columns there are."""
    if (mapping.prompt_column is None) == (mapping.template is None):
        raise OperatorError(message("ingest.no_prompt_column", columns=named(columns)))

    def find(name: str) -> int:
        return _find(columns, name)

    def find_optional(name: str | None) -> int | None:
        return None if name is None else find(name)

    if mapping.template is not None and not mapping.template.strip():
        raise OperatorError(message("ingest.no_prompt_column", columns=named(columns)))
    return Plan(
        prompt_at=find_optional(mapping.prompt_column),
        template=None if mapping.template is None else make_template(mapping.template, columns),
        fixed={k: v for k, v in mapping.params.items() if not v.startswith("@")},
        from_cells={k: find(v[1:]) for k, v in mapping.params.items() if v.startswith("@")},
        lane_at=find_optional(mapping.lane_column),
        key_at=find_optional(mapping.key_column),
        priority_at=find_optional(mapping.priority_column),
        filing=_filing(columns, mapping),
    )


def _filing(columns: tuple[str, ...], mapping: SheetMapping) -> Filing | None:
    def find_in_name(name: str) -> int:
        place = place_of(columns, name)
        if place is None:
            said = message("ingest.no_column_in_name", column=name, columns=named(columns))
            raise OperatorError(said)
        return place

    pattern, folder = mapping.output_name, mapping.subfolder or ""
    if not pattern and not folder:
        return None
    return Filing(
        NameTemplate(pattern, columns, find_in_name) if pattern else None,
        _find(columns, folder[1:]) if folder.startswith("@") else folder,
    )


def _find(columns: tuple[str, ...], name: str) -> int:
    place = place_of(columns, name)
    if place is None:
        raise OperatorError(message("ingest.no_such_column", column=name, columns=named(columns)))
    return place
