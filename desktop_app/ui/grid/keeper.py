"""A selection is of tasks, not of places: it is held by pk while the rows change their order."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QObject,
    Qt,
)
from PySide6.QtGui import QGuiApplication

from desktop_app.ui.grid.columns import Column
from desktop_app.ui.grid.model import GridModel

FEW = 1_000
"""So many may be looked for in each part of a list that is shown as it comes."""


def spans(selection: QItemSelection) -> list[QItemSelectionRange]:
    """The ranges of a selection."""
    return [selection.at(i) for i in range(selection.count())]


class SelectionKeeper(QObject):
    """Takes the selection off before the model reorders, and puts it back by pk after. What is
    selected or current and not in the part of a list that is there is so again when it comes.
    ``follow`` says whether the view goes to what becomes current."""

    def __init__(
        self, model: GridModel, selection: QItemSelectionModel, follow: Callable[[bool], None]
    ) -> None:
        super().__init__(selection)
        self._model = model
        self._selection = selection
        self._follow = follow
        self._held = array("q")
        self._awaited: set[int] = set()
        self._current: int | None = None  # while it has no place
        self._all = False
        self.moving = False
        model.holders.append(self.pks)
        model.patient.append(self._is_patient)
        model.order_about_to_change.connect(self._take_off)
        model.order_changed.connect(self._put_back)
        model.grown.connect(self._on_grown)
        model.rowsInserted.connect(lambda _, first, last: self._on_inserted(first, last))
        selection.selectionChanged.connect(lambda *_: self._on_changed())

    def pks(self) -> array[int]:
        """The selected tasks in the order shown, those that have no place yet after them."""
        ids = self._model.ids
        places = sorted((span.top(), span.bottom()) for span in spans(self._selection.selection()))
        chosen = array("q")
        seen = 0  # ranges may overlap
        for top, bottom in places:
            chosen.extend(ids[max(top, seen) : bottom + 1])
            seen = max(seen, bottom + 1)
        chosen.extend(sorted(self._awaited))
        return chosen

    def select(self, pks: Iterable[int]) -> None:
        """Select exactly these tasks, as far as they are shown."""
        where = self._model.places(pks)
        self._selection.select(
            self._ranges(sorted(where.values())),
            QItemSelectionModel.SelectionFlag.ClearAndSelect,
        )

    def add_what_comes(self) -> None:
        """All are chosen: of a list that comes in parts, the parts to come too."""
        self._all = self._model.is_partial

    def _on_inserted(self, first: int, last: int) -> None:
        if self._all:
            self.moving = True
            ranges = QItemSelection(*self._corners(first, last))
            self._selection.select(ranges, QItemSelectionModel.SelectionFlag.Select)
            self.moving = False

    def _corners(self, top: int, bottom: int) -> tuple[QModelIndex, QModelIndex]:
        return self._model.index(top, 0), self._model.index(bottom, len(Column) - 1)

    def _is_patient(self) -> bool:
        shown = sum(span.height() for span in spans(self._selection.selection()))
        return shown + len(self._awaited) <= FEW

    def _take_off(self) -> None:
        # Qt would make a persistent index of every selected cell; pks are enough.
        self._held = self.pks()
        at = self._selection.currentIndex().row()
        if at >= 0:
            self._current = self._model.ids[at]
        self.moving = True
        self._selection.clearSelection()

    def _put_back(self) -> None:
        where = self._model.places(self._held) if self._held else {}
        self._add(where)
        self._awaited = set(self._held) - where.keys()
        self._held = array("q")
        self._await()
        self.moving = False

    def _on_grown(self, places: Mapping[int, int]) -> None:
        self.moving = True
        self._add({pk: at for pk, at in places.items() if pk in self._awaited})
        self._awaited -= places.keys()
        at = None if self._current is None else places.get(self._current)
        if at is not None and not self._selection.currentIndex().isValid():
            self._follow(False)
            self._selection.setCurrentIndex(
                self._model.index(at, Column.NUMBER), QItemSelectionModel.SelectionFlag.NoUpdate
            )
            self._follow(True)
        self._await()
        self.moving = False

    def _add(self, places: Mapping[int, int]) -> None:
        if places:
            ranges = self._ranges(sorted(places.values()))
            self._selection.select(ranges, QItemSelectionModel.SelectionFlag.Select)

    def _await(self) -> None:
        """Say what has no place yet; what is in no part of a whole list is gone."""
        if not self._model.is_partial:
            self._awaited, self._all = set(), False
        if not self._model.is_partial or self._selection.currentIndex().isValid():
            self._current = None
        current = set() if self._current is None else {self._current}
        self._model.awaiting = self._awaited | current

    def _on_changed(self) -> None:
        # The operator chooses otherwise; with Ctrl, beside what was chosen before.
        if self.moving:
            return
        self._all = False
        ctrl = QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
        if self._awaited and not ctrl:
            self._awaited = set()
            self._await()

    def _ranges(self, rows: list[int]) -> QItemSelection:
        selection = QItemSelection()
        start = 0
        for at in range(1, len(rows) + 1):
            if at == len(rows) or rows[at] != rows[at - 1] + 1:
                selection.select(*self._corners(rows[start], rows[at - 1]))
                start = at
        return selection
