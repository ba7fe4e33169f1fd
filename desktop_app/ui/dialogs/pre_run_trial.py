"""Which rows are tried first: the ticks in this list are the rows that will run, and no others."""

from __future__ import annotations

import secrets

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.text import OperatorError
from desktop_app.services.import_batch import PreRun
from desktop_app.services.trial import MOST, Pick, Trial, TrialRow, rows_of, spelled
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.row_table import RowTable
from desktop_app.ui.dialogs.style import GAP, set_tone
from desktop_app.ui.dialogs.tick_column import TickColumn

_SEEDS = 1_000_000
_ROW, _PROMPT = 0, 1


class TrialForm(QWidget):
    """First, random or chosen rows, and what they are. ``changed`` fires on every edit."""

    changed = Signal()

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._seed = secrets.randbelow(_SEEDS)
        self._shown: PreRun | None = None
        self.picks = {pick: QRadioButton(self) for pick in Pick}
        self.picks[Pick.FIRST].setChecked(True)
        group = QButtonGroup(self)
        for button in self.picks.values():
            group.addButton(button)
            button.toggled.connect(self._toggled)
        self.count = QLineEdit("3", self)
        self.count.setValidator(QIntValidator(1, MOST, self.count))
        self.count.setFixedWidth(64)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.other = QPushButton(self)
        self.other.setAutoDefault(False)
        self.rows = QLineEdit(self)
        self._of = QLabel(self)
        self._of.setBuddy(self.count)
        self.said = QLabel(self)
        self.said.setWordWrap(True)
        self.table = RowTable(96, self)
        self.table.setItemDelegateForColumn(_ROW, TickColumn(context, self.table))

        ways = QGridLayout()
        ways.setHorizontalSpacing(GAP)
        ways.setVerticalSpacing(GAP // 2)
        ways.addWidget(self._of, 0, 0)
        ways.addWidget(self.count, 0, 1)
        ways.addWidget(self.picks[Pick.FIRST], 0, 2)
        ways.addWidget(self.picks[Pick.RANDOM], 0, 3)
        ways.addWidget(self.other, 0, 4)
        ways.addWidget(self.picks[Pick.CHOSEN], 1, 0)
        ways.addWidget(self.rows, 1, 1, 1, 4)
        ways.setColumnStretch(5, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 16, 16)
        whole.setSpacing(GAP)
        whole.addLayout(ways)
        whole.addWidget(self.said)
        whole.addWidget(self.table, 1)

        self.count.textEdited.connect(lambda _text: self._edited(None))
        self.rows.textEdited.connect(lambda _text: self._edited(Pick.CHOSEN))
        self.other.clicked.connect(self._reroll)
        self.table.itemChanged.connect(lambda _item: self._ticked())

    @property
    def pick(self) -> Pick:
        """First, random or chosen."""
        return next(pick for pick, button in self.picks.items() if button.isChecked())

    def trial(self) -> Trial:
        """The trial as chosen now. Raises OperatorError for what are no row numbers."""
        if self.pick is Pick.CHOSEN:
            return Trial(Pick.CHOSEN, rows=rows_of(self.rows.text()))
        return Trial(self.pick, min(MOST, int(self.count.text() or 0) or 3), self._seed)

    def show_check(self, check: PreRun | None) -> None:
        """Show the rows of this check, those that will run with a tick."""
        self._shown = check
        tried = {row.row_no for row in check.trial} if check else set()
        sample = {row.row_no: row for row in (*check.sample, *check.trial)} if check else {}
        self.table.blockSignals(True)
        self.table.setRowCount(len(sample))
        for line, number in enumerate(sorted(sample)):
            self._show_line(line, sample[number], ticked=number in tried)
        self.table.blockSignals(False)
        if self.pick is not Pick.CHOSEN:
            self.rows.setText(spelled(tried))
        self._words()

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self._of.setText(tr("Rows to try"))
        self.picks[Pick.FIRST].setText(tr("the first"))
        self.picks[Pick.RANDOM].setText(tr("at random"))
        self.picks[Pick.CHOSEN].setText(tr("These rows"))
        self.other.setText(tr("Pick others"))
        self.count.setAccessibleName(tr("How many rows to try"))
        self.rows.setAccessibleName(tr("Row numbers to try"))
        self.rows.setPlaceholderText("3, 7-9")
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for column, word in ((_ROW, tr("Row")), (_PROMPT, tr("Prompt"))):
            title = QTableWidgetItem(word)
            title.setTextAlignment(left)
            self.table.setHorizontalHeaderItem(column, title)
        self.table.setAccessibleName(tr("Rows to try"))
        self._words()

    def _show_line(self, line: int, row: TrialRow, *, ticked: bool) -> None:
        number = QTableWidgetItem(str(row.row_no))
        number.setData(Qt.ItemDataRole.UserRole, row.row_no)
        number.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        prompt = QTableWidgetItem(row.prompt.replace("\n", " "))
        prompt.setToolTip(row.prompt)
        self.table.setItem(line, _ROW, number)
        self.table.setItem(line, _PROMPT, prompt)

    def _ticked(self) -> None:
        """A tick chooses rows: those with one, and those that the list doesn't show."""
        listed: dict[int, Qt.CheckState] = {}
        for line in range(self.table.rowCount()):
            item = self.table.item(line, _ROW)
            if item is not None:
                listed[item.data(Qt.ItemDataRole.UserRole)] = item.checkState()
        try:
            kept = rows_of(self.rows.text()) - listed.keys()
        except OperatorError:
            kept = frozenset()
        ticked = {row for row, state in listed.items() if state is Qt.CheckState.Checked}
        self.rows.setText(spelled(ticked | kept))
        self._edited(Pick.CHOSEN)

    def _edited(self, pick: Pick | None) -> None:
        if pick is not None:
            self._choose(pick)
        elif self.pick is Pick.CHOSEN:
            self._choose(Pick.FIRST)
        self._words()
        self.changed.emit()

    def _choose(self, pick: Pick) -> None:
        button = self.picks[pick]
        button.blockSignals(True)
        button.setChecked(True)
        button.blockSignals(False)

    def _reroll(self) -> None:
        self._seed = secrets.randbelow(_SEEDS)
        self._edited(Pick.RANDOM)

    def _toggled(self, checked: bool) -> None:
        if checked:
            self._words()
            self.changed.emit()

    def _words(self) -> None:
        tr, check = self._context.tr, self._shown
        self.other.setEnabled(self.pick is Pick.RANDOM)
        problem = self._problem()
        set_tone(self.said, "warning" if problem else "muted")
        if problem:
            self.said.setText(problem)
        elif check is None:
            self.said.setText(tr("Nothing could be checked yet."))
        elif not check.trial:
            self.said.setText(tr("So few rows need no trial."))
        else:
            self.said.setText(
                tr("All rows are imported, and the ticked ones run. Then you decide on the rest.")
            )

    def _problem(self) -> str:
        tr, check = self._context.tr, self._shown
        try:
            trial = self.trial()
        except OperatorError as error:
            return tr.say(error.message)
        if trial.pick is Pick.CHOSEN and not trial.rows:
            return tr("Tick the rows to try, or write their numbers.")
        if check is not None and check.trial_problem is not None:
            return tr.say(check.trial_problem)
        return ""
