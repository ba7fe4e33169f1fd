"""Offered in place of the window when the list of tasks is damaged: one click brings it back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.ui.dialogs.folders import chooser
from desktop_app.ui.dialogs.style import GAP, MARGIN, sheet_style
from desktop_app.ui.theme import Theme

WIDTH = 560
_log = logging.getLogger(__name__)


class RestoreDialog(QDialog):
    """Built before anything else of the program is there, so it is handed no context.

    ``when``: the copy's time as a person reads it, None where there is no copy. ``reason``: what
    SQLite says, None where the file is gone. ``bring_back`` does it, ``save`` writes the support
    file; both raise OperatorError or LocalTrouble. ``decided`` is set once the choice is made:
    True for brought back.
    """

    def __init__(
        self,
        tr: Translator,
        theme: Theme,
        *,
        when: str | None,
        reason: str | None,
        bring_back: Callable[[], Awaitable[None]],
        save: Callable[[Path], Awaitable[None]],
    ) -> None:
        super().__init__()
        self._tr = tr
        self._bring_back = bring_back
        self._save = save
        self._work: asyncio.Task[None] | None = None
        self.decided: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.setWindowTitle("Batchwright")
        self.setMinimumWidth(WIDTH)
        self.setStyleSheet(sheet_style(theme))
        self.heading = self._label(
            tr("The list of tasks is gone")
            if reason is None
            else tr("The list of tasks is damaged")
        )
        font = self.heading.font()
        font.setPointSizeF(font.pointSizeF() * 1.3)
        font.setBold(True)
        self.heading.setFont(font)
        self.lead = self._label(self._promise(when))
        self.details = self._label(reason or "")
        self.details.hide()
        self.state = self._label("")
        self.state.hide()
        self.more = QToolButton(self)
        self.more.setProperty("look", "disclose")
        self.more.setCheckable(True)
        self.more.setText(tr("Details"))
        self.more.setVisible(reason is not None)
        self.more.toggled.connect(self.details.setVisible)
        self.close_button = QPushButton(tr("Close"), self)
        self.support = QPushButton(tr("Save support file…"), self)
        self.bring = QPushButton(
            tr("Bring back what can be read")
            if when is None
            else tr("Bring back the copy of {when}", when=when),
            self,
        )
        self.bring.setDefault(True)
        self.close_button.clicked.connect(self.reject)
        self.support.clicked.connect(self._choose_file)
        self.bring.clicked.connect(self._go)
        self._lay_out()
        self.bring.setFocus()

    def _promise(self, when: str | None) -> str:
        tr = self._tr
        if when is None:
            return tr(
                "There is no copy. Batchwright can keep all that can be read of it; rows may be "
                "missing then. The damaged file is kept."
            )
        return tr(
            "Batchwright can put it together from the copy of {when} and all that can still be "
            "read. What happened after {when} may be lost. Rows that may have been sent since then "
            "are held: nothing is paid for twice without your word. The damaged file is kept.",
            when=when,
        )

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _lay_out(self) -> None:
        footer = QHBoxLayout()
        footer.setSpacing(GAP)
        footer.addWidget(self.close_button)
        footer.addStretch(1)
        footer.addWidget(self.support)
        footer.addWidget(self.bring)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        whole.setSpacing(GAP)
        parts: tuple[QWidget, ...] = (
            self.heading, self.lead, self.more, self.details, self.state,
        )  # fmt: skip
        for part in parts:
            whole.addWidget(part)
        whole.addSpacing(GAP)
        whole.addLayout(footer)

    def _go(self) -> None:
        tr = self._tr
        self._say(tr("Bringing it back…"))
        self._do(self._restore())

    async def _restore(self) -> None:
        await self._bring_back()
        self._end(True)

    def _choose_file(self) -> None:
        tr = self._tr
        dialog = chooser(tr, self, tr("Save support file"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(tr("Zip file (*.zip)"))
        dialog.setDefaultSuffix("zip")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.selectFile(f"Batchwright support {datetime.now().astimezone():%Y-%m-%d %H%M}")
        dialog.fileSelected.connect(lambda name: self._do(self._write(Path(name))))
        dialog.open()

    async def _write(self, target: Path) -> None:
        await self._save(target)
        tr = self._tr
        self._say(tr("Support file saved: {name}", name=target.name))

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        """One thing at a time; what it raises is said here."""

        async def watched() -> None:
            try:
                await work
            except (OperatorError, LocalTrouble) as error:
                self._say(self._tr.say(error.message))
            except Exception as error:
                _log.exception("the list of tasks could not be brought back")
                said = message("services.unexpected", what=type(error).__name__)
                self._say(self._tr.say(said))
            finally:
                self._work = None
                self._enable(True)

        self._enable(False)
        self._work = asyncio.ensure_future(watched())

    def _enable(self, on: bool) -> None:
        for button in (self.close_button, self.support, self.bring):
            button.setEnabled(on)

    def _say(self, text: str) -> None:
        self.state.setText(text)
        self.state.setVisible(bool(text))

    def _end(self, restored: bool) -> None:
        if not self.decided.done():
            self.decided.set_result(restored)
        self.hide()

    def reject(self) -> None:
        """Close, unless something is under way."""
        if self._work is None:
            self._end(False)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """The window's own way to close it is no other than the button's."""
        event.ignore()
        self.reject()
