"""The plain facts of a row, name beside value, the sheet's own cells among them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from desktop_app.domain.references import REFERENCE, references_of
from desktop_app.domain.text import Translator
from desktop_app.domain.views import TaskDetail
from desktop_app.ui import words
from desktop_app.ui.context import UiContext

CELLS = 12  # a sheet may have a hundred columns; its first ones tell rows apart


class Facts(QWidget):
    """Two columns of labels, used again for the next row instead of built anew."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._labels: list[tuple[QLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)

    def show_detail(self, detail: TaskDetail) -> None:
        """Show the facts of this row."""
        facts = list_facts(self._context.tr, detail)
        while len(self._labels) < len(facts):
            self._add_pair()
        for at, (name, value) in enumerate(self._labels):
            shown = at < len(facts)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                name.setText(facts[at][0])
                value.setText(facts[at][1])
                value.setToolTip(facts[at][2])
                value.setAccessibleName(f"{facts[at][0]}: {facts[at][1]}")

    def _add_pair(self) -> None:
        at = len(self._labels)
        name, value = QLabel(self), QLabel(self)
        name.setProperty("tone", "muted")
        name.setAlignment(Qt.AlignmentFlag.AlignTop)
        name.setTextFormat(Qt.TextFormat.PlainText)
        value.setTextFormat(Qt.TextFormat.PlainText)
        value.setWordWrap(True)
        value.setFont(self._context.theme.font(tabular=True))
        value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid.addWidget(name, at, 0)
        self._grid.addWidget(value, at, 1)
        self._labels.append((name, value))


def list_facts(tr: Translator, detail: TaskDetail) -> list[tuple[str, str, str]]:
    """(name, value, tooltip) of everything there is to say."""
    row = detail.row
    facts: list[tuple[str, str, str]] = []
    if row.output is not None:
        # Long names have no place to break: zero-width spaces let them wrap.
        outputs = (row.output, *row.more)
        names = "\n".join(Path(output).name for output in outputs)
        shown = names.replace("_", "_\u200b").replace("-", "-\u200b")
        facts.append((tr("Files") if row.more else tr("File"), shown, "\n".join(outputs)))
    facts.append((tr("Cost"), row.cost if row.cost is not None else words.UNKNOWN, ""))
    if row.started_at is not None:
        ago = words.relative(tr, row.started_at, words.now())
        facts.append((tr("Last try"), ago, words.exact(row.started_at)))
    cells = {cell for _, cell in detail.cells[:CELLS] if cell}
    if detail.lane is not None and detail.lane not in cells:
        facts.append((tr("Lane"), detail.lane, ""))
    pictures = references_of(detail.params)
    if pictures:
        paths = "\n".join(one.url or one.path for one in pictures)
        names = "\n".join(one.name for one in pictures)
        facts.append((tr("Reference pictures"), names, paths))
    for param, setting in detail.params.items():
        if param == REFERENCE:
            continue
        # The sheet's own word for it is shown below.
        if str(setting) not in cells:
            facts.append((param, str(setting), ""))
    for column, cell in detail.cells[:CELLS]:
        if cell and cell != detail.prompt:
            facts.append((column, cell, ""))
    return facts
