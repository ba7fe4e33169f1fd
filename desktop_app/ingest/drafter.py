"""Rows to drafts under a mapping: what will be asked, under which name, or why it can't be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.ports import Capabilities, Param, SheetInfo, SheetRow
from desktop_app.domain.safe_names import first_graphemes, safe_name
from desktop_app.domain.task import Draft, Request
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ingest.mapping import Plan, make_plan
from desktop_app.ingest.values import WrongValue, typed

LONGEST_PROMPT = 1_000_000
"""Characters; no model takes more, and a cell like that is a mistake."""

_STEM_GRAPHEMES = 24
_SHOWN_VALUE = 60


class RowDrafter:
    """Implements ``ports.Drafter``. Pure; keeps only the last plan made, replaced as a whole, so
    that any thread may use it."""

    def __init__(self) -> None:
        self._last: tuple[tuple[str, ...], SheetMapping, Plan] | None = None

    def check(
        self, info: SheetInfo, mapping: SheetMapping, caps: Capabilities | None = None
    ) -> None:
        """Raises OperatorError for an unusable mapping: no prompt, an unknown column, or a
        parameter that ``caps`` (where given) does not know."""
        self._plan(info.columns, mapping)
        known = [param.name for param in caps.params] if caps is not None else []
        unknown = next((name for name in mapping.params if name not in known), None)
        if caps is not None and unknown is not None:
            params = ", ".join(known) or "-"
            raise OperatorError(message("ingest.unknown_param", param=unknown, params=params))

    def draft(
        self, info: SheetInfo, mapping: SheetMapping, caps: Capabilities, row: SheetRow
    ) -> Draft:
        """One row's draft; ``problem`` says why it cannot be used. Raises OperatorError for an
        unusable mapping."""
        plan = self._plan(info.columns, mapping)
        cells = row.cells
        prompt = cells[plan.prompt_at] if plan.prompt_at is not None else ""
        if plan.template is not None:
            prompt = plan.template.fill(cells)
        problem = row.problem or _prompt_problem(plan, row, prompt)
        params: dict[str, Any] = {}
        priority = 0
        if problem is None:
            try:
                params = _params(plan, info.columns, caps.params, cells)
                priority = _priority(plan, info.columns, cells)
            except _Unusable as error:
                problem = message(error.code, row=row.row_no, **error.values)
        key = _optional(cells, plan.key_at)
        return Draft(
            row_no=row.row_no,
            cells=cells,
            request=Request(prompt, params) if problem is None else None,
            stem=_stem(row.row_no, key, prompt),
            key=key,
            lane=_optional(cells, plan.lane_at),
            priority=priority,
            problem=problem,
        )

    def _plan(self, columns: tuple[str, ...], mapping: SheetMapping) -> Plan:
        last = self._last
        if last is not None and last[0] is columns and last[1] is mapping:
            return last[2]
        plan = make_plan(columns, mapping)
        self._last = (columns, mapping, plan)
        return plan


class _Unusable(Exception):
    """A value that is not what its parameter takes."""

    def __init__(self, column: str, value: str, why: WrongValue) -> None:
        super().__init__(why.code)
        shown = value if len(value) <= _SHOWN_VALUE else value[:_SHOWN_VALUE] + "…"
        self.code = why.code
        self.values = {"column": column, "value": shown, **why.values}


def _prompt_problem(plan: Plan, row: SheetRow, prompt: str) -> Message | None:
    if not prompt.strip():
        return message("ingest.empty_prompt", row=row.row_no)
    if plan.template is not None and plan.template.all_blank(row.cells):
        return message("ingest.empty_template", row=row.row_no)
    if len(prompt) > LONGEST_PROMPT:
        return message(
            "ingest.prompt_too_long", row=row.row_no, length=len(prompt), limit=LONGEST_PROMPT
        )
    return None


def _params(
    plan: Plan, columns: tuple[str, ...], known: tuple[Param, ...], cells: tuple[str, ...]
) -> dict[str, Any]:
    """The parameters by name, typed. An empty value is not sent: the provider's default holds."""
    texts: Mapping[str, tuple[str, str]] = {
        **{name: (name, text) for name, text in plan.fixed.items()},
        **{name: (columns[at], cells[at]) for name, at in plan.from_cells.items()},
    }
    by_name = {param.name: param for param in known}
    params: dict[str, Any] = {}
    for name, (column, text) in texts.items():
        if not text.strip():
            continue
        param = by_name.get(name)
        if param is None:
            why = WrongValue("ingest.no_param", param=name, params=", ".join(by_name) or "-")
            raise _Unusable(column, text, why)
        try:
            params[name] = typed(param, text)
        except WrongValue as error:
            raise _Unusable(column, text, error) from error
    return params


def _priority(plan: Plan, columns: tuple[str, ...], cells: tuple[str, ...]) -> int:
    text = _optional(cells, plan.priority_at)
    if text is None or plan.priority_at is None:
        return 0
    try:
        return int(typed(Param("priority", "int"), text))
    except WrongValue as error:
        raise _Unusable(columns[plan.priority_at], text, error) from error


def _optional(cells: tuple[str, ...], at: int | None) -> str | None:
    """The cell without outer spaces; blank is None."""
    return (cells[at].strip() or None) if at is not None else None


def _stem(row_no: int, key: str | None, prompt: str) -> str:
    """``0042_SKU-7``: legal on three systems, not yet unique."""
    number = f"{row_no:04d}"
    part = safe_name(key, fallback="") if key else ""
    part = part or safe_name(first_graphemes(prompt, _STEM_GRAPHEMES), fallback="")
    return f"{number}_{part}" if part else number
