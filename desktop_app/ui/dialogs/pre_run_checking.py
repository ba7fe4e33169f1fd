"""The sheet is checked again after every edit, and no answer is shown that is no longer wanted."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.domain.text import OperatorError
from desktop_app.services.import_batch import ImportPlan, PreRun
from desktop_app.services.import_plan import Earlier
from desktop_app.services.trial import Pick, Trial
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_duplicates import DuplicateStrip
from desktop_app.ui.dialogs.pre_run_earlier import EarlierStrip
from desktop_app.ui.dialogs.pre_run_form import PreRunForm
from desktop_app.ui.dialogs.pre_run_preview import RequestPreview
from desktop_app.ui.dialogs.pre_run_trial import TrialForm
from desktop_app.ui.dialogs.sheet import Sheet

DEBOUNCE_MS = 250
"""Quiet time after an edit before the sheet is checked again."""

_OF_A_PART = frozenset({Earlier.SKIP, Earlier.FAILED})


@dataclass(frozen=True, slots=True)
class Decisions:
    """Where it is decided what becomes of the sheet."""

    form: PreRunForm
    earlier: EarlierStrip
    duplicates: DuplicateStrip
    trial: TrialForm


class Checking(QObject):
    """``check`` is the last answer and None where there is none, ``is_fresh`` whether it is of
    what is decided now, ``has_failed`` whether what is decided now can't be checked, ``only_rows``
    the rows it was about; None: all.

    ``began``: the last answer is old. ``counted`` carries (rows looked at, rows in all or None),
    ``ended`` nothing: look at ``check``. ``failed`` carries the Message of an OperatorError.
    """

    began = Signal()
    counted = Signal(int, object)
    ended = Signal()
    failed = Signal(object)

    def __init__(
        self, context: UiContext, dialog: Sheet, decisions: Decisions, preview: RequestPreview
    ) -> None:
        super().__init__(dialog)
        self._context = context
        self._dialog = dialog
        self._decisions = decisions
        self._preview = preview
        self._generation = 0
        self._task: asyncio.Task[None] | None = None
        self._was: Earlier | None = None
        self.check: PreRun | None = None
        self.only_rows: frozenset[int] | None = None
        self.is_fresh = False
        self.has_failed = False
        self._timer = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._timer.timeout.connect(lambda: dialog.run(self._recheck))
        decisions.form.changed.connect(self.begin)
        decisions.duplicates.changed.connect(self.begin)
        decisions.trial.changed.connect(self.begin)
        decisions.earlier.changed.connect(self._choose_earlier)
        preview.moved.connect(lambda: dialog.run(self._show_row))
        dialog.finished.connect(self._timer.stop)

    def plan(self) -> ImportPlan | None:
        """All that is decided now, on the rows of the last check; None while a prompt or a
        connection is missing."""
        plan = self._decided()
        dead = self.check.dead if self.check else {}
        return plan and replace(plan, only_rows=self.only_rows, dead=dead)

    def _decided(self) -> ImportPlan | None:
        """Row numbers that are none pick no rows: the trial's own tab says so."""
        parts = self._decisions
        plan = parts.form.plan()
        if plan is None:
            return None
        try:
            trial = parts.trial.trial()
        except OperatorError:
            trial = Trial(Pick.CHOSEN)
        return replace(plan, trial=trial, skip_duplicates=parts.duplicates.skips)

    def begin(self) -> None:
        """Something was decided otherwise."""
        self.is_fresh = self.has_failed = False
        self._generation += 1
        self._stop()
        self.began.emit()
        self._timer.start()

    def _choose_earlier(self) -> None:
        """Only a run of a part of the sheet needs another look at it."""
        was, self._was = self._was, self._decisions.earlier.choice.earlier
        if self.is_fresh and not {was, self._was} & _OF_A_PART:
            self.ended.emit()
        else:
            self.begin()

    def _stop(self) -> None:
        """A check of what is no longer wanted: a long sheet would be read on for nothing."""
        if self._task is not None:
            self._task.cancel()

    async def _recheck(self) -> None:
        self._stop()
        self._generation += 1
        mine = self._generation
        self._task = asyncio.current_task()
        try:
            await self._check_rows(mine)
        except OperatorError as error:
            if mine == self._generation:
                self.has_failed = True
                self._end(None, None)
                self.failed.emit(error.message)
        finally:
            if mine == self._generation:
                self._task = None

    async def _check_rows(self, mine: int) -> None:
        imports, earlier = self._context.services.imports, self._decisions.earlier
        plan = self._decided()
        if plan is None:
            self._end(None, None)
            return
        total = plan.info.rows

        def progressed(rows: int) -> None:
            if mine == self._generation:
                self.counted.emit(rows, total)

        # First, and not only once a long sheet is checked: it is looked at while one edits.
        await self._show_row()
        choice, only = earlier.choice.earlier, None
        if earlier.run and choice:
            if choice in _OF_A_PART:
                progressed(total or 0)
            only = await imports.rows_for(plan, choice)
        check = await imports.pre_run(replace(plan, only_rows=only), progressed)
        if mine == self._generation:
            self.is_fresh = True
            self._end(check, only)

    def _end(self, check: PreRun | None, only: frozenset[int] | None) -> None:
        self.check, self.only_rows = check, only
        self.ended.emit()

    async def _show_row(self) -> None:
        """Show the request of the row that the preview asks for."""
        mine, plan, wanted = self._generation, self._decisions.form.plan(), self._preview.wanted
        if plan is None:
            return
        imports = self._context.services.imports
        row = await imports.preview(plan, wanted, back=self._preview.back)
        if row is not None and mine == self._generation and wanted == self._preview.wanted:
            self._preview.show_row(row)
