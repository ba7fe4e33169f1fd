"""Where one of several sheets stands, and what comes after it: nobody is led through a wizard."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.sheet_queue import SheetQueue


class QueueStrip(QWidget):
    """Seen only where sheets wait or came before."""

    def __init__(
        self, context: UiContext, queue: SheetQueue, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._queue = queue
        self.said = QLabel(self)
        self.said.setWordWrap(True)
        self.leave = QPushButton(self)
        self.leave.setProperty("look", "link")
        self.leave.setAutoDefault(False)
        self.leave.clicked.connect(queue.leave_rest)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(GAP)
        line.addWidget(self.said, 1)
        line.addWidget(self.leave)
        queue.changed.connect(self.retranslate)
        context.signals.language_changed.connect(self.retranslate)
        self.retranslate()

    def retranslate(self) -> None:
        """Say every word again."""
        tr, queue = self._context.tr, self._queue
        self.setVisible(queue.total > 1)
        said = [tr("Sheet {place} of {total}.", place=queue.place, total=queue.total)]
        if queue.waiting:
            said.append(tr("Whatever you choose for it, the next one is shown after it."))
        self.said.setText(tr.joined(said))
        self.leave.setText(tr("Leave out the others"))
        self.leave.setVisible(queue.waiting > 0)
