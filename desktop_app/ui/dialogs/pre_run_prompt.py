"""Which column is the prompt, or which text the columns fill."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QRadioButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP, MENU_MARK

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

    def choose(self, column: str | None, text: str | None) -> None:
        """Show the column or the text of a mapping that fits."""
        (self.by_template if text is not None else self.by_column).setChecked(True)
        if text is not None:
            self.template.setPlainText(text)
        else:
            self.column.setCurrentIndex(self.column.findText(column or ""))

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
        self.template.setToolTip(
            tr(
                "A column is {column}. For parts that not every row has: {condition}",
                column="{{" + self._example() + "}}",
                condition="{% if size %} ... {{size}} {% endif %}",
            )
        )
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
            more.setText(self._context.tr("More columns") + MENU_MARK)
            more.setProperty("look", "chip")
            more.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            menu = QMenu(more)
            for column in self._columns[_CHIPS:]:
                label = column.replace("&", "&&")
                menu.addAction(label).triggered.connect(partial(self._insert, column))
            more.setMenu(menu)
            self.chips.addWidget(more)
        self.chips.addStretch(1)


def _short(column: str) -> str:
    return column if len(column) <= 16 else column[:15] + "…"
