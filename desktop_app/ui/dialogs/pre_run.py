"""One sheet between a dropped file and a running batch: what it becomes, costs, what is wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QTabWidget, QWidget

from desktop_app.domain.text import Message
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.connection import ConnectionDialog
from desktop_app.ui.dialogs.export import choose_problem_sheet
from desktop_app.ui.dialogs.folders import chooser, existing
from desktop_app.ui.dialogs.pre_run_checking import Checking, Decisions
from desktop_app.ui.dialogs.pre_run_counts import counted
from desktop_app.ui.dialogs.pre_run_duplicates import DuplicateStrip
from desktop_app.ui.dialogs.pre_run_earlier import Again, EarlierStrip
from desktop_app.ui.dialogs.pre_run_footer import PreRunFooter
from desktop_app.ui.dialogs.pre_run_form import PreRunForm
from desktop_app.ui.dialogs.pre_run_import import ImportRun, Taken
from desktop_app.ui.dialogs.pre_run_presets import PresetMenu
from desktop_app.ui.dialogs.pre_run_preview import RequestPreview
from desktop_app.ui.dialogs.pre_run_problems import ProblemList
from desktop_app.ui.dialogs.pre_run_reading import Reading
from desktop_app.ui.dialogs.pre_run_source import SourceForm
from desktop_app.ui.dialogs.pre_run_steps import Found
from desktop_app.ui.dialogs.pre_run_trial import TrialForm
from desktop_app.ui.dialogs.sheet import Sheet
from desktop_app.ui.room import room_for


class PreRunDialog(Sheet):
    """Shows what a sheet would become, imports it and starts it.

    ``started`` carries the batch id once it was imported and started; an earlier run that was
    opened instead is announced by ``context.signals.batch_selected``.
    """

    started = Signal(int)

    def __init__(self, context: UiContext, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(context, parent, width=960)
        self._import_run = ImportRun(context, self, self._set_importing)
        self.earlier = EarlierStrip(context, self)
        self.duplicates = DuplicateStrip(context, self)
        self.form = PreRunForm(context, self)
        self.preview = RequestPreview(context, self)
        self.source = SourceForm(context, self)
        self.reading = Reading(context, path, self.source)
        self.found = Found(self, self.notice, self.source, self.reading)
        self.presets = PresetMenu(context, self, self.form, self.reading)
        self.form.add_to_top(self.presets)
        self.trial = TrialForm(context, self)
        self.problems = ProblemList(context, self)
        self.checking = Checking(
            context,
            self,
            Decisions(self.form, self.earlier, self.duplicates, self.trial),
            self.preview,
        )
        self.tabs = QTabWidget(self)
        for page in (self.preview, self.source, self.trial, self.problems):
            self.tabs.addTab(page, "")
        halves = QHBoxLayout()
        halves.setSpacing(16)
        halves.addWidget(self.form, 5)
        halves.addWidget(self.tabs, 6)
        self.body.addWidget(self.earlier)
        self.body.addWidget(self.duplicates)
        self.body.addLayout(halves, 1)
        self.bar = PreRunFooter(context, self)
        self.footer.addWidget(self.bar)
        self.resize(QSize(1040, 640).boundedTo(room_for(self)))

        self.reading.read.connect(self._show_sheet)
        self.checking.began.connect(self.bar.checking)
        self.checking.counted.connect(self.bar.checked)
        self.checking.ended.connect(self._show_check)
        self.checking.failed.connect(self.failed)
        self.form.folder_wanted.connect(self._choose_folder)
        self.form.picker.picked.connect(lambda: self.run(self.form.picker.take))
        self.form.picker.wanted.connect(self._connect_account)
        self.problems.save.clicked.connect(self._choose_problem_sheet)
        self.source.changed.connect(lambda: self.run(self.reading.open))
        self.bar.trial.clicked.connect(lambda: self.run(partial(self._import, trial=True)))
        self.bar.all.clicked.connect(lambda: self.run(partial(self._import, trial=False)))
        self.bar.open.clicked.connect(self._open_earlier)
        self.bar.cancel.clicked.connect(self._cancel)
        self.finished.connect(self.reading.forget)

        self.form.set_folder(context.services.imports.default_out_dir(path), chosen=False)
        self.retranslate()
        self.run(self.reading.open)
        self.run(self.form.picker.load)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        name = self.reading.path.name
        self.setWindowTitle(tr("Import {name}", name=name))
        self.heading.setText(name)
        strips = (self.earlier, self.duplicates)
        for part in (*strips, self.form, self.preview, self.source, self.trial, self.problems):
            part.retranslate()
        self.bar.retranslate()
        self.presets.retranslate()
        self.tabs.setTabText(0, tr("Request"))
        self.tabs.setTabText(1, tr("Sheet"))
        self.tabs.setTabText(2, tr("Trial"))
        self._show_counts()

    # --- what was read, and what it would become ----------------------------------------------

    def _show_sheet(self) -> None:
        info = self.reading.info
        if info is None:
            return
        self.found.say_warnings(self.context.tr)
        self.source.show_info(info)
        self.source.model.show(info.columns, self.reading.head)
        self.preview.begin()
        has_new_columns = set(info.columns) != set(self.form.columns)
        last = self.form.show_info(info)
        if has_new_columns:
            self.presets.show_last(last)
        self._show_counts()

    def _show_check(self) -> None:
        check = self.checking.check
        if check is None:
            self.preview.show_row(None)
        else:
            if self.notice.property("tone") == "error":
                self.notice.clear()
            self.earlier.show_check(check, is_part=self.checking.only_rows is not None)
            self.form.set_folder(check.out_dir, chosen=False)
        for part in (self.duplicates, self.trial, self.problems):
            part.show_check(check)
        self._show_counts()
        if check is not None and not self.checking.is_fresh:
            return  # the strip chose a part of the sheet, which is looked at next
        again, pick = bool(self.earlier.again), self.trial.pick
        self.bar.show_check(check, self.earlier.choice, again=again, pick=pick)

    def _show_counts(self) -> None:
        tr, check = self.context.tr, self.checking.check
        bad = check.bad_rows if check else 0
        self.tabs.setTabText(3, tr("Problems ({n})", n=f"{bad:,}") if bad else tr("Problems"))
        if self.reading.info is None:
            failed = self.reading.has_failed
            self.lead.setText(
                tr("This file could not be read.") if failed else tr("Reading the sheet…")
            )
        elif check is None:
            is_over = self.checking.has_failed
            doing = tr("Nothing could be checked yet.") if is_over else tr("Checking the sheet…")
            self.lead.setText(self.form.missing() or doing)
        else:
            self.lead.setText(counted(tr, check))

    # --- side doors --------------------------------------------------------------------------

    def _choose_folder(self) -> None:
        dialog = chooser(self.context.tr, self, self.context.tr("Where should the new folder go?"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setDirectory(existing(Path(self.form.folder.path).parent))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.form.set_parent_folder)
        dialog.open()

    def _connect_account(self) -> None:
        dialog = ConnectionDialog(self.context, None, self)
        dialog.saved.connect(lambda ident: self.run(partial(self.form.picker.load, ident)))
        dialog.open()

    def _choose_problem_sheet(self) -> None:
        plan = self.checking.plan()
        if plan is not None:
            choose_problem_sheet(self.context, self, plan)

    def _open_earlier(self) -> None:
        if self.earlier.run is not None:
            self.context.signals.batch_selected.emit(self.earlier.run.batch.id)
            self.accept()

    # --- the import --------------------------------------------------------------------------

    async def _import(self, *, trial: bool) -> None:
        plan, check = self.checking.plan(), self.checking.check
        if plan is None or check is None:
            return
        gate = tuple(row.row_no for row in check.trial) if trial else ()
        plan = replace(plan, gate=gate)
        priority = self.form.order.batch_priority()
        batch_id = await self._import_run.run(plan, self._taken(), self.bar.progressed, priority)
        if batch_id is not None:
            self.started.emit(batch_id)
            self.accept()

    def _taken(self) -> Taken | None:
        """The earlier run that is brought up to this sheet, if that was chosen."""
        earlier = self.earlier
        if earlier.run is None or earlier.choice is not Again.CHANGED:
            return None
        return Taken(earlier.run, earlier.again, earlier.cancels_gone)

    def imported(self) -> None:
        """From now on it is the connection to propose, and the mapping for these columns."""
        self.form.picker.remember()
        self.presets.remember()

    def stopped(self) -> None:
        """Say that nothing was kept."""
        self.notice.say(self.context.tr("Stopped. Nothing of the import was kept."), "info")

    def _set_importing(self, on: bool) -> None:
        for part in (self.earlier, self.duplicates, self.form, self.source, self.trial):
            part.setEnabled(not on)
        check = self.checking.check
        self.bar.importing(check.rows if on and check else None)

    def _cancel(self) -> None:
        if self._import_run.is_running:
            self._import_run.stop()
        else:
            super().reject()

    def reject(self) -> None:
        """Esc stops an import first, and closes the sheet next."""
        self._cancel()

    def failed(self, said: Message) -> None:
        """Show why something did not work; a file that never opened leaves nothing to start."""
        if not self.found.say_changed(self.context.tr, said):
            super().failed(said)
        self._show_counts()
        self.bar.show_check(self.checking.check, self.earlier.choice)
