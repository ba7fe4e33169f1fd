"""Files that a connection is made from: one that describes a provider, and one that is the model.
Whoever got such a file from a colleague need not know where the program keeps it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.connection_account import AccountFields
from desktop_app.ui.dialogs.folders import chooser, remember, start_in
from desktop_app.ui.dialogs.sheet import Sheet

FOLDER = "connection_files.folder"


class ConnectionFiles(QObject):
    """What the two buttons beside the fields of an account do."""

    def __init__(self, sheet: Sheet, account: AccountFields) -> None:
        super().__init__(sheet)
        self._sheet = sheet
        self._account = account
        account.add_provider.clicked.connect(self._choose_provider)
        account.find_model.clicked.connect(self._choose_model)

    @property
    def _context(self) -> UiContext:
        return self._sheet.context

    def _choose_provider(self) -> None:
        title = self._context.tr("A file that describes a provider")
        _choose(self._context, self._sheet, title, "*.toml", self.take_in)

    def _choose_model(self) -> None:
        preset = self._account.chosen()
        pattern = (preset and preset.model_files) or "*"
        title = self._context.tr("The file of the model")
        _choose(self._context, self._sheet, title, pattern, self._account.model.setEditText)

    def take_in(self, file: str) -> None:
        """Add the provider that this file describes and choose it, or say all that is wrong with
        the file, each with its line."""
        self._sheet.run(partial(self._take_in, Path(file)))

    async def _take_in(self, file: Path) -> None:
        preset_id, wrong = await self._context.services.connections.add_provider_file(file)
        if preset_id is None:
            said = "\n".join(self._context.tr.say(one) for one in wrong)
            self._sheet.notice.say(said, "error")
            return
        self._account.offer_anew(preset_id)


def _choose(
    context: UiContext, parent: QWidget, title: str, pattern: str, then: Callable[[str], None]
) -> None:
    dialog = chooser(context.tr, parent, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilter(pattern)
    dialog.setDirectory(start_in(context, FOLDER))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def chosen(file: str) -> None:
        remember(context, FOLDER, file)
        then(file)

    dialog.fileSelected.connect(chosen)
    dialog.open()
