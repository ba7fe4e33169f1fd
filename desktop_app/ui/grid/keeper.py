"""A selection is of tasks, not of places: it is held by pk while the rows change their order."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QItemSelectionRange, QObject

from desktop_app.ui.grid.columns import Column
from desktop_app.ui.grid.model import GridModel


def spans(selection: QItemSelection) -> list[QItemSelectionRange]:
    """The ranges of a selection."""
    return [selection.at(i) for i in range(selection.count())]


class SelectionKeeper(QObject):
    """Takes the selection off before the model reorders, and puts it back by pk after."""

    def __init__(self, model: GridModel, selection: QItemSelectionModel) -> None:
        super().__init__(selection)
        self._model = model
        self._selection = selection
        self._held = array("q")
        self.moving = False
        model.holders.append(self.pks)
        model.order_about_to_change.connect(self._take_off)
        model.order_changed.connect(self._put_back)

    def pks(self) -> array[int]:
        """The selected tasks, in the order shown."""
        ids = self._model.ids
        places = sorted((span.top(), span.bottom()) for span in spans(self._selection.selection()))
        chosen = array("q")
        seen = 0  # ranges may overlap
        for top, bottom in places:
            chosen.extend(ids[max(top, seen) : bottom + 1])
            seen = max(seen, bottom + 1)
        return chosen

    def select(self, pks: Iterable[int]) -> None:
        """Select exactly these tasks, as far as they are shown."""
        where = self._model.places(pks)
        self._selection.select(
            self._ranges(sorted(where.values())),
            QItemSelectionModel.SelectionFlag.ClearAndSelect,
        )

    def _take_off(self) -> None:
        # Qt would make a persistent index of every selected cell; pks are enough.
        self._held = self.pks()
        self.moving = True
        self._selection.clearSelection()

    def _put_back(self) -> None:
        if self._held:
            self.select(self._held)
        self._held = array("q")
        self.moving = False

    def _ranges(self, rows: list[int]) -> QItemSelection:
        selection = QItemSelection()
        last = len(Column) - 1
        start = 0
        for at in range(1, len(rows) + 1):
            if at == len(rows) or rows[at] != rows[at - 1] + 1:
                top, bottom = rows[start], rows[at - 1]
                selection.select(self._model.index(top, 0), self._model.index(bottom, last))
                start = at
        return selection
