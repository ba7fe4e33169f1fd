"""Every try of a task, as it was recorded: what was answered, when, and what it may have cost."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.text import Translator
from desktop_app.domain.views import AttemptView
from desktop_app.ui import words
from desktop_app.ui.context import UiContext
from desktop_app.ui.read_only import ReadOnlyText

SHOWN = 6  # attempts before the list scrolls
_ROW = 26

_TONES = {
    Outcome.OPEN: "state_running",
    Outcome.SUCCESS: "state_done",
    Outcome.ADOPTED: "state_done",
    Outcome.THROTTLED: "state_retrying",
    Outcome.TRANSIENT: "state_retrying",
    Outcome.OFFLINE: "state_retrying",
    Outcome.UNKNOWN: "state_uncertain",
    Outcome.REFUSED: "state_failed",
    Outcome.INVALID: "state_failed",
    Outcome.ACCOUNT: "state_failed",
    Outcome.LOCAL: "state_failed",
}


def outcome_word(tr: Translator, outcome: str) -> str:
    """How an attempt ended, in a word or two."""
    return {
        Outcome.OPEN.value: tr("on the wire"),
        Outcome.SUCCESS.value: tr("done"),
        Outcome.NOT_SENT.value: tr("not sent"),
        Outcome.THROTTLED.value: tr("too fast"),
        Outcome.TRANSIENT.value: tr("server error"),
        Outcome.OFFLINE.value: tr("offline"),
        Outcome.UNKNOWN.value: tr("unknown"),
        Outcome.REFUSED.value: tr("refused"),
        Outcome.INVALID.value: tr("invalid"),
        Outcome.ACCOUNT.value: tr("account"),
        Outcome.LOCAL.value: tr("this computer"),
        Outcome.ADOPTED.value: tr("file found"),
        Outcome.DISCARDED.value: tr("came late"),
    }.get(outcome, outcome)


class AttemptsView(QWidget):
    """A list of attempts, and under it what is known of the one chosen."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._attempts: tuple[AttemptView, ...] = ()
        self.list = QTreeWidget(self)
        self.list.setProperty("look", "boxed")
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setColumnCount(4)
        self.list.header().setStretchLastSection(False)
        self.list.header().setMinimumSectionSize(36)
        for column, mode in enumerate(
            (
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.Stretch,
                QHeaderView.ResizeMode.ResizeToContents,
            )
        ):
            self.list.header().setSectionResizeMode(column, mode)
        self.list.currentItemChanged.connect(lambda *_: self._show_chosen())
        self.facts = QLabel(self)
        self.facts.setWordWrap(True)
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setProperty("tone", "muted")
        self.facts.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.body = ReadOnlyText(self)
        self.body.setFont(context.theme.mono())
        self.body.setFixedHeight(104)
        column_box = QVBoxLayout(self)
        column_box.setContentsMargins(0, 0, 0, 0)
        column_box.setSpacing(8)
        column_box.addWidget(self.list)
        column_box.addWidget(self.facts)
        column_box.addWidget(self.body)

    def show_attempts(self, attempts: tuple[AttemptView, ...]) -> None:
        """Show these, oldest first; the last is chosen unless the operator chose another."""
        if attempts == self._attempts and self.list.topLevelItemCount():
            return
        chosen = self._chosen_no()
        follow = chosen is None or chosen == self._last_no()
        self._attempts = attempts
        self.list.blockSignals(True)
        self.list.clear()
        for attempt in attempts:
            self.list.addTopLevelItem(self._item(attempt))
        at = len(attempts) - 1
        if not follow:
            at = next((i for i, a in enumerate(attempts) if a.attempt_no == chosen), at)
        if (item := self.list.topLevelItem(at)) is not None:
            self.list.setCurrentItem(item)
        self.list.blockSignals(False)
        rows = min(max(len(attempts), 1), SHOWN)
        self.list.setFixedHeight(self.list.header().sizeHint().height() + rows * _ROW + 4)
        self._show_chosen()

    def retranslate(self) -> None:
        """Every word again."""
        tr = self._context.tr
        self.list.setHeaderLabels([tr("Time"), tr("HTTP"), tr("Outcome"), tr("Took")])
        self.list.setAccessibleName(tr("Attempts"))
        self.body.setAccessibleName(tr("The provider's own words"))
        shown, self._attempts = self._attempts, ()
        self.show_attempts(shown)

    def _item(self, attempt: AttemptView) -> QTreeWidgetItem:
        tr = self._context.tr
        took = "" if attempt.latency_s is None else words.duration(tr, attempt.latency_s)
        status = "" if attempt.http_status is None else str(attempt.http_status)
        item = QTreeWidgetItem(
            [
                words.clock(attempt.started_at, seconds=True),
                status,
                outcome_word(tr, attempt.outcome),
                took,
            ]
        )
        figures = self._context.theme.font(tabular=True)
        for column in (0, 1, 3):
            item.setFont(column, figures)
        item.setTextAlignment(3, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(0, words.exact(attempt.started_at))
        known = attempt.outcome in Outcome.__members__.values()
        tone = _TONES.get(Outcome(attempt.outcome), "muted") if known else "muted"
        item.setForeground(2, self._context.theme.color(tone))
        return item

    def _show_chosen(self) -> None:
        tr = self._context.tr
        item = self.list.currentItem()
        at = self.list.indexOfTopLevelItem(item) if item is not None else -1
        attempt = self._attempts[at] if 0 <= at < len(self._attempts) else None
        self.facts.setVisible(attempt is not None)
        self.body.setVisible(attempt is not None and bool(attempt.body))
        if attempt is None:
            return
        self.facts.setText("\n".join(attempt_facts(tr, attempt)))
        self.body.show_text(attempt.body)

    def _chosen_no(self) -> int | None:
        item = self.list.currentItem()
        at = self.list.indexOfTopLevelItem(item) if item is not None else -1
        return self._attempts[at].attempt_no if 0 <= at < len(self._attempts) else None

    def _last_no(self) -> int | None:
        return self._attempts[-1].attempt_no if self._attempts else None


def attempt_facts(tr: Translator, attempt: AttemptView) -> list[str]:
    """What is known of an attempt, a line each."""
    facts = [
        tr(
            "Attempt {n}, started {time}",
            n=attempt.attempt_no,
            time=words.exact(attempt.started_at),
        )
    ]
    if attempt.said is not None:
        facts.append(tr.say(attempt.said))
    if attempt.wait_reason is not None:
        facts.append(tr("Waited: {why}", why=tr.say(attempt.wait_reason)))
    if attempt.request_id:
        facts.append(tr("Request id: {id}", id=attempt.request_id))
    if attempt.cost is not None:
        facts.append(tr("Cost: {cost}", cost=attempt.cost))
    elif attempt.billed == Billed.MAYBE and attempt.outcome == Outcome.UNKNOWN:
        billed = tr("It may have been billed.")
        if not any(billed in fact for fact in facts):  # most reasons end with it
            facts.append(billed)
    return facts
