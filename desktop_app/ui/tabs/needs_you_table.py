"""The table behind one cause: quick at 20,000 rows, and true to its selection when they change."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from desktop_app.domain.views import TaskFilter
from desktop_app.ui.tabs.needs_you_rows import (
    BATCH,
    PROMPT,
    REASON,
    ROW_NO,
    TRIES,
    DeadRowsModel,
)

_ROW_HEIGHT = 30
_ROWS_SHOWN = 9


class DeadTable(QTableView):
    """Shows a DeadRowsModel; as high as its rows, up to nine of them."""

    def __init__(self, rows: DeadRowsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self.setProperty("look", "boxed")
        self.setModel(rows)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(PROMPT, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(REASON, QHeaderView.ResizeMode.Stretch)
        self.setColumnWidth(ROW_NO, 72)
        self.setColumnWidth(TRIES, 72)
        self.setColumnWidth(BATCH, 140)
        self.setColumnHidden(BATCH, True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        rows.modelReset.connect(self.fit)

    def selected_pks(self) -> tuple[int, ...]:
        """The chosen rows in order, taken from ranges, since 20,000 indexes would be slow."""
        picked: list[int] = []
        spans = self.selectionModel().selection().toList()
        for span in sorted(spans, key=lambda s: s.top()):
            picked.extend(self._rows.pks[span.top() : span.bottom() + 1])
        return tuple(dict.fromkeys(picked))

    async def show_matching(self, which: TaskFilter) -> None:
        """Read the matching rows anew, keeping selection and place."""
        kept = frozenset(self.selected_pks())
        place = self.verticalScrollBar().value()
        await self._rows.load(which)
        if kept and not self.selectionModel().hasSelection():
            self._select(kept)
        self.verticalScrollBar().setValue(place)

    def name_batches(self, names: Mapping[int, str]) -> None:
        """Say of each row which batch it is of; no names, no column."""
        self._rows.batch_names = names
        self.setColumnHidden(BATCH, not names)
        self.viewport().update()

    def fit(self) -> None:
        """Take the height of the rows there are."""
        lines = min(_ROWS_SHOWN, max(1, len(self._rows.pks)))
        header = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(header + lines * _ROW_HEIGHT + 4)

    def _select(self, pks: frozenset[int]) -> None:
        chosen = QItemSelection()
        for place, pk in enumerate(self._rows.pks):
            if pk in pks:
                index = self._rows.index(place, 0)
                chosen.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
