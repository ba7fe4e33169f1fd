"""Rows that ask for exactly the same: kept unless somebody says otherwise, since two pictures of
one prompt may be what is wanted."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QWidget,
)

from desktop_app.services.import_batch import PreRun
from desktop_app.services.trial import spelled, spelled_first
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP

_NAMED = 6


class DuplicateStrip(QFrame):
    """One line with the choice; hidden for a sheet without such rows."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: PreRun | None = None
        self.setProperty("pane", "strip")
        self.setProperty("tone", "info")
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.keep, self.skip = QRadioButton(self), QRadioButton(self)
        self.keep.setChecked(True)
        group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP + 4, GAP, GAP + 4, GAP)
        row.setSpacing(GAP * 2)
        row.addWidget(self.label, 1)
        for button in (self.keep, self.skip):
            group.addButton(button)
            row.addWidget(button)
        self.skip.toggled.connect(lambda _on: self.changed.emit())
        self.hide()

    @property
    def skips(self) -> bool:
        """Whether such rows are left out."""
        return self.skip.isChecked()

    def show_check(self, check: PreRun | None) -> None:
        """Show how many this check found; one that failed changes nothing."""
        if check is not None:
            self._shown = check
            self._words()
            self.setVisible(check.duplicates > 0)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.keep.setText(tr("Run them too (default)"))
        self.skip.setText(tr("Leave them out"))
        self._words()

    def _words(self) -> None:
        if self._shown is None:
            return
        n, rows = self._shown.duplicates, self._shown.duplicate_rows
        self.label.setText(
            self._context.tr.plural(
                "{n} row asks for exactly what a row above asks for (row {rows}).",
                "{n} rows ask for exactly what rows above ask for (rows {rows}).",
                n,
                rows=spelled_first(rows, _NAMED, of=n),
            )
        )
        self.label.setToolTip(spelled(rows))
