"""Where a value of a row comes from: nowhere, a fixed text, or a column of the sheet."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP

_UNSET, _FIXED = "unset", "fixed"
_COLUMN = "column:"


class SourceChooser(QWidget):
    """``said`` is the mapping's word for it. ``choices`` are offered as fixed values; ``changed``
    is emitted on every edit."""

    changed = Signal()

    def __init__(
        self, context: UiContext, parent: QWidget | None = None, choices: Sequence[str] = ()
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._unset = ""
        self.source = QComboBox(self)
        self.value = QComboBox(self)
        self.value.setEditable(True)
        self.value.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.value.addItems(list(choices))
        self.value.setEditText("")
        halves = QHBoxLayout(self)
        halves.setContentsMargins(0, 0, 0, 0)
        halves.setSpacing(GAP)
        halves.addWidget(self.source, 1)
        halves.addWidget(self.value, 1)
        self.source.currentIndexChanged.connect(self._toggle)
        self.source.currentIndexChanged.connect(self.changed)
        self.value.editTextChanged.connect(self.changed)
        self._toggle()

    def offer(self, columns: Sequence[str]) -> None:
        """Offer these columns; what was said before stays where it can."""
        said = self.said()
        self.blockSignals(True)
        self.source.clear()
        self.source.addItem(self._unset, _UNSET)
        self.source.addItem(self._context.tr("Fixed value"), _FIXED)
        for column in columns:
            self.source.addItem(self._context.tr("Column: {name}", name=column), _COLUMN + column)
        self.choose(said)
        self.blockSignals(False)

    def said(self) -> str | None:
        """``@column``, a fixed text, or None."""
        chosen = self.source.currentData()
        if isinstance(chosen, str) and chosen.startswith(_COLUMN):
            return "@" + chosen[len(_COLUMN) :]
        if chosen == _FIXED:
            return self.value.currentText().strip() or None
        return None

    def choose(self, said: str | None) -> bool:
        """Show it; False where it is a column that is not offered, and nothing is chosen then."""
        place = 0
        if said is not None and said.startswith("@"):
            place = max(0, self.source.findData(_COLUMN + said[1:]))
        elif said is not None:
            place = self.source.findData(_FIXED)
        self.source.setCurrentIndex(place)
        self.value.setEditText("" if said is None or said.startswith("@") else said)
        return said is None or place > 0

    def name(self, name: str, unset: str) -> None:
        """Say every word again; ``unset`` stands for no value."""
        self._unset = unset
        tr = self._context.tr
        for place in range(self.source.count()):
            chosen = self.source.itemData(place)
            if chosen == _UNSET:
                self.source.setItemText(place, unset)
            elif chosen == _FIXED:
                self.source.setItemText(place, tr("Fixed value"))
            else:
                self.source.setItemText(place, tr("Column: {name}", name=chosen[len(_COLUMN) :]))
        self.source.setAccessibleName(tr("Where {name} comes from", name=name))
        self.value.setAccessibleName(tr("Value of {name}", name=name))
        edit = self.value.lineEdit()
        if edit is not None:
            edit.setPlaceholderText(tr("value"))

    def _toggle(self) -> None:
        self.value.setVisible(self.source.currentData() == _FIXED)
