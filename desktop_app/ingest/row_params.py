"""A row's parameters, typed; rows with the same texts share what was made of them, since a sheet of
a million rows has a handful of sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, cast

from desktop_app.domain.ports import Param
from desktop_app.domain.references import REFERENCE, is_reference
from desktop_app.ingest.mapping import Plan
from desktop_app.ingest.reference_cells import ReferenceCells
from desktop_app.ingest.values import WrongValue, typed

_SHOWN_VALUE = 60
_REMEMBERED = 1_000


def _no_text(_: Sequence[str]) -> tuple[str, ...]:
    return ()


class Unusable(Exception):
    """A value that is not what its parameter takes."""

    def __init__(self, column: str, value: str, why: WrongValue) -> None:
        super().__init__(why.code)
        shown = value if len(value) <= _SHOWN_VALUE else value[:_SHOWN_VALUE] + "…"
        self.code = why.code
        self.values = {"column": column, "value": shown, **why.values}


class RowParams:
    """The parameters of a plan's rows. Any thread may use it. ``references`` None: there are no
    reference pictures. With them it blocks."""

    def __init__(
        self,
        plan: Plan,
        columns: tuple[str, ...],
        known: tuple[Param, ...],
        references: ReferenceCells | None = None,
    ) -> None:
        self.plan = plan
        self.columns = columns
        self._fixed = [(name, name, text) for name, text in plan.fixed.items()]
        self._named = [(name, columns[at]) for name, at in plan.from_cells.items()]
        self._places = tuple(plan.from_cells.values())
        self._key = itemgetter(*self._places) if self._places else _no_text
        self._known = {param.name: param for param in known}
        self._made: dict[str | tuple[str, ...], Mapping[str, Any]] = {}
        self._references = references
        mapped = (*plan.fixed, *plan.from_cells)
        # A picture may have been changed since a row with the same texts was looked at.
        self._remembers = references is None or not any(map(is_reference, mapped))

    @property
    def are_shared(self) -> bool:
        """Whether rows with the same texts have the same parameters, as ``of_all`` needs it."""
        return self._remembers

    def of_all(self, rows: Sequence[Sequence[str]]) -> list[Mapping[str, Any]]:
        """``of`` each of them; not to be changed. Raises Unusable for the first that it is raised
        for."""
        found = list(map(self._made.get, map(self._key, rows)))
        if None in found:
            return list(map(self.of, rows))
        return cast(list[Mapping[str, Any]], found)

    def of(self, cells: Sequence[str]) -> Mapping[str, Any]:
        """The parameters by name, typed; not to be changed. An empty value is not sent: the
        provider's default holds. Raises Unusable."""
        if not self._remembers:
            return self._make(cells)
        texts = self._key(cells)
        params = self._made.get(texts)
        if params is None:
            params = self._make(cells)
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            self._made[texts] = params
        return params

    def _make(self, cells: Sequence[str]) -> Mapping[str, Any]:
        texts = (cells[at] for at in self._places)
        of_cells = [(*names, text) for names, text in zip(self._named, texts, strict=True)]
        params: dict[str, Any] = {}
        pictures: list[tuple[str, str]] = []
        for name, column, text in (*self._fixed, *of_cells):
            if not text.strip():
                continue
            if self._references is not None and is_reference(name):
                pictures.append((column, text))
                continue
            param = self._known.get(name)
            if param is None:
                known = list(self._known) or ["-"]
                why = WrongValue("ingest.no_param", param=name, params=known)
                raise Unusable(column, text, why)
            try:
                params[name] = typed(param, text)
            except WrongValue as error:
                raise Unusable(column, text, error) from error
        if self._references is not None and pictures:
            params[REFERENCE] = self._shown(self._references, pictures)
        return params

    def _shown(
        self, references: ReferenceCells, pictures: Sequence[tuple[str, str]]
    ) -> list[dict[str, str]]:
        try:
            return references.read([text for _, text in pictures])
        except WrongValue as error:
            column, text = (", ".join(parts) for parts in zip(*pictures, strict=True))
            raise Unusable(column, text, error) from error
