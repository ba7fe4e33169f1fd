"""Needs-you and results are both rows gathered from a batch, or from all: a count above what there
is, or a word where there is nothing."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop_app.domain.events import BatchChanged, BatchFinished, TasksChanged
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.empty import EmptyState
from desktop_app.ui.dialogs.style import GAP, sheet_style
from desktop_app.ui.tasks import Latest

SHARE = 0.2  # of the time at most, where reading takes long


class GatheredTab(QWidget):
    """A subclass fills in ``view``, reads in ``_load``, and says in ``_export_is_of_failures``
    what its export button writes."""

    _export_is_of_failures = False

    def __init__(
        self, context: UiContext, sign: str, every_s: float, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._batch_id: int | None = None
        self._names: Mapping[int, str] = {}
        self._count = 0
        self._loaded = False
        self._refresh = Latest(context.spawn, self._load, every_s, SHARE)
        self.setProperty("pane", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.summary = QLabel(self)
        self.why = QLabel(self)
        self.why.setProperty("tone", "muted")
        self.export = QPushButton(self)
        context.icons.wear(self.export, "download")
        self.empty = EmptyState(context, sign, self)

    def _lay_out(self, view: QWidget, *buttons: QPushButton) -> None:
        """``view`` under a bar with the count and these buttons before the export."""
        self._view = view
        self._bar = QWidget(self)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(GAP)
        row.addWidget(self.summary, 1)
        row.addWidget(self.why)
        for button in (*buttons, self.export):
            row.addWidget(button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._bar)
        whole.addWidget(view, 1)
        whole.addWidget(self.empty, 1)

    def _begin(self) -> None:
        """Once everything is there: follow events, language and theme."""
        self.export.clicked.connect(self._export)
        self._context.signals.events.connect(self._on_events)
        self._context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def set_batches(self, names: Mapping[int, str]) -> None:
        """The names of all batches, for rows of several."""
        self._names = names
        self._name_batches()

    def set_batch(self, batch_id: int | None) -> None:
        """Show this batch's rows, or all batches' for None."""
        if batch_id != self._batch_id:
            self._batch_id = batch_id
            self._loaded = False
            self._forget()
            self._name_batches()
        # At once: the refresh may be waiting out its interval.
        self._context.spawn(self._load())

    @property
    def _named(self) -> Mapping[int, str]:
        """The batches' names where rows must say which is theirs, else none."""
        return self._names if self._batch_id is None and len(self._names) > 1 else {}

    async def _load(self) -> None:
        raise NotImplementedError

    def _forget(self) -> None:
        """Another batch: what was shown is no longer so."""
        raise NotImplementedError

    def _name_batches(self) -> None:
        """``_named`` may have changed."""
        raise NotImplementedError

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        raise NotImplementedError

    def _show_count(self) -> None:
        one = self._batch_id is not None
        self.export.setEnabled(one)
        self.why.setVisible(not one)
        self._view.setVisible(self._count > 0)
        self.empty.setVisible(self._loaded and self._count == 0)

    def _on_events(self, events: list[object]) -> None:
        for event in events:
            if isinstance(event, TasksChanged | BatchChanged | BatchFinished) and (
                self._batch_id is None or event.batch_id == self._batch_id
            ):
                self._refresh()
                return

    def _restyle(self) -> None:
        self.setStyleSheet(sheet_style(self._context.theme))
        self.summary.setFont(self._context.theme.font("title", bold=True))

    def _export(self) -> None:
        if self._batch_id is not None:
            self._context.spawn(self._export_batch(self._batch_id))

    async def _export_batch(self, batch_id: int) -> None:
        # Imported by the click, so that the tab itself is there at once.
        from desktop_app.ui.dialogs.export_batch import ExportDialog

        summary = await self._context.services.queries.batch(batch_id)
        if summary is not None:
            sheet = summary.batch.sheet_path
            failures = self._export_is_of_failures
            ExportDialog(self._context, self, batch_id, sheet, failures=failures).open()
