"""A row's parameters, typed; rows with the same texts share what was made of them, since a sheet of
a million rows has a handful of sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.ports import Param
from desktop_app.ingest.mapping import Plan
from desktop_app.ingest.values import WrongValue, typed

_SHOWN_VALUE = 60
_REMEMBERED = 1_000


class Unusable(Exception):
    """A value that is not what its parameter takes."""

    def __init__(self, column: str, value: str, why: WrongValue) -> None:
        super().__init__(why.code)
        shown = value if len(value) <= _SHOWN_VALUE else value[:_SHOWN_VALUE] + "…"
        self.code = why.code
        self.values = {"column": column, "value": shown, **why.values}


class RowParams:
    """The parameters of a plan's rows. Any thread may use it."""

    def __init__(self, plan: Plan, columns: tuple[str, ...], known: tuple[Param, ...]) -> None:
        self.plan = plan
        self.columns = columns
        self._fixed = [(name, name, text) for name, text in plan.fixed.items()]
        self._named = [(name, columns[at]) for name, at in plan.from_cells.items()]
        self._places = tuple(plan.from_cells.values())
        self._known = {param.name: param for param in known}
        self._made: dict[tuple[str, ...], Mapping[str, Any]] = {}

    def of(self, cells: Sequence[str]) -> Mapping[str, Any]:
        """The parameters by name, typed; not to be changed. An empty value is not sent: the
        provider's default holds. Raises Unusable."""
        texts = tuple([cells[at] for at in self._places])
        params = self._made.get(texts)
        if params is None:
            params = self._make(texts)
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            self._made[texts] = params
        return params

    def _make(self, texts: tuple[str, ...]) -> Mapping[str, Any]:
        of_cells = [(*names, text) for names, text in zip(self._named, texts, strict=True)]
        params: dict[str, Any] = {}
        for name, column, text in (*self._fixed, *of_cells):
            if not text.strip():
                continue
            param = self._known.get(name)
            if param is None:
                known = ", ".join(self._known) or "-"
                why = WrongValue("ingest.no_param", param=name, params=known)
                raise Unusable(column, text, why)
            try:
                params[name] = typed(param, text)
            except WrongValue as error:
                raise Unusable(column, text, error) from error
        return params
