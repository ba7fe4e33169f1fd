"""Finished rows for the gallery, with the first lines of text answers fetched as they are seen."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.domain.views import TaskRow
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
    """One column: a result. ``batch_names``: as the tiles have them."""

    batch_names: Mapping[int, str] = MappingProxyType({})

    def __init__(self, context: UiContext, parent: QObject | None = None) -> None:
        super().__init__(context, parent)
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._fetching: set[int] = set()

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
            return self._text(row)
        name = Path(row.output).name if row.output else str(row.row_no)
        batch = self.batch_names.get(row.batch_id)
        if role == Qt.ItemDataRole.DisplayRole:
            return name
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(part for part in (name, batch, row.prompt) if part)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ". ".join(part for part in (name, batch, row.prompt) if part)
        return None

    def _text(self, row: TaskRow) -> str:
        if row.output is None or is_picture(row.output):
            return ""
        if row.pk in self._texts:
            return self._texts[row.pk]
        if row.pk not in self._fetching:
            self._fetching.add(row.pk)
            self.context.spawn(self._fetch(row.pk))
        return ""

    async def _fetch(self, pk: int) -> None:
        try:
            detail = await self.context.services.queries.detail(pk)
        finally:
            self._fetching.discard(pk)
        self._texts[pk] = ((detail.text if detail else None) or "")[:_EXCERPT]
        while len(self._texts) > _KEPT:
            self._texts.popitem(last=False)
        # Not by position: the list may have been read anew in the meantime.
        self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0), [TEXT_ROLE])
