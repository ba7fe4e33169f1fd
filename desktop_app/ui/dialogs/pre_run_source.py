"""How the file is read, beside the head of the sheet, so that a wrong encoding is seen at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QGridLayout,
    QHeaderView,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.encodings import ENCODINGS, encoding_name
from desktop_app.domain.ports import WHOLE_LINES, SheetInfo, SheetOptions
from desktop_app.domain.text import Translator
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_head import HeadModel
from desktop_app.ui.dialogs.style import GAP

_DELIMITERS = (",", ";", "\t", "|", WHOLE_LINES)
_A_LINE = 2
"""Choices side by side."""

_WIDEST = 200
"""Logical pixels of a choice: two of them and their names leave the form its half."""

_NAMED = 48
"""Characters of a row's names; the list of rows is to be read at a glance."""

Names = Sequence[tuple[int, tuple[str, ...]]]
"""(row number, the names that its cells make)."""


class SourceForm(QWidget):
    """Encoding, separator, quotation, first row, header row, worksheet, hidden rows, and the head.
    ``changed`` asks to read the file anew."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._info: SheetInfo | None = None
        self._headers: Names = ()
        self._boxes = tuple(QComboBox(self) for _ in range(7))
        self.encoding, self.delimiter, self.quoting = self._boxes[:3]
        self.header, self.header_row, self.worksheet, self.hidden = self._boxes[3:]
        for box in self._boxes:
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMaximumWidth(_WIDEST)
        # Another worksheet begins where it begins.
        self.worksheet.activated.connect(lambda _at: self.header_row.setCurrentIndex(0))
        self._labels = tuple(QLabel(self) for _ in self._boxes)
        self.model = HeadModel(self)
        self.grid = QTableView(self)
        self.grid.setModel(self.model)
        self.grid.setProperty("look", "boxed")
        self.grid.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.grid.setWordWrap(False)
        self.grid.setTabKeyNavigation(False)
        self.grid.setAlternatingRowColors(True)
        self.grid.setShowGrid(False)
        self.grid.horizontalHeader().setStretchLastSection(True)
        self.grid.horizontalHeader().setDefaultSectionSize(136)
        self.grid.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.grid.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.grid.verticalHeader().setDefaultSectionSize(26)

        choices: tuple[tuple[QComboBox, tuple[object, ...]], ...] = (
            (self.encoding, (None, *ENCODINGS)),
            (self.delimiter, (None, *_DELIMITERS)),
            (self.quoting, (None, True, False)),
            (self.header, (None, True, False)),
            (self.hidden, (False, True)),
        )
        for box, values in choices:
            for value in values:
                box.addItem("", value)
        self._bar = QGridLayout()
        self._bar.setHorizontalSpacing(GAP)
        self._bar.setVerticalSpacing(GAP // 2)
        self._bar.setColumnStretch(2 * _A_LINE, 1)
        for label, box in zip(self._labels, self._boxes, strict=True):
            label.setBuddy(box)
            box.activated.connect(self.changed)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 16, 16)
        whole.setSpacing(GAP)
        whole.addLayout(self._bar)
        whole.addWidget(self.grid, 1)
        self._offer()

    def options(self) -> SheetOptions:
        """What was chosen; None where the file's own is to be found out."""
        return SheetOptions(
            encoding=self.encoding.currentData(),
            delimiter=self.delimiter.currentData(),
            worksheet=self.worksheet.currentData(),
            quoting=self.quoting.currentData(),
            header=self.header.currentData(),
            header_row=self.header_row.currentData(),
            hidden=self.hidden.currentData() or None,
        )

    def show_info(self, info: SheetInfo) -> None:
        """Show how the sheet was read."""
        self._info = info
        self._offer()
        self.retranslate()

    def show_headers(self, headers: Names) -> None:
        """Offer the rows that could name its columns."""
        self._headers = headers
        self._offer()
        self.retranslate()

    def retranslate(self) -> None:
        """Say every word again."""
        tr, info = self._context.tr, self._info
        words = (
            tr("Encoding"),
            tr("Separator"),
            tr("Quotation marks"),
            tr("First row"),
            tr("Header row"),
            tr("Worksheet"),
            tr("Hidden rows"),
        )
        for label, box, word in zip(self._labels, self._boxes, words, strict=True):
            label.setText(word)
            box.setAccessibleName(word)
        marks = _marks(tr)
        quoting = {True: tr("On"), False: tr("Off")}
        header = {True: tr("Column names"), False: tr("Data")}
        rows = info.hidden_rows if info is not None else 0
        hidden = {
            False: tr("Leave out ({n})", n=f"{rows:,}"),
            True: tr("Import too ({n})", n=f"{rows:,}"),
        }
        encoding = info.encoding if info else None
        self._say(self.encoding, ENCODINGS, encoding_name(encoding) if encoding else None)
        delimiter = info.delimiter if info else None
        self._say(self.delimiter, marks, marks.get(delimiter or "", delimiter))
        self._say(self.quoting, quoting, _word(quoting, info.quoting if info else None))
        self._say(self.header, header, _word(header, info.header if info else None))
        headers = {row: _named(tr, row, names) for row, names in self._headers}
        first = self._headers[0][0] if self._headers else 1
        self._say(self.header_row, headers, tr("Row {n}", n=first))
        for place in range(self.hidden.count()):
            self.hidden.setItemText(place, hidden[self.hidden.itemData(place)])
        self.quoting.setToolTip(
            tr("On: quotation marks hold a cell together. Off: they belong to the text.")
        )
        self.grid.setAccessibleName(tr("First rows of the sheet"))

    def _say(self, box: QComboBox, words: Mapping[Any, str], found: str | None) -> None:
        tr = self._context.tr
        automatic = tr("{found} (auto)", found=found) if found else tr("Automatic")
        box.setItemText(0, automatic)
        for place in range(1, box.count()):
            box.setItemText(place, words[box.itemData(place)])
        box.setToolTip(box.currentText())

    def take_hidden(self) -> None:
        """Take the hidden rows too."""
        self.hidden.setCurrentIndex(self.hidden.findData(True))
        self.changed.emit()

    def begin_in(self, row: int | None) -> None:
        """Take this row for the header in the next reading, None: the first."""
        at = self.header_row.findData(row)
        if at < 0:
            self.header_row.addItem("", row)
            self._headers = (*self._headers, (row or 1, ()))
            at = self.header_row.count() - 1
        self.header_row.setCurrentIndex(at)

    def _offer_rows(self) -> None:
        chosen = self._info.header_row if self._info else None
        self.header_row.clear()
        for row in (None, *(row for row, _ in self._headers)):
            self.header_row.addItem("", row)
        self.begin_in(chosen)

    def _offer(self) -> None:
        """Only what this kind of file knows; all that a text knows while nothing is known of it."""
        info = self._info
        self._offer_rows()
        sheets = info.worksheets if info else ()
        self.worksheet.clear()
        for name in sheets:
            self.worksheet.addItem(name, name)
        if info and info.worksheet:
            self.worksheet.setCurrentIndex(self.worksheet.findData(info.worksheet))
        offered = (
            info is None or info.encoding is not None,
            info is None or info.delimiter is not None,
            info is None or info.quoting is not None,
            info is None or info.header is not None,
            len(self._headers) > 1,
            bool(sheets),
            info is not None and info.hidden_rows > 0,
        )
        place = 0
        for label, box, shown in zip(self._labels, self._boxes, offered, strict=True):
            for part in (label, box):
                self._bar.removeWidget(part)
                part.setVisible(shown)
            if shown:
                line, column = divmod(place, _A_LINE)
                self._bar.addWidget(label, line, 2 * column)
                self._bar.addWidget(box, line, 2 * column + 1)
                place += 1


def _marks(tr: Translator) -> dict[str, str]:
    return {
        ",": tr("Comma"),
        ";": tr("Semicolon"),
        "\t": tr("Tab"),
        "|": tr("Bar |"),
        WHOLE_LINES: tr("None: a line is one prompt"),
    }


def _named(tr: Translator, row: int, names: Sequence[str]) -> str:
    shown = tr.listed(names)
    shown = shown if len(shown) <= _NAMED else shown[: _NAMED - 1] + "…"
    return tr("Row {n}: {names}", n=row, names=shown) if shown else tr("Row {n}", n=row)


def _word(words: dict[bool, str], value: bool | None) -> str | None:
    return None if value is None else words[value]
