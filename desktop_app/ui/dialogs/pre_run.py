"""One sheet between a dropped file and a running batch: what it becomes, costs, what is wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QTabWidget, QWidget

from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.text import Message, OperatorError
from desktop_app.services.import_batch import ImportPlan, PreRun
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.connection import ConnectionDialog
from desktop_app.ui.dialogs.folders import existing
from desktop_app.ui.dialogs.pre_run_earlier import Again, EarlierStrip
from desktop_app.ui.dialogs.pre_run_footer import PreRunFooter
from desktop_app.ui.dialogs.pre_run_form import PreRunForm
from desktop_app.ui.dialogs.pre_run_import import ImportRun, Taken
from desktop_app.ui.dialogs.pre_run_preview import RequestPreview
from desktop_app.ui.dialogs.pre_run_problems import ProblemList
from desktop_app.ui.dialogs.pre_run_source import SourceForm
from desktop_app.ui.dialogs.sheet import Sheet

DEBOUNCE_MS = 250
"""Quiet time after an edit before the sheet is checked again."""


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
        self._opening = 0
        self._import_run = ImportRun(context, self, self._set_importing)
        self._opened: list[SheetInfo] = []

        self.earlier = EarlierStrip(context, self)
        self.form = PreRunForm(context, self)
        self.preview = RequestPreview(context, self)
        self.source = SourceForm(context, self)
        self.problems = ProblemList(context, self)
        self.tabs = QTabWidget(self)
        for page in (self.preview, self.source, self.problems):
            self.tabs.addTab(page, "")
        halves = QHBoxLayout()
        halves.setSpacing(16)
        halves.addWidget(self.form, 5)
        halves.addWidget(self.tabs, 6)
        self.body.addWidget(self.earlier)
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
        self.earlier.changed.connect(self._later)
        self.preview.moved.connect(lambda _index: self.run(self._show_row))
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
        for part in (self.earlier, self.form, self.preview, self.source, self.problems, self.bar):
            part.retranslate()
        self.tabs.setTabText(0, tr("Request"))
        self.tabs.setTabText(1, tr("Sheet"))
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
        self.form.show_info(info)

    # --- what it would become ----------------------------------------------------------------

    def _later(self) -> None:
        self._generation += 1
        self.bar.checking()
        self._timer.start()

    async def _recheck(self) -> None:
        self._generation += 1
        mine = self._generation
        plan = self.form.plan()
        if plan is None:
            self._show_check(None, None)
            return
        try:
            only = await self._rows_left(plan)
            check = await self.context.services.imports.pre_run(replace(plan, only_rows=only))
        except OperatorError as error:
            if mine == self._generation:
                self._show_check(None, None)
                self.failed(error.message)
            return
        if mine != self._generation:
            return
        self._show_check(check, only)
        await self._show_row()

    async def _rows_left(self, plan: ImportPlan) -> frozenset[int] | None:
        run = self.earlier.run
        if self.earlier.choice is not Again.REST or run is None:
            return None
        return await self.context.services.imports.failed_and_new_rows(plan, run.batch.id)

    async def _show_row(self) -> None:
        mine, plan, index = self._generation, self.form.plan(), self.preview.index
        if plan is None:
            return
        row = await self.context.services.imports.preview(plan, index)
        if mine == self._generation and index == self.preview.index:
            self.preview.show_row(row)

    def _show_check(self, check: PreRun | None, only: frozenset[int] | None) -> None:
        self._check, self._only_rows = check, only
        if check is None:
            self.preview.show_row(None)
        else:
            if self.notice.property("tone") == "error":
                self.notice.clear()
            if self.earlier.run is None or self.earlier.is_older:
                self._show_earlier(check)
            self.form.set_folder(check.out_dir, chosen=False)
        self.problems.show_check(check)
        rows = (self._info.rows if self._info else None) or (check.rows if check else 0)
        self.preview.set_rows(rows)
        self._show_counts()
        self.bar.show_check(check, self.earlier.choice, again=bool(self.earlier.again))

    def _show_earlier(self, check: PreRun) -> None:
        if check.earlier:
            self.earlier.show_runs(check.earlier, check.rows)
        else:
            self.earlier.show_lineage(check.lineage, check.differs)

    def _show_counts(self) -> None:
        tr, check = self.context.tr, self._check
        bad = check.bad_rows if check else 0
        self.tabs.setTabText(2, tr("Problems ({n})", n=f"{bad:,}") if bad else tr("Problems"))
        if self._info is None:
            self.lead.setText(tr("Reading the sheet…"))
        elif check is None:
            self.lead.setText(self.form.missing() or tr("Checking the sheet…"))
        else:
            found = tr.plural("{n} row found", "{n} rows found", check.rows)
            wrong = tr.plural("{n} row with problems", "{n} rows with problems", bad)
            wrong = wrong if bad else tr("no problems")
            self.lead.setText(f"{found}  ·  {wrong}")

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

    def _open_earlier(self) -> None:
        if self.earlier.run is not None:
            self.context.signals.batch_selected.emit(self.earlier.run.batch.id)
            self.accept()

    # --- the import --------------------------------------------------------------------------

    async def _import(self, *, trial: bool) -> None:
        plan, check = self.form.plan(), self._check
        if plan is None or check is None:
            return
        gate = check.trial_gate if trial else None
        changed_of = self._taken()
        batch_id = await self._import_run.run(
            replace(plan, only_rows=self._only_rows, row_gate=gate), changed_of, self._progressed
        )
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
        """From now on it is the connection to propose."""
        self.form.picker.remember()

    def stopped(self) -> None:
        """Say that nothing was kept."""
        self.notice.say(self.context.tr("Stopped. Nothing of the import was kept."), "info")

    def _set_importing(self, on: bool) -> None:
        for part in (self.earlier, self.form, self.source):
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
