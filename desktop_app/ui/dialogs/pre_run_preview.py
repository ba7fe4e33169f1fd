"""The request of one row exactly as it would be sent, so that nothing is a surprise on the bill."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QIntValidator, QKeyEvent, QTextOption
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.services.import_batch import RowPreview
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP

_LONGEST = 20_000
"""Characters of JSON shown; a 5 MB cell must not be laid out."""

_MOST_ROWS = 9_999_999


class RowField(QLineEdit):
    """A row's number. ``chosen`` carries the one that was typed, ``stepped`` 1 or -1."""

    chosen = Signal(int)
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setValidator(QIntValidator(1, _MOST_ROWS, self))
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(80)
        self.editingFinished.connect(self._choose)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Enter goes to the row, and no further: the dialog would run the sheet."""
        super().keyPressEvent(event)
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if event.key() in steps:
            self.stepped.emit(steps[Qt.Key(event.key())])
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, *steps):
            event.accept()

    def _choose(self) -> None:
        if self.isModified() and self.hasAcceptableInput():
            self.setModified(False)
            self.chosen.emit(int(self.text()))


class RequestPreview(QWidget):
    """Prompt, file name and JSON of one row. ``moved`` asks for the row ``wanted``, a number as
    Excel shows it (None: the first), or with ``back`` for the one before where that is no row."""

    moved = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.wanted: int | None = None
        self.back = False
        self._shown: RowPreview | None = None
        self._first: int | None = None
        self._last: int | None = None
        self.previous = QPushButton("‹", self)
        self.next = QPushButton("›", self)
        for button, step in ((self.previous, -1), (self.next, 1)):
            button.setAutoDefault(False)
            button.setProperty("quiet", True)
            button.setFixedWidth(32)
            button.clicked.connect(lambda _=False, by=step: self._move(by))
        self.number = RowField(self)
        self.number.chosen.connect(self.go_to)
        self.number.stepped.connect(self._move)
        self.where = QLabel(self)
        self.problem = QLabel(self)
        self.problem.setProperty("tone", "warning")
        self.problem.setWordWrap(True)
        self.prompt = QPlainTextEdit(self)
        self.prompt.setReadOnly(True)
        self.prompt.setFixedHeight(72)
        self.file_name = QLabel(self)
        self.file_name.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body = QPlainTextEdit(self)
        self.body.setReadOnly(True)
        self.body.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.body.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        for text in (self.prompt, self.body):
            text.setTabChangesFocus(True)
            text.setProperty("look", "sunken")
        self._labels = tuple(QLabel(self) for _ in range(3))

        bar = QHBoxLayout()
        bar.setSpacing(GAP // 2)
        bar.addWidget(self.where)
        bar.addStretch(1)
        bar.addWidget(self.previous)
        bar.addWidget(self.number)
        bar.addWidget(self.next)
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(GAP)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(2, 1)
        for line, (label, widget) in enumerate(
            zip(self._labels, (self.prompt, self.file_name, self.body), strict=True)
        ):
            label.setProperty("tone", "muted")
            label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(label, line, 0)
            grid.addWidget(widget, line, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 16, 16)
        whole.setSpacing(GAP)
        whole.addLayout(bar)
        whole.addWidget(self.problem)
        whole.addLayout(grid, 1)
        self.show_row(None)

    def begin(self) -> None:
        """Another sheet: begin with its first row."""
        self.wanted, self._first, self._last = None, None, None

    def go_to(self, row_no: int) -> None:
        """Ask for this row."""
        shown = self._shown.row_no if self._shown else 0
        self.wanted, self.back = row_no, row_no < shown
        self.moved.emit()

    def show_row(self, row: RowPreview | None) -> None:
        """Show a row's request; None empties the panel."""
        self._shown = row
        if row is not None:
            if self.wanted is None or (self.back and row.row_no > self.wanted):
                self._first = row.row_no
            if self.wanted is not None and row.row_no < self.wanted and not self.back:
                self._last = row.row_no
            self.wanted, self.back = row.row_no, False
            self.number.setText(str(row.row_no))
        self.prompt.setPlainText(row.prompt[:_LONGEST] if row else "")
        self.file_name.setText(row.file_name if row else "")
        self.file_name.setToolTip(row.file_name if row else "")
        text = json.dumps(dict(row.body), ensure_ascii=False, indent=2, default=str) if row else ""
        self.body.setPlainText(text[:_LONGEST])
        self._words()

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        for label, word in zip(
            self._labels, (tr("Prompt"), tr("File name"), tr("Request")), strict=True
        ):
            label.setText(word)
        self.prompt.setAccessibleName(tr("Prompt as sent"))
        self.body.setAccessibleName(tr("Request body as sent"))
        self.number.setAccessibleName(tr("Row of the sheet"))
        self.number.setToolTip(tr("The row to show, numbered as in Excel"))
        for button, word in ((self.previous, tr("Previous row")), (self.next, tr("Next row"))):
            button.setToolTip(word)
            button.setAccessibleName(word)
        self._words()

    def _move(self, by: int) -> None:
        if self._shown is not None:
            self.go_to(self._shown.row_no + by)

    def _words(self) -> None:
        row = self._shown
        self.where.setText(
            self._context.tr("Row {row} of the sheet", row=row.row_no)
            if row
            else self._context.tr("No row to show")
        )
        problem = self._context.tr.say(row.problem) if row and row.problem else ""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        shown = row.row_no if row else None
        self.number.setEnabled(shown is not None)
        self.previous.setEnabled(shown is not None and shown != self._first)
        self.next.setEnabled(shown is not None and shown != self._last)
