"""What the newest release is: asked for by the operator, who also decides what comes of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop_app.domain.ports.updates import Release
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.ui.context import UiContext
from desktop_app.ui.desktop import visit_page
from desktop_app.ui.dialogs.sheet import Sheet

_NOTES_HEIGHT = 220  # logical pixels


class UpdatesDialog(Sheet):
    """Asks as it opens; then the version with its notes, or that there is none."""

    def __init__(
        self,
        context: UiContext,
        parent: QWidget | None,
        visit: Callable[[str], None] = visit_page,
    ) -> None:
        super().__init__(context, parent, width=520)
        self._visit = visit
        self.notes = QPlainTextEdit(self)
        self.notes.setReadOnly(True)
        self.notes.setMinimumHeight(_NOTES_HEIGHT)
        self.notes.setVisible(False)
        self.body.addWidget(self.notes)
        self.page = self.button(primary=True)
        self.page.setVisible(False)
        self.page.clicked.connect(self._open_page)
        self.shut = self.button()
        self.shut.clicked.connect(self.accept)
        self.footer.addStretch(1)
        self.footer.addWidget(self.shut)
        self.footer.addWidget(self.page)
        self._found: Release | None = None
        self._asked = self._failed = False
        self.retranslate()
        self.run(self._ask)

    async def _ask(self) -> None:
        try:
            self._found = await self.context.services.updates.newer()
        except OperatorError:
            self._failed = True
            raise
        finally:
            self._asked = True
            self.retranslate()
        if self._found is not None:
            self.page.setFocus()  # it has the look of what Enter does

    def _open_page(self) -> None:
        if self._found is not None:
            self._visit(self._found.page)
            self.accept()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr, found = self.context.tr, self._found
        self.setWindowTitle(tr("Check for updates"))
        self.heading.setText(self._heading(tr))
        current = self.context.services.updates.current
        self.lead.setText(tr("This is version {version}.", version=current))
        self.notes.setVisible(found is not None and bool(found.notes))
        self.notes.setPlainText(found.notes if found is not None else "")
        self.notes.setAccessibleName(tr("What changed"))
        self.page.setText(tr("Open the download page"))
        self.page.setVisible(found is not None)
        self.shut.setText(tr("Close"))

    def _heading(self, tr: Translator) -> str:
        if self._failed:
            return tr("Whether there is a newer version is not known")
        if self._found is not None:
            return tr("Version {version} is there", version=self._found.version)
        return tr("There is no newer version") if self._asked else tr("Asking for releases…")
