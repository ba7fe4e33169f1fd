"""How the file is read, beside the head of the sheet, so that a wrong encoding is seen at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.ports import SheetInfo, SheetOptions
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP

ENCODINGS = ("utf-8", "gb18030", "utf-16", "big5", "shift_jis", "cp1252")
_DELIMITERS = (",", ";", "\t", "|")


class HeadModel(QAbstractTableModel):
    """The first rows as they were read; the vertical header shows Excel's row numbers."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[str, ...] = ()
        self._rows: Sequence[tuple[int, tuple[str, ...]]] = ()

    def show(self, columns: tuple[str, ...], rows: Sequence[tuple[int, tuple[str, ...]]]) -> None:
        """Replace what is shown."""
        self.beginResetModel()
        self._columns, self._rows = columns, rows
        self.endResetModel()

    def rowCount(  # noqa: N802 - Qt's name
        self,
        parent: QModelIndex | QPersistentModelIndex = QModelIndex(),  # noqa: B008
    ) -> int:
        """Rows of the head."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(  # noqa: N802 - Qt's name
        self,
        parent: QModelIndex | QPersistentModelIndex = QModelIndex(),  # noqa: B008
    ) -> int:
        """The sheet's columns."""
        return 0 if parent.isValid() else len(self._columns)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """A cell's text, one line of it."""
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        cells = self._rows[index.row()][1]
        text = cells[index.column()] if index.column() < len(cells) else ""
        return text[:300].replace("\n", " ") if role == Qt.ItemDataRole.DisplayRole else text[:2000]

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Column names and Excel's row numbers."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation is Qt.Orientation.Horizontal:
            return self._columns[section]
        return str(self._rows[section][0])


class SourceForm(QWidget):
    """Encoding, delimiter, worksheet, and the head. ``changed`` asks to read the file anew."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._info: SheetInfo | None = None
        self.encoding, self.delimiter, self.worksheet = (QComboBox(self) for _ in range(3))
        self._labels = tuple(QLabel(self) for _ in range(3))
        self._boxes = (self.encoding, self.delimiter, self.worksheet)
        self.model = HeadModel(self)
        self.grid = QTableView(self)
        self.grid.setModel(self.model)
        self.grid.setProperty("look", "boxed")
        self.grid.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.grid.setWordWrap(False)
        self.grid.setTabKeyNavigation(False)
        self.grid.setAlternatingRowColors(True)
        self.grid.setShowGrid(False)
        self.grid.horizontalHeader().setDefaultSectionSize(136)
        self.grid.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.grid.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.grid.verticalHeader().setDefaultSectionSize(26)

        self.encoding.addItem("", None)
        for name in ENCODINGS:
            self.encoding.addItem(name.upper().replace("_", "-"), name)
        self.delimiter.addItem("", None)
        for mark in _DELIMITERS:
            self.delimiter.addItem("", mark)
        bar = QHBoxLayout()
        bar.setSpacing(GAP)
        for label, box in zip(self._labels, self._boxes, strict=True):
            label.setBuddy(box)
            bar.addWidget(label)
            bar.addWidget(box)
            box.activated.connect(self.changed)
        bar.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 16, 16)
        whole.setSpacing(GAP)
        whole.addLayout(bar)
        whole.addWidget(self.grid, 1)
        self._offer_worksheets()

    def options(self) -> SheetOptions:
        """What was chosen; None where the file's own is to be found out."""
        return SheetOptions(
            encoding=self.encoding.currentData(),
            delimiter=self.delimiter.currentData(),
            worksheet=self.worksheet.currentData(),
        )

    def show_info(self, info: SheetInfo) -> None:
        """Show how the sheet was read."""
        self._info = info
        self._offer_worksheets()
        self.retranslate()

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        for label, box, word in zip(
            self._labels,
            self._boxes,
            (tr("Encoding"), tr("Separator"), tr("Worksheet")),
            strict=True,
        ):
            label.setText(word)
            box.setAccessibleName(word)
        self.encoding.setItemText(0, self._found(self._info.encoding if self._info else None))
        mark = self._info.delimiter if self._info else None
        names = {",": tr("Comma"), ";": tr("Semicolon"), "\t": tr("Tab"), "|": tr("Bar |")}
        self.delimiter.setItemText(0, self._found(names.get(mark, mark) if mark else None))
        for place, known in enumerate(_DELIMITERS, start=1):
            self.delimiter.setItemText(place, names[known])
        self.grid.setAccessibleName(tr("First rows of the sheet"))

    def _found(self, what: str | None) -> str:
        return (
            self._context.tr("Automatic ({found})", found=what)
            if what
            else self._context.tr("Automatic")
        )

    def _offer_worksheets(self) -> None:
        sheets = self._info.worksheets if self._info else ()
        self.worksheet.blockSignals(True)
        self.worksheet.clear()
        for name in sheets:
            self.worksheet.addItem(name, name)
        if self._info and self._info.worksheet:
            self.worksheet.setCurrentIndex(self.worksheet.findData(self._info.worksheet))
        self.worksheet.blockSignals(False)
        workbook = bool(sheets)
        for label, box, shown in zip(
            self._labels, self._boxes, (not workbook, not workbook, workbook), strict=True
        ):
            label.setVisible(shown)
            box.setVisible(shown)
