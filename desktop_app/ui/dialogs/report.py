"""What went wrong in an earlier run, to be read, handed on, or put away."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop_app.domain.text import OperatorError, message
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.sheet import Sheet


class ReportDialog(Sheet):
    """Shows ``file``, which holds no key and no prompt. ``put_away`` fires when the operator has
    no more use for it; closing the dialog alone leaves the offer where it is."""

    put_away = Signal()

    def __init__(self, context: UiContext, file: Path, parent: QWidget | None) -> None:
        super().__init__(context, parent, width=640)
        self._file = file
        self._copied = False
        self.report = QPlainTextEdit(self)
        self.report.setReadOnly(True)
        self.report.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.report.setMinimumHeight(280)
        self.body.addWidget(self.report)
        self.copy = self.button()
        self.copy.setEnabled(False)
        self.copy.clicked.connect(self._copy)
        self.folder = self.button()
        self.folder.clicked.connect(lambda: context.reveal_path(self._file))
        self.done_with = self.button(primary=True)
        self.done_with.clicked.connect(self._put_away)
        self.footer.addWidget(self.copy)
        self.footer.addWidget(self.folder)
        self.footer.addStretch(1)
        self.footer.addWidget(self.done_with)
        self.retranslate()
        self.run(self._load)

    async def _load(self) -> None:
        try:
            text = await asyncio.to_thread(self._file.read_text, "utf-8", "replace")
        except OSError as error:
            said = message("services.report_gone", file=self._file.name, why=error.strerror)
            raise OperatorError(said) from error
        self.report.setPlainText(text.strip("\n"))
        self.copy.setEnabled(True)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self._copied = True
        self._say_copied()

    def _put_away(self) -> None:
        self.put_away.emit()
        self.accept()

    def _say_copied(self) -> None:
        if self._copied:
            self.notice.say(self.context.tr("The report is in the clipboard."), "ok")

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        self.setWindowTitle(tr("Report"))
        self.heading.setText(tr("What went wrong"))
        self.lead.setText(
            tr(
                "No key, prompt or folder name of yours is in it. It stays on this computer "
                "unless you hand it on, to whoever looks after Batchwright for you."
            )
        )
        self.report.setAccessibleName(tr("Report"))
        self.copy.setText(tr("Copy"))
        self.folder.setText(tr("Show in folder"))
        self.done_with.setText(tr("Put away"))
        self._say_copied()
