"""What a person may choose about the program itself; every choice takes effect at once."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QVBoxLayout,
    QWidget,
)

from desktop_app.services.alerts import SWITCHES, is_wanted
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.fields import FieldGrid, PathChoice
from desktop_app.ui.dialogs.folders import chooser, existing
from desktop_app.ui.dialogs.settings_callbacks import CallbackSettings
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.dialogs.tick_box import TickBox
from desktop_app.ui.start import LANGUAGES
from desktop_app.ui.theme import MODES

OUT_PARENT = "out_parent"


class SettingsDialog(Sheet):
    """Language, appearance, the folder new batches go to, notifications."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent, width=520)
        preferences = context.services.preferences
        self.language = QComboBox(self)
        for code, name in LANGUAGES.items():
            self.language.addItem(name, code)
        self.language.setCurrentIndex(max(0, self.language.findData(context.tr.language)))
        self.theme = QComboBox(self)
        for mode in MODES:
            self.theme.addItem("", mode)
        self.theme.setCurrentIndex(max(0, self.theme.findData(context.theme.mode)))
        place = PathChoice(self)
        self.folder, self.change = place.field, place.change
        self.folder.show_path(
            str(preferences.get(OUT_PARENT) or preferences.pictures_dir() / "Batchwright")
        )
        self.notify = {switch: TickBox(context, self) for switch in SWITCHES}
        told = QWidget(self)
        told.setProperty("tall", True)
        lines = QVBoxLayout(told)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(GAP)
        for switch, box in self.notify.items():
            box.setChecked(is_wanted(preferences, switch))
            box.toggled.connect(lambda on, switch=switch: preferences.set(switch, on))
            lines.addWidget(box)
        told.setFocusProxy(self.notify[SWITCHES[0]])
        self.embed = TickBox(context, self)
        self.embed.setChecked(bool(preferences.get("embed")))
        self.embed.toggled.connect(lambda on: preferences.set("embed", on))
        self.callbacks = CallbackSettings(context, self)
        self.callbacks.wrong.connect(lambda said: self.notice.say(said, "error"))
        self.callbacks.chosen.connect(lambda: self.run(self._listen))
        self.grid = FieldGrid(self)
        for field in (self.language, self.theme, place, self.embed, told, self.callbacks):
            self.grid.add(field)
        self.body.addWidget(self.grid)
        self.body.addStretch(1)
        self.done_button = self.button(primary=True)
        self.footer.addStretch(1)
        self.footer.addWidget(self.done_button)

        self.language.activated.connect(
            lambda _place: context.set_language(self.language.currentData())
        )
        self.theme.activated.connect(lambda _place: self._set_theme(self.theme.currentData()))
        self.change.clicked.connect(self._choose_folder)
        self.done_button.clicked.connect(self.accept)
        self.retranslate()
        self.language.setFocus()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        self.setWindowTitle(tr("Settings"))
        self.heading.setText(tr("Settings"))
        self.lead.setVisible(False)
        self.grid.name(
            tr("Language"),
            tr("Appearance"),
            tr("New batches go to"),
            tr("Pictures"),
            tr("Tell me when"),
            tr("Callbacks"),
        )
        self.callbacks.retranslate()
        self.embed.setText(tr("carry prompt, model, seed and row id in the file"))
        for place, word in enumerate((tr("As the system"), tr("Light"), tr("Dark"))):
            self.theme.setItemText(place, word)
        self.folder.setAccessibleName(tr("New batches go to"))
        self.change.setText(tr("Change…"))
        self.change.setAccessibleName(tr("Change the folder for new batches"))
        told = (tr("rows need me"), tr("an account is paused"), tr("a batch is finished"))
        for box, word in zip(self.notify.values(), told, strict=True):
            box.setText(word)
        self.done_button.setText(tr("Done"))

    def set_folder(self, folder: str) -> None:
        """New batches get their folder inside this one."""
        self.folder.show_path(folder)
        self.context.services.preferences.set(OUT_PARENT, folder)

    async def _listen(self) -> None:
        trouble = await self.context.services.callbacks.apply()
        if trouble is not None:
            self.failed(trouble)
        else:
            self.notice.clear()

    def _set_theme(self, mode: str) -> None:
        self.context.theme.set_mode(mode)
        self.context.services.preferences.set("theme", mode)

    def _choose_folder(self) -> None:
        dialog = chooser(self.context.tr, self, self.context.tr("Where should new batches go?"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setDirectory(existing(Path(self.folder.path)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.set_folder)
        dialog.open()
