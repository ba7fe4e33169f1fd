"""An adapter's parameters, each left alone, fixed, or taken from a column of the sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QWidget

from desktop_app.domain.ports import Param
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP

_UNSET, _FIXED = "unset", "fixed"
_COLUMN = "column:"


class _Row:
    """The three widgets of one parameter."""

    def __init__(self, param: Param, parent: ParamForm) -> None:
        self.param = param
        self.label = QLabel(parent)
        self.source = QComboBox(parent)
        self.value = QComboBox(parent)
        self.value.setEditable(True)
        self.value.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.value.addItems(list(param.choices) or _bools(param))
        self.value.setEditText("")
        self.label.setBuddy(self.source)
        self.line = QWidget(parent)
        halves = QHBoxLayout(self.line)
        halves.setContentsMargins(0, 0, 0, 0)
        halves.setSpacing(GAP)
        halves.addWidget(self.source, 1)
        halves.addWidget(self.value, 1)
        self.source.currentIndexChanged.connect(self._toggle)
        self.source.currentIndexChanged.connect(parent.changed)
        self.value.editTextChanged.connect(parent.changed)
        self._toggle()

    def _toggle(self) -> None:
        self.value.setVisible(self.source.currentData() == _FIXED)

    def said(self) -> str | None:
        """The mapping's word for it: ``@column``, a fixed value, or None."""
        chosen = self.source.currentData()
        if isinstance(chosen, str) and chosen.startswith(_COLUMN):
            return "@" + chosen[len(_COLUMN) :]
        if chosen == _FIXED:
            return self.value.currentText().strip() or None
        return None


class ParamForm(QWidget):
    """A row a parameter. ``changed`` is emitted on every edit."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rows: list[_Row] = []
        self._columns: tuple[str, ...] = ()
        self._fixed: Mapping[str, Any] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GAP // 2)
        self._grid.setColumnMinimumWidth(0, 112)
        self._grid.setColumnStretch(1, 1)

    def fill(
        self,
        params: Sequence[Param],
        columns: Sequence[str],
        guess: Mapping[str, str],
        fixed: Mapping[str, Any],
    ) -> None:
        """Show these parameters. What was chosen for one that stays is kept; else the guessed
        column is; ``fixed`` are the connection's own values, shown where nothing is chosen."""
        kept = self.params()
        for row in self._rows:
            for gone in (row.label, row.line):
                self._grid.removeWidget(gone)
                gone.deleteLater()
        self._columns, self._fixed = tuple(columns), fixed
        self._rows = []
        for line, param in enumerate(params):
            row = _Row(param, self)
            self._rows.append(row)
            self._grid.addWidget(row.label, line, 0)
            self._grid.addWidget(row.line, line, 1)
            self._sources(row)
            guessed = guess.get(param.name)
            self._choose(row, kept.get(param.name) or ("@" + guessed if guessed else None))
        self._words()

    def retranslate(self) -> None:
        """Say the words again, keeping the choices."""
        tr = self._context.tr
        for row in self._rows:
            row.source.setItemText(0, self._unset_word(row.param))
            row.source.setItemText(1, tr("Fixed value"))
            for place in range(2, row.source.count()):
                column = row.source.itemData(place)[len(_COLUMN) :]
                row.source.setItemText(place, tr("Column: {name}", name=column))
        self._words()

    def params(self) -> dict[str, str]:
        """By parameter name: ``@column`` or the fixed value; unset ones are left out."""
        return {row.param.name: said for row in self._rows if (said := row.said()) is not None}

    def _sources(self, row: _Row) -> None:
        row.source.addItem(self._unset_word(row.param), _UNSET)
        row.source.addItem(self._context.tr("Fixed value"), _FIXED)
        for column in self._columns:
            row.source.addItem(self._context.tr("Column: {name}", name=column), _COLUMN + column)

    def _unset_word(self, param: Param) -> str:
        if param.name in self._fixed:
            return self._context.tr("As in the connection: {value}", value=self._fixed[param.name])
        return self._context.tr("Provider's default")

    def _choose(self, row: _Row, said: str | None) -> None:
        if said is None:
            return
        if said.startswith("@") and said[1:] in self._columns:
            row.source.setCurrentIndex(row.source.findData(_COLUMN + said[1:]))
        elif not said.startswith("@"):
            row.source.setCurrentIndex(row.source.findData(_FIXED))
            row.value.setEditText(said)

    def _words(self) -> None:
        for row in self._rows:
            name = self._context.tr(row.param.label or row.param.name)
            row.label.setText(name)
            row.source.setAccessibleName(self._context.tr("Where {name} comes from", name=name))
            row.value.setAccessibleName(self._context.tr("Value of {name}", name=name))
            edit = row.value.lineEdit()
            if edit is not None:
                edit.setPlaceholderText(self._context.tr("value"))


def _bools(param: Param) -> list[str]:
    return ["true", "false"] if param.kind == "bool" else []
