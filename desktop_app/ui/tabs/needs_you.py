"""What a person must decide, grouped by cause, so that 41 refusals are one decision and not 41."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.events import BatchChanged, BatchFinished, TasksChanged
from desktop_app.domain.text import Message
from desktop_app.domain.views import DeadGroup, TaskFilter
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.edit_prompt import EditPromptDialog
from desktop_app.ui.dialogs.empty import EmptyState
from desktop_app.ui.dialogs.export import choose_export
from desktop_app.ui.dialogs.requeue import RequeueDialog
from desktop_app.ui.dialogs.settle import SettleDialog
from desktop_app.ui.dialogs.style import GAP, sheet_style
from desktop_app.ui.tabs.needs_you_group import GroupCard
from desktop_app.ui.tasks import Latest

_EVERY_S = 0.5

_Key = tuple[int | None, int, str, str]


class NeedsYouTab(QWidget):
    """A card a cause, largest first. ``count_changed`` carries the rows that need a person."""

    count_changed = Signal(int)

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._batch_id: int | None = None
        self._count = 0
        self._loaded = False
        self._cards: dict[_Key, GroupCard] = {}
        self.setProperty("pane", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.summary = QLabel(self)
        self.why = QLabel(self)
        self.why.setProperty("tone", "muted")
        self.export = QPushButton(self)
        context.icons.wear(self.export, "download")
        self.empty = EmptyState(context, "check", self)
        inside = QWidget(self)
        inside.setProperty("pane", "clear")
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(16, 0, 16, 16)
        self._list.setSpacing(GAP)
        self._list.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidget(inside)
        self._bar = QWidget(self)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(GAP)
        row.addWidget(self.summary, 1)
        row.addWidget(self.why)
        row.addWidget(self.export)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._bar)
        whole.addWidget(self._area, 1)
        whole.addWidget(self.empty, 1)

        self._refresh = Latest(context.spawn, self._load, _EVERY_S)
        self.export.clicked.connect(self._export)
        context.signals.events.connect(self._on_events)
        context.signals.language_changed.connect(self.retranslate)
        context.theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()
        self._show_count()

    def set_batch(self, batch_id: int | None) -> None:
        """Show this batch's dead letters, or all batches' for None."""
        if batch_id != self._batch_id:
            self._batch_id = batch_id
            self._loaded = False
            self._show_groups([])
        # At once: the refresh may be waiting out its interval.
        self._context.spawn(self._load())

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self._context.tr
        self.empty.say(
            tr("Nothing needs you."),
            tr("Rows that fail, or may have been billed, are gathered here by cause."),
        )
        self.export.setText(tr("Export failures…"))
        for card in self._cards.values():
            card.retranslate()
        self._show_count()

    def cards(self) -> list[GroupCard]:
        """The cards from top to bottom."""
        return list(self._cards.values())

    # --- reading -----------------------------------------------------------------------------

    async def _load(self) -> None:
        batch_id = self._batch_id
        groups = await self._context.services.dead_letters.groups(batch_id)
        if batch_id == self._batch_id:
            self._loaded = True
            self._show_groups(groups)
            self.count_changed.emit(self._count)

    def _show_groups(self, groups: list[DeadGroup]) -> None:
        before, self._cards = self._cards, {}
        for place, group in enumerate(groups):
            key = (group.batch_id, int(group.state), group.error_class, group.code)
            card = before.pop(key, None)
            if card is None:
                card = self._make_card(group)
            else:
                card.update_group(group)
            self._cards[key] = card
            if self._list.indexOf(card) != place:
                self._list.insertWidget(place, card)
        for gone in before.values():
            self._list.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        self._count = sum(group.count for group in groups)
        self._show_count()

    def _make_card(self, group: DeadGroup) -> GroupCard:
        card = GroupCard(self._context, group, self._batch_id, self)
        card.requeue_wanted.connect(
            lambda which, count: self._requeue(which, count, card.cause.text())
        )
        card.edit_wanted.connect(self._edit)
        card.settle_wanted.connect(self._settle)
        card.opened.connect(lambda: self._only_open(card))
        return card

    def _only_open(self, opened: GroupCard) -> None:
        for card in self._cards.values():
            if card is not opened:
                card.show_rows.setChecked(False)

    def _show_count(self) -> None:
        tr = self._context.tr
        self.summary.setText(tr.plural("{n} row needs you", "{n} rows need you", self._count))
        self.export.setEnabled(self._batch_id is not None)
        self.why.setText(tr("Choose one batch to export its failures."))
        self.why.setVisible(self._batch_id is None)
        for widget in (self._bar, self._area):
            widget.setVisible(self._count > 0)
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

    # --- acting ------------------------------------------------------------------------------

    def _requeue(self, which: TaskFilter, count: int, said: str) -> None:
        dialog = RequeueDialog(self._context, which, count, said, self.window())
        dialog.requeued.connect(self._requeued)
        dialog.open()

    def _requeued(self, count: int) -> None:
        self._say(
            self._context.tr.plural("{n} row was requeued.", "{n} rows were requeued.", count)
        )
        self._refresh()

    def _edit(self, pk: int) -> None:
        dialog = EditPromptDialog(self._context, pk, self.window())
        dialog.requeued.connect(lambda _pk: self._requeued(1))
        dialog.open()

    def _settle(self, pk: int) -> None:
        dialog = SettleDialog(self._context, pk, self.window())
        dialog.settled.connect(lambda _pk: self._refresh())
        dialog.open()

    def _export(self) -> None:
        if self._batch_id is not None:
            self._context.spawn(self._export_batch(self._batch_id))

    async def _export_batch(self, batch_id: int) -> None:
        summary = await self._context.services.queries.batch(batch_id)
        if summary is not None:
            sheet = summary.batch.sheet_path
            choose_export(self._context, self, batch_id, sheet, failures=True)

    def _say(self, text: str) -> None:
        self._context.say(Message("text.plain", {"text": text}))
