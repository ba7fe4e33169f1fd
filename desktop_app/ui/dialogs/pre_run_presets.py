"""Saved mappings: chosen, saved, renamed, deleted, handed to colleagues as a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton

from desktop_app.domain.mapping_file import SUFFIX, MappingPreset, fitted
from desktop_app.domain.safe_names import safe_name
from desktop_app.domain.text import OperatorError
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.folders import chooser, remember, start_in
from desktop_app.ui.dialogs.name_question import NameQuestion
from desktop_app.ui.dialogs.pre_run_form import PreRunForm
from desktop_app.ui.dialogs.pre_run_reading import Reading
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.dialogs.style import MENU_MARK

LAST_FOLDER = "mapping_folder"
_NO_NAME = "-"
_SHOWN = 24


class PresetMenu(QToolButton):
    """The button and its menu. ``name`` is that of the saved mapping in use, or empty."""

    def __init__(
        self, context: UiContext, dialog: Sheet, form: PreRunForm, reading: Reading
    ) -> None:
        super().__init__(dialog)
        self._reading = reading
        self._context = context
        self._dialog = dialog
        self._form = form
        self._presets: Sequence[MappingPreset] = ()
        self.name = ""
        self.setProperty("look", "chip")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_of_presets = QMenu(self)
        self.menu_of_presets.aboutToShow.connect(self._fill)
        self.setMenu(self.menu_of_presets)

    async def load(self) -> None:
        """Read what is saved."""
        self._presets = await self._context.services.mappings.presets()
        if self.name not in {preset.name for preset in self._presets}:
            self.name = ""
        self.retranslate()

    def show_last(self, last: MappingPreset | None) -> None:
        """Name what was used the last time, where that was a saved one."""
        self.name = last.name if last is not None and last.name != _NO_NAME else ""
        self._dialog.run(self.load)

    def remember(self) -> None:
        """The mapping of now is the one to propose for these columns."""
        preset = self._form.preset(self.name or _NO_NAME)
        if preset is not None:
            self._context.services.mappings.remember(self._form.columns, preset)

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        shown = self.name if len(self.name) <= _SHOWN else self.name[: _SHOWN - 1] + "…"
        self.setText((shown or tr("Saved mappings")).replace("&", "&&") + MENU_MARK)
        self.setAccessibleName(tr("Saved mappings"))
        self.setToolTip(
            tr("How columns become requests: keep it under a name, or hand it on as a file.")
        )

    # --- the menu ----------------------------------------------------------------------------

    def _fill(self) -> None:
        tr, menu = self._context.tr, self.menu_of_presets
        menu.clear()
        for preset in self._presets:
            action = menu.addAction(preset.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(preset.name == self.name)
            action.triggered.connect(partial(self._choose, preset))
        if not self._presets:
            menu.addAction(tr("Nothing saved yet")).setEnabled(False)
        menu.addSeparator()
        now = self._form.preset(self.name or _NO_NAME)
        known = next((preset for preset in self._presets if preset.name == self.name), None)
        self._add(tr("Save as…"), self._ask_name, now is not None)
        if known is not None:
            self._add(
                tr("Save changes"), self._save_changes, now is not None and not _same(now, known)
            )
            self._add(tr("Rename…"), self._ask_new_name)
            self._add(tr("Delete…"), self._ask_delete)
        menu.addSeparator()
        self._add(tr("Export to a file…"), self._choose_target, now is not None)
        self._add(tr("Import from a file…"), self._choose_source, bool(self._form.columns))

    def _add(self, label: str, act: Callable[[], object], enabled: bool = True) -> None:
        action = self.menu_of_presets.addAction(label)
        action.setEnabled(enabled)
        action.triggered.connect(lambda _checked=False: act())

    def _choose(self, preset: MappingPreset, _checked: bool = False) -> None:
        try:
            fitting = fitted(preset, self._form.columns)
        except OperatorError:
            self._dialog.run(partial(self._use, preset))
        else:
            self._take(fitting)

    async def _fitting(self, preset: MappingPreset) -> MappingPreset:
        """The mapping for this sheet, which may name its columns in another row than the one that
        was taken for that. Raises OperatorError where it does not fit either way."""
        try:
            return fitted(preset, self._form.columns)
        except OperatorError:
            info = self._reading.info
            if info is None or info.header_row == preset.header_row:
                raise
            before = info.header_row
            await self._reading.open_below(preset.header_row)
        try:
            return fitted(preset, self._form.columns)
        except OperatorError:
            await self._reading.open_below(before)
            raise

    async def _use(self, preset: MappingPreset) -> None:
        self._take(await self._fitting(preset))

    def _take(self, fitting: MappingPreset) -> None:
        tr = self._context.tr
        unknown = self._form.choose(fitting)
        self.name = fitting.name
        self.retranslate()
        self._dialog.notice.clear()
        if unknown:
            names = tr.listed(unknown)
            said = tr("This connection has no {names}: left out of the mapping.", names=names)
            self._dialog.notice.say(said, "warning")

    # --- under a name ------------------------------------------------------------------------

    def _ask_name(self) -> None:
        tr = self._context.tr
        self._ask(tr("Save the mapping"), tr("Save"), self._save, name=self.name)

    def _ask_new_name(self) -> None:
        tr = self._context.tr
        self._ask(tr("Rename the mapping"), tr("Rename"), self._rename, name=self.name)

    def _ask_delete(self) -> None:
        tr = self._context.tr
        title = tr("Delete the mapping {name}?", name=self.name)
        self._ask(title, tr("Delete"), self._delete, danger=True)

    def _ask(
        self,
        title: str,
        verb: str,
        act: Callable[[str], Awaitable[None]],
        *,
        name: str | None = None,
        danger: bool = False,
    ) -> None:
        question = NameQuestion(
            self._context, title, verb, act, self._dialog, name=name, danger=danger
        )
        question.open()

    def _save_changes(self) -> None:
        self._dialog.run(partial(self._save, self.name, replaces=True))

    async def _save(self, name: str, *, replaces: bool = False) -> None:
        preset = self._form.preset(name)
        if preset is not None:
            saved = await self._context.services.mappings.save(preset, replaces=replaces)
            self.name = saved.name
            await self.load()

    async def _rename(self, name: str) -> None:
        self.name = (await self._context.services.mappings.rename(self.name, name)).name
        await self.load()

    async def _delete(self, _name: str) -> None:
        await self._context.services.mappings.remove(self.name)
        await self.load()

    # --- as a file ---------------------------------------------------------------------------

    def _choose_target(self) -> None:
        tr = self._context.tr
        dialog = self._chooser(tr("Export the mapping"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX[1:])
        dialog.selectFile(safe_name(self.name or tr("mapping")))
        dialog.fileSelected.connect(lambda file: self._dialog.run(partial(self._export, file)))
        dialog.open()

    def _choose_source(self) -> None:
        dialog = self._chooser(self._context.tr("Import a mapping"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda file: self._dialog.run(partial(self._import, file)))
        dialog.open()

    def _chooser(self, title: str) -> QFileDialog:
        dialog = chooser(self._context.tr, self._dialog, title)
        dialog.setNameFilter(self._context.tr("Mapping (*.json)"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setDirectory(start_in(self._context, LAST_FOLDER))
        return dialog

    async def _export(self, file: str) -> None:
        path = Path(file)
        preset = self._form.preset(self.name or path.stem)
        if preset is not None:
            remember(self._context, LAST_FOLDER, file)
            await self._context.services.mappings.write_file(preset, path, replaces=True)
            said = self._context.tr("Saved: {file}", file=path.name)
            self._dialog.notice.say(said, "info")

    async def _import(self, file: str) -> None:
        """What does not fit this sheet is not kept."""
        remember(self._context, LAST_FOLDER, file)
        mappings = self._context.services.mappings
        preset = await mappings.read_file(Path(file))
        await self._fitting(preset)
        known = {known.name.casefold(): known for known in await mappings.presets()}
        name, number = preset.name, 2
        while (other := known.get(name.casefold())) is not None and not _same(other, preset):
            name, number = f"{preset.name} ({number})", number + 1
        preset = await mappings.save(replace(preset, name=name), replaces=True)
        await self.load()
        await self._use(preset)


def _same(one: MappingPreset, other: MappingPreset) -> bool:
    return replace(one, name="") == replace(other, name="")
