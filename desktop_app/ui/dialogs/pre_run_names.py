"""What the files are called and in which folders they are put, where that is not left to the
program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QWidget,
)

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_chooser import SourceChooser
from desktop_app.ui.dialogs.style import GAP, MENU_MARK

_OWN = ("row", "prompt")
_COUNT = "n"


class NamesForm(QWidget):
    """``changed`` is emitted on every edit."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._columns: tuple[str, ...] = ()
        self.pattern = QLineEdit(self)
        self.pattern.setMaxLength(300)
        self.insert = QToolButton(self)
        self.insert.setProperty("look", "chip")
        self.insert.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.insert.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.insert)
        self.menu.aboutToShow.connect(self._fill_menu)  # a sheet may have a thousand columns
        self.insert.setMenu(self.menu)
        self.subfolder = SourceChooser(context, self)
        self._labels = (QLabel(self), QLabel(self))
        self._labels[0].setBuddy(self.pattern)
        self._labels[1].setBuddy(self.subfolder.source)
        line = QHBoxLayout()
        line.setSpacing(GAP)
        line.addWidget(self.pattern, 1)
        line.addWidget(self.insert)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(GAP // 2)
        grid.setColumnMinimumWidth(0, 118)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self._labels[0], 0, 0)
        grid.addLayout(line, 0, 1)
        grid.addWidget(self._labels[1], 1, 0)
        grid.addWidget(self.subfolder, 1, 1)
        self.pattern.textChanged.connect(self.changed)
        self.subfolder.changed.connect(self.changed)

    def fill(self, columns: Sequence[str]) -> None:
        """Offer these columns."""
        self._columns = tuple(columns)
        self.subfolder.offer(columns)
        self.retranslate()

    def choose(self, output_name: str | None, subfolder: str | None) -> None:
        """Show these."""
        self.pattern.setText(output_name or "")
        self.subfolder.choose(subfolder)

    def output_name(self) -> str | None:
        """The pattern, or None where the program names the files."""
        return self.pattern.text().strip() or None

    def subfolder_said(self) -> str | None:
        """``@column``, a fixed text, or None."""
        return self.subfolder.said()

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        names, folder = tr("Name pattern"), tr("Subfolder")
        self._labels[0].setText(names)
        self._labels[1].setText(folder)
        self.pattern.setAccessibleName(names)
        self.pattern.setPlaceholderText(tr("As usual: row number and name"))
        self.pattern.setToolTip(
            tr("Columns in braces, a / makes a folder, {n} counts a row's results.")
        )
        self.insert.setText(tr("Insert") + MENU_MARK)
        self.insert.setAccessibleName(tr("Insert into the file name"))
        self.subfolder.name(folder, tr("None: all files in one folder"))

    def _fill_menu(self) -> None:
        tr = self._context.tr
        self.menu.clear()
        own = {"row": tr("Row number"), "prompt": tr("First words of the prompt")}
        for word in _OWN:
            self._add(own[word], word)
        self._add(tr("Number of the result, at the end"), _COUNT)
        self.menu.addSeparator()
        for column in self._columns:
            self._add(column, column)

    def _add(self, label: str, field: str) -> None:
        self.menu.addAction(label.replace("&", "&&")).triggered.connect(partial(self._put, field))

    def _put(self, field: str, _checked: bool = False) -> None:
        if field == _COUNT:
            self.pattern.end(False)
        self.pattern.insert("{" + field + "}")
        self.pattern.setFocus()
