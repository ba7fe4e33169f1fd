"""Which columns name the files and say who goes first, and whether the whole batch does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QWidget

from desktop_app.domain.batch import BatchPriority, LaneOnDead, SheetMapping
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.priorities import CHOICES, choice_words


class OrderForm(QWidget):
    """The columns that name the files, say who goes first, and whose equal values run one after
    another; and when the batch has its turn beside others. ``changed``: of the columns."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.key = QComboBox(self)
        self.priority = QComboBox(self)
        self.lane = QComboBox(self)
        self.on_dead = QComboBox(self)
        self.batch = QComboBox(self)
        self._labels = tuple(QLabel(self) for _ in range(5))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(GAP // 2)
        grid.setColumnMinimumWidth(0, 118)
        grid.setColumnStretch(1, 1)
        for line, box in enumerate((*self._of_rows(), self.batch)):
            self._labels[line].setBuddy(box)
            grid.addWidget(self._labels[line], line, 0)
            grid.addWidget(box, line, 1)
        for box in self._of_rows():
            box.currentIndexChanged.connect(self.changed)
        for priority in CHOICES:
            self.batch.addItem("", priority)
        self.batch.setCurrentIndex(self.batch.findData(BatchPriority.NORMAL))
        self.on_dead.addItem("", LaneOnDead.GO)
        self.on_dead.addItem("", LaneOnDead.STOP)
        self.lane.currentIndexChanged.connect(self._toggle)
        self._toggle()

    def _of_rows(self) -> tuple[QComboBox, ...]:
        return self.key, self.priority, self.lane, self.on_dead

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

    def choose(self, mapping: SheetMapping, lane_on_dead: LaneOnDead) -> None:
        """Show what a mapping that fits says."""
        for box, column in (
            (self.key, mapping.key_column),
            (self.priority, mapping.priority_column),
            (self.lane, mapping.lane_column),
            (self.on_dead, lane_on_dead),
        ):
            box.setCurrentIndex(max(0, box.findData(column)))

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

    def batch_priority(self) -> BatchPriority:
        """When the batch has its turn where others want the same account."""
        return BatchPriority(self.batch.currentData())

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        words = (
            tr("File names from"),
            tr("Highest number first"),
            tr("One after another"),
            tr("If one of them fails"),
            tr("Priority"),
        )
        for label, box, word in zip(
            self._labels, (*self._of_rows(), self.batch), words, strict=True
        ):
            label.setText(word)
            box.setAccessibleName(word)
        if self.key.count():
            self.key.setItemText(0, tr("The prompt's first words"))
            self.priority.setItemText(0, tr("No: in sheet order"))
            self.lane.setItemText(0, tr("No: all rows at the same time"))
        for priority, said in choice_words(tr).items():
            self.batch.setItemText(self.batch.findData(priority), said)
        self.on_dead.setItemText(0, tr("Go on with the next"))
        self.on_dead.setItemText(1, tr("Stop the rows after it"))
        self.lane.setToolTip(
            tr("Rows with the same value here run strictly one after another, in sheet order.")
        )

    def _toggle(self) -> None:
        laned = self.lane_column() is not None
        self.on_dead.setVisible(laned)
        self._labels[3].setVisible(laned)
