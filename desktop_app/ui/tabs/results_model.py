"""Finished rows for the gallery, with the first lines of text answers fetched as they are seen."""

from __future__ import annotations

import asyncio
from array import array
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.domain.views import TaskFilter, TaskRow
from desktop_app.ui.context import UiContext
from desktop_app.ui.lazy_rows import LazyRowsModel
from desktop_app.ui.words import is_picture

ROW_ROLE = Qt.ItemDataRole.UserRole
"""The TaskRow, or None while it is on the way."""

TEXT_ROLE = Qt.ItemDataRole.UserRole + 1
"""The first characters of a text answer, empty for a picture or while on the way."""

_EXCERPT = 600
_KEPT = 500


class ResultsModel(LazyRowsModel):
    """One column: a result. A row with several has as many lines, one after the other, and its
    ``output`` is the line's own. ``batch_names``: as the tiles have them."""

    batch_names: Mapping[int, str] = MappingProxyType({})

    def __init__(self, context: UiContext, parent: QObject | None = None) -> None:
        super().__init__(context, parent)
        # By row and attempt: a row that ran again has another text.
        self._texts: OrderedDict[tuple[int, int], tuple[str, ...]] = OrderedDict()
        self._fetching: set[int] = set()

    def place(self, index: int) -> int:
        """Which result of its row this line is, from 0."""
        first = index
        while first and self._pks[first - 1] == self._pks[index]:
            first -= 1
        return index - first

    def row(self, index: int) -> TaskRow | None:
        """The row of this line, or None while its page is on the way."""
        row = super().row(index)
        if row is None or not row.more:
            return row
        outputs = (row.output, *row.more)
        return row._replace(output=outputs[min(self.place(index), len(row.more))])

    async def total(self, which: TaskFilter) -> int:
        """How many lines ``load`` would find."""
        queries = self.context.services.queries
        several = await queries.several(which)
        return await queries.count(which) + sum(several.values()) - len(several)

    async def _ids(self, which: TaskFilter) -> Sequence[int]:
        pks = await super()._ids(which)
        several = await self.context.services.queries.several(which)
        if not several:
            return pks
        return await asyncio.to_thread(_repeated, pks, several)

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        """A result may be dragged to another program."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def outputs(self, places: Sequence[int]) -> list[str] | None:
        """The files of these lines in order; None while some are on the way."""
        rows = [self.row(place) for place in sorted(places)]
        if any(row is None for row in rows):
            return None
        return [row.output for row in rows if row is not None and row.output is not None]

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """The file's name, the prompt as a tip, and the two roles above."""
        row = self.row(index.row())
        if role == ROW_ROLE:
            return row
        if row is None:
            return None
        if role == TEXT_ROLE:
            return self._text(row, self.place(index.row()))
        name = Path(row.output).name if row.output else str(row.row_no)
        batch = self.batch_names.get(row.batch_id)
        if role == Qt.ItemDataRole.DisplayRole:
            return name
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(part for part in (name, batch, row.prompt) if part)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ". ".join(part for part in (name, batch, row.prompt) if part)
        return None

    def _text(self, row: TaskRow, place: int) -> str:
        if row.output is None or is_picture(row.output):
            return ""
        if texts := self._texts.get((row.pk, row.attempt_no)):
            return texts[min(place, len(texts) - 1)]
        if row.pk not in self._fetching:
            self._fetching.add(row.pk)
            self.context.spawn(self._fetch(row.pk, row.attempt_no))
        return ""

    async def _fetch(self, pk: int, attempt_no: int) -> None:
        try:
            detail = await self.context.services.queries.detail(pk)
        finally:
            self._fetching.discard(pk)
        texts = (detail.text, *(piece.text for piece in detail.more)) if detail else (None,)
        self._texts[pk, attempt_no] = tuple((text or "")[:_EXCERPT] for text in texts)
        while len(self._texts) > _KEPT:
            self._texts.popitem(last=False)
        # Not by position: the list may have been read anew in the meantime.
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0), [TEXT_ROLE])


def _repeated(pks: Sequence[int], several: Mapping[int, int]) -> array[int]:
    """Each pk as often as it has results."""
    return array("q", (pk for pk in pks for _ in range(several.get(pk, 1))))
