"""What form fields share: labels that stand in one column, and one way to say what is wrong."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from desktop_app.ui.dialogs.style import GAP

LABEL_WIDTH = 128


class FieldError(Exception):
    """A field that can't be used as it is: the sentence, and where to put the cursor."""

    def __init__(self, said: str, widget: QWidget) -> None:
        super().__init__(said)
        self.said = said
        self.widget = widget


class FieldGrid(QWidget):
    """Labels left, fields right, on the 8-px rhythm."""

    def __init__(self, parent: QWidget | None = None, label_width: int = LABEL_WIDTH) -> None:
        super().__init__(parent)
        self._labels: list[QLabel] = []
        self._fields: list[QWidget] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GAP)
        self._grid.setColumnMinimumWidth(0, label_width)
        self._grid.setColumnStretch(1, 1)

    def add(self, *fields: QWidget) -> QLabel:
        """A line; the first field belongs to the label, which is named by ``name``."""
        line = len(self._labels)
        label = QLabel(self)
        label.setBuddy(fields[0])
        self._labels.append(label)
        self._fields.append(fields[0])
        top = Qt.AlignmentFlag.AlignTop if fields[0].property("tall") else Qt.AlignmentFlag(0)
        self._grid.addWidget(label, line, 0, top)
        wide = 1 if len(fields) > 1 else 3
        for place, field in enumerate(fields, start=1):
            self._grid.addWidget(field, line, place, 1, wide)
        return label

    def name(self, *words: str) -> None:
        """Say the labels, in the order of ``add``; fields are named alike for screen readers."""
        for label, field, word in zip(self._labels, self._fields, words, strict=True):
            label.setText(word)
            field.setAccessibleName(word)


def one_line(parent: QWidget, *fields: QWidget) -> QWidget:
    """Fields beside each other; the first is as wide as the others leave it, and stands for all
    where the keyboard goes."""
    line = QWidget(parent)
    row = QHBoxLayout(line)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(GAP)
    for place, field in enumerate(fields):
        row.addWidget(field, 1 if place == 0 else 0)
    line.setFocusProxy(fields[0])
    return line


def decimal_of(field: QLineEdit, wrong: str) -> Decimal | None:
    """A figure not below zero, None for an empty field. A comma is read as the decimal mark.
    Raises FieldError with ``wrong``."""
    text = field.text().strip().replace(",", ".")
    if not text or text == "-":
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise FieldError(wrong, field) from None
    if not amount.is_finite() or amount < 0:
        raise FieldError(wrong, field)
    return amount


def whole_of(field: QLineEdit, wrong: str, low: int = 1, high: int = 1_000_000) -> int | None:
    """A whole number from ``low`` to ``high``, None for an empty field. Raises FieldError."""
    text = field.text().strip().replace(",", "")
    if not text:
        return None
    if not text.isdecimal() or not low <= int(text) <= high:
        raise FieldError(wrong, field)
    return int(text)


def plain(amount: Decimal | float) -> str:
    """A figure without exponent or needless zeros."""
    text = f"{Decimal(str(amount)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class PathField(QLineEdit):
    """A path to read, shortened in the middle so that its end stays in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path = ""
        self.setReadOnly(True)

    def show_path(self, path: str) -> None:
        """Show this path, the whole of it on hover."""
        self.path = path
        self.setToolTip(path)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Shorten it anew."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = max(40, self.width() - 24)
        self.setText(self.fontMetrics().elidedText(self.path, Qt.TextElideMode.ElideMiddle, room))


class PathChoice(QWidget):
    """A path beside the button that asks for another one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = PathField(self)
        self.change = QPushButton(self)
        self.change.setAutoDefault(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(self.field, 1)
        row.addWidget(self.change)
        self.setFocusProxy(self.change)
