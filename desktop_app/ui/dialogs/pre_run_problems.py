"""Rows that cannot be used, by the number Excel shows, so that they are mended at the source."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.services.import_batch import PreRun
from desktop_app.services.trial import spelled_first
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.row_table import RowTable
from desktop_app.ui.dialogs.style import GAP

_NAMED = 6


class ProblemList(QWidget):
    """A line a bad row, at most the 200 that the check names; the heading has the whole number."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: PreRun | None = None
        self.lead = QLabel(self)
        self.lead.setWordWrap(True)
        self.lead.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.lead.setProperty("tone", "muted")
        self.save = QPushButton(self)
        self.save.setAutoDefault(False)
        self.table = RowTable(72, self)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 16, 16)
        whole.setSpacing(GAP)
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(self.lead, 1)
        head.addWidget(self.save, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(head)
        whole.addWidget(self.table, 1)

    def show_check(self, check: PreRun | None) -> None:
        """Show the bad rows of this check."""
        self._shown = check
        problems = check.problems if check else ()
        self.table.setRowCount(len(problems))
        for line, problem in enumerate(problems):
            number = QTableWidgetItem(str(problem.row_no))
            number.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            said = QTableWidgetItem(self._context.tr.say(problem.said))
            said.setToolTip(said.text())
            self.table.setItem(line, 0, number)
            self.table.setItem(line, 1, said)
        self._words()

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for column, (word, side) in enumerate(
            (
                (tr("Row"), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
                (tr("Problem"), left),
            )
        ):
            title = QTableWidgetItem(word)
            title.setTextAlignment(side)
            self.table.setHorizontalHeaderItem(column, title)
        self.table.setAccessibleName(tr("Rows with problems"))
        self.save.setText(tr("Save as a sheet…"))
        self.show_check(self._shown)

    def _words(self) -> None:
        check = self._shown
        if check is None:
            self.lead.setText(self._context.tr("Nothing could be checked yet."))
        elif check.bad_rows == 0:
            self.lead.setText(self._context.tr("Every row can be used."))
        elif check.bad_rows > len(check.problems):
            self.lead.setText(
                self._context.tr(
                    "{bad} rows cannot be used; the first {shown} are listed. They are imported as "
                    "failed, so that nothing is lost. Mend the sheet or go on without them.",
                    bad=f"{check.bad_rows:,}",
                    shown=len(check.problems),
                )
            )
        else:
            self.lead.setText(
                self._context.tr.plural(
                    "{n} row cannot be used. It is imported as failed, so that nothing is lost. "
                    "Mend the sheet or go on without it.",
                    "{n} rows cannot be used. They are imported as failed, so that nothing is "
                    "lost. Mend the sheet or go on without them.",
                    check.bad_rows,
                )
            )
        if check is not None and check.gaps:
            gaps = self._context.tr.plural(
                "{n} row leaves {columns} blank (row {rows}); its prompt goes out without that.",
                "{n} rows leave {columns} blank (rows {rows}); their prompts go out without that.",
                check.gaps,
                columns=self._context.tr.listed(check.gap_columns),
                rows=spelled_first(check.gap_rows, _NAMED, of=check.gaps),
            )
            self.lead.setText(f"{self.lead.text()}\n{gaps}")
        for doubt in check.address_doubts if check is not None else ():
            self.lead.setText(f"{self.lead.text()}\n{self._context.tr.say(doubt)}")
        self.table.setVisible(bool(check and check.problems))
        self.save.setVisible(bool(check and check.problems))
