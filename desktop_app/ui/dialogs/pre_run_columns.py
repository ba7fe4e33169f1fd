"""Which column is the prompt, or which text the columns fill; and which columns name and order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QRadioButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.batch import LaneOnDead
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP

_CHIPS = 6
"""Columns that get a button of their own; the rest share a menu."""


class PromptForm(QWidget):
    """A prompt column, or a text with ``{{column}}``. ``changed`` is emitted on every edit."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._columns: tuple[str, ...] = ()
        self.by_column = QRadioButton(self)
        self.by_template = QRadioButton(self)
        self.by_column.setChecked(True)
        group = QButtonGroup(self)
        group.addButton(self.by_column)
        group.addButton(self.by_template)
        self.column = QComboBox(self)
        self.template = QPlainTextEdit(self)
        self.template.setTabChangesFocus(True)
        self.template.setFixedHeight(72)
        self.chips = QHBoxLayout()
        self.chips.setSpacing(GAP // 2)

        self._templated = QWidget(self)
        inner = QVBoxLayout(self._templated)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(GAP // 2)
        inner.addWidget(self.template)
        inner.addLayout(self.chips)

        modes = QHBoxLayout()
        modes.setSpacing(GAP * 2)
        modes.addWidget(self.by_column)
        modes.addWidget(self.by_template)
        modes.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(GAP)
        whole.addLayout(modes)
        whole.addWidget(self.column)
        whole.addWidget(self._templated)

        self.by_template.toggled.connect(self._switch)
        self.column.currentIndexChanged.connect(self.changed)
        self.template.textChanged.connect(self.changed)
        self._switch(False)

    def fill(self, columns: Sequence[str], guess: str | None) -> None:
        """Offer these columns; the one chosen before stays if it is still there."""
        before = self.column.currentText()
        self._columns = tuple(columns)
        self.column.blockSignals(True)
        self.column.clear()
        self.column.addItems(list(columns))
        wanted = before if before in columns else guess
        self.column.setCurrentIndex(self.column.findText(wanted) if wanted else -1)
        self.column.blockSignals(False)
        self._make_chips()

    def prompt_column(self) -> str | None:
        """The chosen column, or None where a text is used or nothing is chosen."""
        return (self.column.currentText() or None) if self.by_column.isChecked() else None

    def text(self) -> str | None:
        """The text with ``{{column}}``, or None where a column is used or nothing is written."""
        return (self.template.toPlainText() or None) if self.by_template.isChecked() else None

    def insert(self, column: str) -> None:
        """Put ``{{column}}`` where the cursor is."""
        self.template.insertPlainText("{{" + column + "}}")
        self.template.setFocus()

    def _insert(self, column: str, _checked: bool = False) -> None:
        self.insert(column)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.by_column.setText(tr("From a column"))
        self.by_template.setText(tr("A text with columns"))
        self.column.setPlaceholderText(tr("Choose the column with the prompts"))
        self.column.setAccessibleName(tr("Prompt column"))
        self.template.setAccessibleName(tr("Prompt text"))
        self.template.setPlaceholderText(
            tr("For example: a product photo of {example}", example="{{" + self._example() + "}}")
        )
        self._make_chips()

    def _example(self) -> str:
        return self._columns[0] if self._columns else "column"

    def _switch(self, templated: bool) -> None:
        self.column.setVisible(not templated)
        self._templated.setVisible(templated)
        self.changed.emit()

    def _make_chips(self) -> None:
        while (item := self.chips.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for column in self._columns[:_CHIPS]:
            chip = QToolButton(self)
            chip.setText(_short(column))
            chip.setProperty("look", "chip")
            chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            chip.setToolTip(self._context.tr("Insert the column {name}", name=column))
            chip.setAccessibleName(self._context.tr("Insert the column {name}", name=column))
            chip.clicked.connect(partial(self._insert, column))
            self.chips.addWidget(chip)
        if len(self._columns) > _CHIPS:
            more = QToolButton(self)
            more.setText(self._context.tr("More columns"))
            more.setProperty("look", "chip")
            more.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            menu = QMenu(more)
            for column in self._columns[_CHIPS:]:
                menu.addAction(column).triggered.connect(partial(self._insert, column))
            more.setMenu(menu)
            self.chips.addWidget(more)
        self.chips.addStretch(1)


class OrderForm(QWidget):
    """The columns that name the files, say who goes first, and whose equal values run one after
    another."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.key = QComboBox(self)
        self.priority = QComboBox(self)
        self.lane = QComboBox(self)
        self.on_dead = QComboBox(self)
        self._labels = tuple(QLabel(self) for _ in range(4))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(GAP // 2)
        grid.setColumnMinimumWidth(0, 112)
        grid.setColumnStretch(1, 1)
        for line, box in enumerate((self.key, self.priority, self.lane, self.on_dead)):
            self._labels[line].setBuddy(box)
            grid.addWidget(self._labels[line], line, 0)
            grid.addWidget(box, line, 1)
            box.currentIndexChanged.connect(self.changed)
        self.on_dead.addItem("", LaneOnDead.GO)
        self.on_dead.addItem("", LaneOnDead.STOP)
        self.lane.currentIndexChanged.connect(self._toggle)
        self._toggle()

    def fill(self, columns: Sequence[str], guess: Mapping[str, str]) -> None:
        """Offer these columns, keeping what was chosen where it is still there."""
        offered = ((self.key, "key"), (self.priority, "priority"), (self.lane, "lane"))
        for box, name in offered:
            first = box.count() == 0
            before = box.currentData()
            wanted = guess.get(name) if first else before
            box.blockSignals(True)
            box.clear()
            box.addItem("", None)
            for column in columns:
                box.addItem(column, column)
            box.setCurrentIndex(max(0, box.findData(wanted)))
            box.blockSignals(False)
        self.retranslate()
        self._toggle()

    def key_column(self) -> str | None:
        """The column that names the files."""
        return self.key.currentData() or None

    def priority_column(self) -> str | None:
        """The column whose highest numbers go first."""
        return self.priority.currentData() or None

    def lane_column(self) -> str | None:
        """The column whose equal values run one after another."""
        return self.lane.currentData() or None

    def lane_on_dead(self) -> LaneOnDead:
        """What a failed row means for the rest of its lane."""
        return LaneOnDead(self.on_dead.currentData() or LaneOnDead.GO)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        words = (
            tr("File names from"),
            tr("Highest number first"),
            tr("One after another"),
            tr("If one of them fails"),
        )
        boxes = (self.key, self.priority, self.lane, self.on_dead)
        for label, box, word in zip(self._labels, boxes, words, strict=True):
            label.setText(word)
            box.setAccessibleName(word)
        if self.key.count():
            self.key.setItemText(0, tr("The prompt's first words"))
            self.priority.setItemText(0, tr("No: in sheet order"))
            self.lane.setItemText(0, tr("No: all rows at the same time"))
        self.on_dead.setItemText(0, tr("Go on with the next"))
        self.on_dead.setItemText(1, tr("Stop the rows after it"))
        self.lane.setToolTip(
            tr("Rows with the same value here run strictly one after another, in sheet order.")
        )

    def _toggle(self) -> None:
        laned = self.lane_column() is not None
        self.on_dead.setVisible(laned)
        self._labels[3].setVisible(laned)


def _short(column: str) -> str:
    return column if len(column) <= 16 else column[:15] + "…"
