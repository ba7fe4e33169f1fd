"""Which column is the prompt, or which text the columns fill."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_chips import ColumnChips
from desktop_app.ui.dialogs.style import GAP


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
        self.chips = ColumnChips(context, self)

        self._templated = QWidget(self)
        inner = QVBoxLayout(self._templated)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(GAP // 2)
        inner.addWidget(self.template)
        inner.addWidget(self.chips)

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
        self.chips.chosen.connect(self.insert)
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
        self.chips.offer(self._columns)

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
        self.chips.offer(self._columns)

    def _example(self) -> str:
        return self._columns[0] if self._columns else "column"

    def _switch(self, templated: bool) -> None:
        self.column.setVisible(not templated)
        self._templated.setVisible(templated)
        self.changed.emit()
