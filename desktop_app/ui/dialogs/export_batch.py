"""One window between the click and the sheet: what it will be, where it goes, and what is in it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QComboBox, QWidget

from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.export import (
    LAST_FOLDER,
    format_of,
    formats,
    proposed_name,
    save_chooser,
    write_and_say,
)
from desktop_app.ui.dialogs.fields import FieldGrid, PathChoice
from desktop_app.ui.dialogs.folders import remember, start_in
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.dialogs.tick_box import TickBox

THUMBNAILS = "export_thumbnails"


class ExportDialog(Sheet):
    """Writes a batch's failures or results; ``sheet`` is the path of the batch's sheet, whose name
    the proposal takes. The sheet is written behind the window, which says when it is done."""

    def __init__(
        self, context: UiContext, parent: QWidget, batch_id: int, sheet: str, *, failures: bool
    ) -> None:
        super().__init__(context, parent, width=560)
        self._batch_id = batch_id
        self._failures = failures
        tr = context.tr
        name = proposed_name(sheet, tr("failures") if failures else tr("results"))
        self.kind = QComboBox(self)
        for suffix in formats(tr):
            self.kind.addItem("", suffix)
        place = PathChoice(self)
        self.path, self.change = place.field, place.change
        self.thumbnails = TickBox(context, self)
        self.thumbnails.setChecked(bool(context.services.preferences.get(THUMBNAILS)))
        self.grid = FieldGrid(self)
        for field in (self.kind, place):
            self.grid.add(field)
        self.body.addWidget(self.grid)
        self.body.addWidget(self.thumbnails)
        self.back = self.button()
        self.go = self.button(primary=True)
        self.footer.addStretch(1)
        self.footer.addWidget(self.back)
        self.footer.addWidget(self.go)
        self.kind.currentIndexChanged.connect(self._set_kind)
        self.change.clicked.connect(self._choose)
        self.back.clicked.connect(self.reject)
        self.go.clicked.connect(self._export)
        self.set_target(Path(start_in(context, LAST_FOLDER)) / f"{name}.xlsx")
        self.go.setFocus()

    @property
    def target(self) -> Path:
        """Where the sheet goes."""
        return Path(self.path.path)

    def set_target(self, target: Path) -> None:
        """Write there, in the format of the suffix (a workbook, where that is none of ours)."""
        at = self.kind.findData(format_of(target))
        if at < 0:
            at, target = 0, target.with_name(f"{target.name}.xlsx")
        self.kind.setCurrentIndex(at)
        self.path.show_path(str(target))
        self.retranslate()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        title = tr("Export failures") if self._failures else tr("Export results")
        self.setWindowTitle(title)
        self.heading.setText(title)
        self.lead.setText(
            tr("Edit the prompts in it and drop it on the window: its rows are requeued.")
            if self._failures
            else tr("Your own columns first and unchanged, then the results.")
        )
        self.grid.name(tr("Format"), tr("Save to"))
        for place, name in enumerate(formats(tr).values()):
            self.kind.setItemText(place, name)
        self.path.setAccessibleName(tr("Save to"))
        self.change.setText(tr("Change…"))
        self.change.setAccessibleName(tr("Change where it is saved"))
        self.thumbnails.setText(tr("Small pictures in the workbook"))
        self.thumbnails.setVisible(not self._failures)
        self.thumbnails.setEnabled(format_of(self.target) == ".xlsx")
        self.back.setText(tr("Cancel"))
        self.go.setText(tr("Export"))
        if self.target.exists():
            self.notice.say(tr("{name} is there already and is replaced.", name=self.target.name))
        else:
            self.notice.clear()

    def _set_kind(self) -> None:
        self.path.show_path(str(self.target.with_suffix(self.kind.currentData())))
        self.retranslate()

    def _choose(self) -> None:
        chooser = save_chooser(self.context, self, self.windowTitle(), self.target)
        chooser.fileSelected.connect(lambda file: self.set_target(Path(file)))

    def _export(self) -> None:
        exports, target = self.context.services.exports, self.target
        remember(self.context, LAST_FOLDER, str(target))
        if self._failures:
            writing = exports.failures(self._batch_id, target)
        else:
            small = self.thumbnails.isChecked()
            self.context.services.preferences.set(THUMBNAILS, small)
            wanted = small and format_of(target) == ".xlsx"
            writing = exports.results(self._batch_id, target, thumbnails=wanted)
        self.context.spawn(write_and_say(self.context, writing, target))
        self.accept()
