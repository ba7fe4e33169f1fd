"""What a person must decide, grouped by cause, so that 41 refusals are one decision and not 41.

A dialog is imported by the click that opens it, so that the tab itself is there at once.
"""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop_app.domain.text import Translator
from desktop_app.domain.views import DeadGroup, TaskFilter
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.style import GAP
from desktop_app.ui.tabs.gathered import GatheredTab
from desktop_app.ui.tabs.needs_you_group import GroupCard

_EVERY_S = 0.5

_Key = tuple[int | None, int, str, str]


class NeedsYouTab(GatheredTab):
    """A card a cause, largest first."""

    _export_is_of_failures = True

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(context, "check", _EVERY_S, parent)
        self._cards: dict[_Key, GroupCard] = {}
        inside = QWidget(self)
        inside.setProperty("pane", "clear")
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(16, 0, 16, 16)
        self._list.setSpacing(GAP)
        self._list.addStretch(1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(inside)
        self._lay_out(area)
        self._begin()

    def retranslate(self) -> None:
        """Say every word again in the language of now."""
        tr = self._context.tr
        self.empty.say(
            tr("Nothing needs you."),
            tr("Rows that fail, or may have been billed, are gathered here by cause."),
        )
        self.export.setText(tr("Export failures…"))
        self.why.setText(tr("Choose one batch to export its failures."))
        for card in self._cards.values():
            card.retranslate()
        self._show_count()

    def cards(self) -> list[GroupCard]:
        """The cards from top to bottom."""
        return list(self._cards.values())

    # --- reading -----------------------------------------------------------------------------

    def _forget(self) -> None:
        self._show_groups([])

    def _name_batches(self) -> None:
        for card in self._cards.values():
            card.name_batches(self._named)

    async def _load(self) -> None:
        batch_id = self._batch_id
        groups = await self._context.services.dead_letters.groups(batch_id)
        if batch_id == self._batch_id:
            self._loaded = True
            self._show_groups(groups)

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
        card = GroupCard(self._context, group, self._batch_id, self, self._named)
        card.requeue_wanted.connect(
            lambda which, count: self._requeue(which, count, card.cause.text())
        )
        card.edit_wanted.connect(self._edit)
        card.settle_wanted.connect(
            lambda which, count: self._settle(which, count, card.cause.text())
        )
        card.opened.connect(lambda: self._only_open(card))
        return card

    def _only_open(self, opened: GroupCard) -> None:
        for card in self._cards.values():
            if card is not opened:
                card.show_rows.setChecked(False)

    def _show_count(self) -> None:
        tr = self._context.tr
        self.summary.setText(tr.plural("{n} row needs you", "{n} rows need you", self._count))
        self._bar.setVisible(self._count > 0)
        super()._show_count()

    # --- acting ------------------------------------------------------------------------------

    def _requeue(self, which: TaskFilter, count: int, said: str) -> None:
        from desktop_app.ui.dialogs.requeue import RequeueDialog

        dialog = RequeueDialog(self._context, which, count, said, self.window())
        dialog.requeued.connect(lambda _count: self._refresh())
        dialog.open()

    def _edit(self, pk: int) -> None:
        from desktop_app.ui.dialogs.edit_prompt import EditPromptDialog

        dialog = EditPromptDialog(self._context, pk, self.window())
        dialog.requeued.connect(lambda _pk: self._refresh())
        dialog.open()

    def _settle(self, which: TaskFilter, count: int, said: str) -> None:
        if count != 1:
            self._settle_many(which, said)
        elif which.pks is not None:
            self._settle_one(which.pks[0])
        else:
            self._context.spawn(self._settle_only(which, said))

    async def _settle_only(self, which: TaskFilter, said: str) -> None:
        """A cause of one row is that row, which alone can be given a file that was found."""
        pks = await self._context.services.queries.ids(which)
        if len(pks) == 1:
            self._settle_one(pks[0])
        else:
            self._settle_many(which, said)

    def _settle_one(self, pk: int) -> None:
        from desktop_app.ui.dialogs.settle import SettleDialog

        one = SettleDialog(self._context, pk, self.window())
        one.settled.connect(lambda _pk: self._refresh())
        one.open()

    def _settle_many(self, which: TaskFilter, said: str) -> None:
        from desktop_app.ui.dialogs.settle_many import SettleManyDialog

        many = SettleManyDialog(self._context, which, said, self.window())
        many.settled.connect(self._settled)
        many.open()

    def _settled(self, count: int) -> None:
        def said(tr: Translator) -> str:
            return tr.plural("{n} row was settled.", "{n} rows were settled.", count)

        self._context.signals.answered.emit(Answer(said))
        self._refresh()
