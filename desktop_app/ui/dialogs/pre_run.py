"""One sheet between a dropped file and a running batch: what it becomes, costs, what is wrong."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QTabWidget, QWidget

from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.text import Message, OperatorError
from desktop_app.services.import_batch import ImportPlan, PreRun
from desktop_app.services.import_plan import Earlier
from desktop_app.services.trial import Pick, Trial
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.connection import ConnectionDialog
from desktop_app.ui.dialogs.export import choose_problem_sheet
from desktop_app.ui.dialogs.folders import existing
from desktop_app.ui.dialogs.pre_run_duplicates import DuplicateStrip
from desktop_app.ui.dialogs.pre_run_earlier import Again, EarlierStrip
from desktop_app.ui.dialogs.pre_run_footer import PreRunFooter
from desktop_app.ui.dialogs.pre_run_form import PreRunForm
from desktop_app.ui.dialogs.pre_run_import import ImportRun, Taken
from desktop_app.ui.dialogs.pre_run_presets import PresetMenu
from desktop_app.ui.dialogs.pre_run_preview import RequestPreview
from desktop_app.ui.dialogs.pre_run_problems import ProblemList
from desktop_app.ui.dialogs.pre_run_source import SourceForm
from desktop_app.ui.dialogs.pre_run_trial import TrialForm
from desktop_app.ui.dialogs.sheet import Sheet

DEBOUNCE_MS = 250
"""Quiet time after an edit before the sheet is checked again."""

_OF_A_PART = frozenset({Earlier.SKIP, Earlier.FAILED})


class PreRunDialog(Sheet):
    """Shows what a sheet would become, imports it and starts it.

    ``started`` carries the batch id once it was imported and started; an earlier run that was
    opened instead is announced by ``context.signals.batch_selected``.
    """

    started = Signal(int)

    def __init__(self, context: UiContext, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(context, parent, width=960)
        self._path = path
        self._info: SheetInfo | None = None
        self._check: PreRun | None = None
        self._only_rows: frozenset[int] | None = None
        self._generation = 0
        self._checking: asyncio.Task[None] | None = None
        self._is_checked = False
        self._earlier_choice: Earlier | None = None
        self._opening = 0
        self._import_run = ImportRun(context, self, self._set_importing)
        self._opened: list[SheetInfo] = []

        self.earlier = EarlierStrip(context, self)
        self.duplicates = DuplicateStrip(context, self)
        self.form = PreRunForm(context, self)
        self.presets = PresetMenu(context, self, self.form)
        self.form.add_to_top(self.presets)
        self.preview = RequestPreview(context, self)
        self.source = SourceForm(context, self)
        self.trial = TrialForm(context, self)
        self.problems = ProblemList(context, self)
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
        self.resize(1040, 640)

        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(lambda: self.run(self._recheck))
        self.form.changed.connect(self._later)
        self.form.folder_wanted.connect(self._choose_folder)
        self.form.picker.picked.connect(lambda: self.run(self.form.picker.take))
        self.form.picker.wanted.connect(self._connect_account)
        self.earlier.changed.connect(self._choose_earlier)
        for part in (self.duplicates, self.trial):
            part.changed.connect(self._later)
        self.problems.save.clicked.connect(self._choose_problem_sheet)
        self.preview.moved.connect(lambda: self.run(self._show_row))
        self.source.changed.connect(lambda: self.run(self._open))
        self.bar.trial.clicked.connect(lambda: self.run(partial(self._import, trial=True)))
        self.bar.all.clicked.connect(lambda: self.run(partial(self._import, trial=False)))
        self.bar.open.clicked.connect(self._open_earlier)
        self.bar.cancel.clicked.connect(self._cancel)
        self.finished.connect(self._timer.stop)
        self.finished.connect(self._forget_copies)

        self.form.set_folder(context.services.imports.default_out_dir(path), chosen=False)
        self.retranslate()
        self.run(self._open)
        self.run(self.form.picker.load)

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self.context.tr
        self.setWindowTitle(tr("Import {name}", name=self._path.name))
        self.heading.setText(self._path.name)
        strips = (self.earlier, self.duplicates)
        for part in (*strips, self.form, self.preview, self.source, self.trial, self.problems):
            part.retranslate()
        self.bar.retranslate()
        self.presets.retranslate()
        self.tabs.setTabText(0, tr("Request"))
        self.tabs.setTabText(1, tr("Sheet"))
        self.tabs.setTabText(2, tr("Trial"))
        self._show_counts()

    # --- the file ----------------------------------------------------------------------------

    async def _open(self) -> None:
        """Read the file with the options of now. One that can't be read keeps the last reading."""
        self._opening += 1
        mine = self._opening
        imports = self.context.services.imports
        info = await imports.open(self._path, self.source.options())
        self._opened.append(info)
        head = await imports.head(info)
        if mine != self._opening:
            return
        self._info = info
        self.notice.clear()
        warnings = [self.context.tr.say(warning) for warning in info.warnings]
        self.notice.say("\n".join(warnings), "warning")
        self.source.show_info(info)
        self.source.model.show(info.columns, head)
        self.preview.begin()
        self.presets.show_last(self.form.show_info(info))
        self._show_counts()

    # --- what it would become ----------------------------------------------------------------

    def _choose_earlier(self) -> None:
        """Only a run of a part of the sheet needs another look at it."""
        was, self._earlier_choice = self._earlier_choice, self.earlier.choice.earlier
        if self._is_checked and not {was, self._earlier_choice} & _OF_A_PART:
            self._show_check(self._check, self._only_rows)
        else:
            self._later()

    def _later(self) -> None:
        self._is_checked = False
        self._generation += 1
        self._stop_checking()
        self.bar.checking()
        self._timer.start()

    def _stop_checking(self) -> None:
        """A check of what is no longer wanted: a long sheet would be read on for nothing."""
        if self._checking is not None:
            self._checking.cancel()

    async def _recheck(self) -> None:
        self._stop_checking()
        self._generation += 1
        mine = self._generation
        self._checking = asyncio.current_task()
        try:
            await self._check_rows(mine)
        finally:
            if mine == self._generation:
                self._checking = None

    async def _check_rows(self, mine: int) -> None:
        imports, plan = self.context.services.imports, self.form.plan()
        if plan is None:
            self._show_check(None, None)
            return

        def progressed(rows: int) -> None:
            if mine == self._generation:
                self.bar.checked(rows, self._info.rows if self._info else None)

        try:
            # First, and not only once a long sheet is checked: it is looked at while one edits.
            await self._show_row()
            plan = self._as_chosen(plan)
            choice = self.earlier.choice.earlier
            if self.earlier.run and choice in _OF_A_PART and self._info:
                progressed(self._info.rows or 0)
            only = await imports.rows_for(plan, choice) if self.earlier.run and choice else None
            check = await imports.pre_run(replace(plan, only_rows=only), progressed)
        except OperatorError as error:
            if mine == self._generation:
                self._show_check(None, None)
                self.failed(error.message)
            return
        if mine != self._generation:
            return
        self._is_checked = True
        self._show_check(check, only)

    def _as_chosen(self, plan: ImportPlan) -> ImportPlan:
        """The form's plan with what was decided beside it. Row numbers that are none pick no
        rows: the trial's own tab says so."""
        try:
            trial = self.trial.trial()
        except OperatorError:
            trial = Trial(Pick.CHOSEN)
        return replace(plan, trial=trial, skip_duplicates=self.duplicates.skips)

    async def _show_row(self) -> None:
        mine, plan, wanted = self._generation, self.form.plan(), self.preview.wanted
        if plan is None:
            return
        imports = self.context.services.imports
        row = await imports.preview(plan, wanted, back=self.preview.back)
        if row is not None and mine == self._generation and wanted == self.preview.wanted:
            self.preview.show_row(row)

    def _show_check(self, check: PreRun | None, only: frozenset[int] | None) -> None:
        self._check, self._only_rows = check, only
        if check is None:
            self.preview.show_row(None)
        else:
            if self.notice.property("tone") == "error":
                self.notice.clear()
            self.earlier.show_check(check, is_part=only is not None)
            self.form.set_folder(check.out_dir, chosen=False)
        for part in (self.duplicates, self.trial, self.problems):
            part.show_check(check)
        self._show_counts()
        if check is not None and not self._is_checked:
            return  # the strip chose a part of the sheet, which is looked at next
        self.bar.show_check(
            check, self.earlier.choice, again=bool(self.earlier.again), pick=self.trial.pick
        )

    def _show_counts(self) -> None:
        tr, check = self.context.tr, self._check
        bad = check.bad_rows if check else 0
        self.tabs.setTabText(3, tr("Problems ({n})", n=f"{bad:,}") if bad else tr("Problems"))
        if self._info is None:
            self.lead.setText(tr("Reading the sheet…"))
        elif check is None:
            self.lead.setText(self.form.missing() or tr("Checking the sheet…"))
        else:
            wrong = tr.plural("{n} row with problems", "{n} rows with problems", bad)
            said = [
                tr.plural("{n} row found", "{n} rows found", check.found),
                tr.plural("{n} can be used", "{n} can be used", check.valid),
                wrong if bad else tr("no problems"),
            ]
            if check.duplicates:
                said.append(tr.plural("{n} duplicate", "{n} duplicates", check.duplicates))
            if check.gaps:
                said.append(tr.plural("{n} with gaps", "{n} with gaps", check.gaps))
            self.lead.setText("  ·  ".join(said))

    # --- side doors --------------------------------------------------------------------------

    def _choose_folder(self) -> None:
        chooser = QFileDialog(self, self.context.tr("Where should the new folder go?"))
        chooser.setFileMode(QFileDialog.FileMode.Directory)
        chooser.setOption(QFileDialog.Option.ShowDirsOnly)
        chooser.setDirectory(existing(Path(self.form.folder.path).parent))
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(self.form.set_parent_folder)
        chooser.open()

    def _connect_account(self) -> None:
        dialog = ConnectionDialog(self.context, None, self)
        dialog.saved.connect(lambda ident: self.run(partial(self.form.picker.load, ident)))
        dialog.open()

    def _choose_problem_sheet(self) -> None:
        plan = self.form.plan()
        if plan is not None:
            plan = replace(self._as_chosen(plan), only_rows=self._only_rows)
            choose_problem_sheet(self.context, self, plan)

    def _open_earlier(self) -> None:
        if self.earlier.run is not None:
            self.context.signals.batch_selected.emit(self.earlier.run.batch.id)
            self.accept()

    # --- the import --------------------------------------------------------------------------

    async def _import(self, *, trial: bool) -> None:
        plan, check = self.form.plan(), self._check
        if plan is None or check is None:
            return
        gate = tuple(row.row_no for row in check.trial) if trial else ()
        changed_of = self._taken()
        plan = replace(self._as_chosen(plan), only_rows=self._only_rows, gate=gate)
        batch_id = await self._import_run.run(plan, changed_of, self._progressed)
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
        self.bar.importing(self._check.rows if on and self._check else None)

    def _progressed(self, rows: int) -> None:
        self.bar.progressed(rows)

    def _cancel(self) -> None:
        if self._import_run.is_running:
            self._import_run.stop()
        else:
            super().reject()

    def reject(self) -> None:
        """Esc stops an import first, and closes the sheet next."""
        self._cancel()

    def _forget_copies(self) -> None:
        for info in self._opened:
            self.context.spawn(self.context.services.imports.forget(info))

    def failed(self, said: Message) -> None:
        """Show why something did not work; a file that never opened leaves nothing to start."""
        super().failed(said)
        if self._info is None:
            self.lead.setText(self.context.tr("This file could not be read."))
        self.bar.show_check(self._check, self.earlier.choice)
