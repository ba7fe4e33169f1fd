"""Rows to drafts under a mapping: what will be asked, under which name, or why it can't be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.ports import (
    Capabilities,
    Param,
    ReferenceRule,
    SheetInfo,
    SheetLine,
    SheetRow,
)
from desktop_app.domain.references import REFERENCE, is_reference
from desktop_app.domain.safe_names import are_safe, first_graphemes, is_safe, safe_name
from desktop_app.domain.task import Draft, DraftValues, Request
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ingest.mapping import Plan, make_plan
from desktop_app.ingest.reference_cells import PictureFiles, ReferenceCells
from desktop_app.ingest.row_params import RowParams, Unusable
from desktop_app.ingest.template import LONGEST_PROMPT, Unfilled, all_blank
from desktop_app.ingest.values import WrongValue, typed

MODEL = "model"
"""The parameter by which rows name their model, where a connection lets them."""

_STEM_GRAPHEMES = 24
_PADDED = 999
_TOGETHER = 256
_Line = tuple[int, Sequence[str], Message | None]
_Made = tuple[Plan, tuple[Param, ...], RowParams, tuple[Path, tuple[ReferenceRule, ...]]]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class RowDrafter:
    """Implements ``ports.Drafter``. Of the world it reads only the pictures that rows refer to, and
    then blocks. Keeps the last plan made, replaced as a whole, so that any thread may use it."""

    def __init__(self) -> None:
        self._last: tuple[tuple[str, ...], SheetMapping, Plan] | None = None
        self._last_params: _Made | None = None
        self._pictures = PictureFiles()

    def check(
        self, info: SheetInfo, mapping: SheetMapping, caps: Capabilities | None = None
    ) -> None:
        """Raises OperatorError for an unusable mapping: no prompt, an unknown column, or a
        parameter that ``caps`` (where given) does not know."""
        self._plan(info.columns, mapping)
        known = [param.name for param in caps.params] if caps is not None else []
        unknown = next((n for n in mapping.params if _plain(n) not in known), None)
        if caps is not None and unknown is not None:
            if unknown == MODEL:
                raise OperatorError(message("ingest.no_row_model"))
            params = known or ["-"]
            raise OperatorError(message("ingest.unknown_param", param=unknown, params=params))

    def draft(
        self, info: SheetInfo, mapping: SheetMapping, caps: Capabilities, row: SheetRow
    ) -> Draft:
        """One row's draft; ``problem`` says why it cannot be used. Raises OperatorError for an
        unusable mapping."""
        params = self._params(self._plan(info.columns, mapping), info, caps)
        (values,) = _values(params, ((row.row_no, row.cells, row.problem),))
        row_no, cells, prompt, found, extra, stem, key, lane, priority, problem = values
        request = None if prompt is None else Request(prompt, found, extra)
        return Draft(row_no, tuple(cells), request, stem, key, lane, priority, problem)

    def values(
        self,
        info: SheetInfo,
        mapping: SheetMapping,
        caps: Capabilities,
        lines: Iterable[SheetLine],
    ) -> Iterator[DraftValues]:
        """What ``draft`` makes of each row, as plain values. Raises OperatorError as it does."""
        params = self._params(self._plan(info.columns, mapping), info, caps)
        # No row passes through Python code where some hundreds of them are made at once.
        return chain.from_iterable(_stretches(params, lines))

    def wanted(self, info: SheetInfo, mapping: SheetMapping) -> tuple[int, ...]:
        """Places of the columns whose blank cell leaves a gap in a prompt made of several. Raises
        OperatorError for an unusable mapping."""
        template = self._plan(info.columns, mapping).template
        return () if template is None else template.wanted

    def _plan(self, columns: tuple[str, ...], mapping: SheetMapping) -> Plan:
        last = self._last
        if last is not None and last[0] is columns and last[1] is mapping:
            return last[2]
        plan = make_plan(columns, mapping)
        self._last = (columns, mapping, plan)
        return plan

    def _params(self, plan: Plan, info: SheetInfo, caps: Capabilities) -> RowParams:
        last, seen = self._last_params, (info.path.parent, caps.references)
        if last is not None and (last[0] is plan and last[1] is caps.params and last[3] == seen):
            return last[2]
        references = None
        if caps.references:
            references = ReferenceCells(info.path.parent, caps.references[0], self._pictures)
        params = RowParams(plan, info.columns, caps.params, references)
        self._last_params = (plan, caps.params, params, seen)
        return params


def _plain(param: str) -> str:
    """The adapter's name of a mapping's parameter."""
    return REFERENCE if is_reference(param) else param


def _stretches(params: RowParams, lines: Iterable[_Line]) -> Iterator[Iterable[DraftValues]]:
    """``_values``, of some hundred rows at a time where these are alike."""
    plan, lines = params.plan, iter(lines)
    at, others = plan.prompt_at, (plan.filing, plan.priority_at)
    if at is None or others != (None, None) or not params.are_shared:
        yield _values(params, lines)
        return
    while stretch := list(islice(lines, _TOGETHER)):
        alike = _alike(params, at, stretch)
        yield _values(params, stretch) if alike is None else alike


def _alike(
    params: RowParams, prompt_at: int, lines: Sequence[_Line]
) -> Iterable[DraftValues] | None:
    """Column by column, for the million rows of a sheet; None where one of them is to be looked at
    by itself."""
    row_nos, rows, problems = zip(*lines, strict=True)
    prompts = list(map(itemgetter(prompt_at), rows))
    plain = problems.count(None) == len(problems) and all(map(str.strip, prompts))
    if not plain or max(map(len, prompts)) > LONGEST_PROMPT:
        return None
    try:
        found = params.of_all(rows)
    except Unusable:
        return None
    keys = _texts(rows, params.plan.key_at)
    if None not in keys and min(row_nos) > _PADDED and are_safe(keys):
        stems = [f"{row_no}_{key}" for row_no, key in zip(row_nos, keys, strict=True)]
    else:
        stems = list(map(_stem, row_nos, keys, prompts))
    lanes = _texts(rows, params.plan.lane_at)
    nothing = repeat(_NOTHING)
    return zip(
        row_nos,
        rows,
        prompts,
        found,
        nothing,
        stems,
        keys,
        lanes,
        repeat(0),
        problems,
        strict=False,
    )


def _texts(rows: Sequence[Sequence[str]], at: int | None) -> list[Any]:
    """What stands in a column, None where it is blank."""
    if at is None:
        return [None] * len(rows)
    texts: list[Any] = list(map(str.strip, map(itemgetter(at), rows)))
    return [text or None for text in texts] if "" in texts else texts


def _values(params: RowParams, lines: Iterable[_Line]) -> Iterator[DraftValues]:
    # One loop and no call that can be spared: a sheet may have a million rows.
    plan = params.plan
    prompt_at, template, filing = plan.prompt_at, plan.template, plan.filing
    key_at, lane_at, priority_at = plan.key_at, plan.lane_at, plan.priority_at
    of_cells = params.of
    for row_no, cells, said in lines:
        problem = said
        prompt = cells[prompt_at] if prompt_at is not None else ""
        if template is not None:
            try:
                prompt = template.fill(cells)
            except Unfilled as error:
                problem = problem or message(error.code, row=row_no, **error.values)
        if problem is None and (
            template is not None or len(prompt) > LONGEST_PROMPT or not prompt.strip()
        ):
            problem = _prompt_problem(plan, row_no, cells, prompt)
        found = _NOTHING
        priority = 0
        if problem is None:
            try:
                found = of_cells(cells)
                if priority_at is not None:
                    priority = _priority(params.columns[priority_at], cells[priority_at])
            except Unusable as error:
                found = _NOTHING
                problem = message(error.code, row=row_no, **error.values)
        key = None if key_at is None else cells[key_at].strip() or None
        stem = _stem(row_no, key, prompt)
        if filing is not None:
            stem = filing.stem(row_no, cells, prompt, stem)
        lane = None if lane_at is None else cells[lane_at].strip() or None
        request = prompt if problem is None else None
        yield row_no, cells, request, found, _NOTHING, stem, key, lane, priority, problem


def _prompt_problem(plan: Plan, row_no: int, cells: Sequence[str], prompt: str) -> Message | None:
    if not prompt.strip():
        return message("ingest.empty_prompt", row=row_no)
    if plan.template is not None and all_blank(plan.template, cells):
        return message("ingest.empty_template", row=row_no)
    if len(prompt) > LONGEST_PROMPT:
        return message(
            "ingest.prompt_too_long", row=row_no, length=len(prompt), limit=LONGEST_PROMPT
        )
    return None


def _priority(column: str, cell: str) -> int:
    text = cell.strip()
    if not text:
        return 0
    try:
        return int(typed(Param("priority", "int"), text))
    except WrongValue as error:
        raise Unusable(column, text, error) from error


def _stem(row_no: int, key: str | None, prompt: str) -> str:
    """``0042_SKU-7``: legal on three systems, not yet unique."""
    number = f"{row_no}" if row_no > _PADDED else f"{row_no:04d}"
    if key and is_safe(key):
        return f"{number}_{key}"
    part = safe_name(key, fallback="") if key else ""
    part = part or safe_name(first_graphemes(prompt, _STEM_GRAPHEMES), fallback="")
    return f"{number}_{part}" if part else number
