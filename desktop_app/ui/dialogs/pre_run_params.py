"""An adapter's parameters, each left alone, fixed, or taken from a column of the sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from desktop_app.domain.ports import Param
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_chooser import SourceChooser
from desktop_app.ui.dialogs.style import GAP


class _Row(SourceChooser):
    """One parameter and its label."""

    def __init__(self, context: UiContext, param: Param, parent: QWidget) -> None:
        choices = param.choices or (("true", "false") if param.kind == "bool" else ())
        super().__init__(context, parent, choices)
        self.param = param
        self.label = QLabel(parent)
        self.label.setBuddy(self.source)


class ParamForm(QWidget):
    """A row a parameter. ``changed`` is emitted on every edit."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rows: list[_Row] = []
        self._fixed: Mapping[str, Any] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GAP // 2)
        self._grid.setColumnMinimumWidth(0, 118)
        self._grid.setColumnStretch(1, 1)

    def fill(
        self,
        params: Sequence[Param],
        columns: Sequence[str],
        proposed: Mapping[str, str],
        fixed: Mapping[str, Any],
    ) -> None:
        """Show these parameters. What was chosen for one that stays is kept; else it is as
        ``proposed`` in a mapping's words; ``fixed`` are the connection's own values, shown where
        nothing is chosen."""
        kept = self.params()
        for row in self._rows:
            for gone in (row.label, row):
                self._grid.removeWidget(gone)
                gone.deleteLater()
        self._fixed = fixed
        self._rows = []
        for line, param in enumerate(params):
            row = _Row(self._context, param, self)
            self._rows.append(row)
            self._grid.addWidget(row.label, line, 0)
            self._grid.addWidget(row, line, 1)
            row.offer(columns)
            row.choose(kept.get(param.name) or proposed.get(param.name))
            row.changed.connect(self.changed)
        self.retranslate()

    def choose(self, params: Mapping[str, str]) -> tuple[str, ...]:
        """Show exactly these, in a mapping's words; returns the names of those that this
        connection does not have."""
        for row in self._rows:
            row.choose(params.get(row.param.name))
        known = {row.param.name for row in self._rows}
        return tuple(name for name in params if name not in known)

    def retranslate(self) -> None:
        """Say the words again, keeping the choices."""
        tr = self._context.tr
        for row in self._rows:
            name = tr(row.param.label or row.param.name)
            row.label.setText(name)
            row.name(name, self._unset_word(row.param))

    def params(self) -> dict[str, str]:
        """By parameter name: ``@column`` or the fixed value; unset ones are left out."""
        return {row.param.name: said for row in self._rows if (said := row.said()) is not None}

    def _unset_word(self, param: Param) -> str:
        if param.name in self._fixed:
            value = self._fixed[param.name]
            if isinstance(value, bool):
                value = self._context.tr("On") if value else self._context.tr("Off")
            return self._context.tr("As in the connection: {value}", value=value)
        if param.kind == "reference":
            return self._context.tr("No pictures")
        return self._context.tr("Provider's default")
