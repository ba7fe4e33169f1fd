"""The ledger stands at the foot of the window at all times, because it must always add up."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from desktop_app.domain.money import costs_nothing
from desktop_app.ui import sums, words
from desktop_app.ui.context import UiContext
from desktop_app.ui.watch import Standing


class Footer(QWidget):
    """Ledger, time left, money spent."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._standing = Standing()
        self.setProperty("pane", "footer")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.ledger = QLabel(self)
        self.eta = QLabel(self)
        self.spent = QLabel(self)
        for label in (self.ledger, self.eta, self.spent):
            label.setFont(context.theme.font(tabular=True))
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.ledger.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.eta.setProperty("tone", "muted")
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 6, 16, 6)
        line.setSpacing(24)
        line.addWidget(self.ledger, 1)
        line.addWidget(self.eta)
        line.addWidget(self.spent)
        self.retranslate()

    def show_standing(self, standing: Standing) -> None:
        """Show how things stand now."""
        self._standing = standing
        self.retranslate()

    def retranslate(self) -> None:
        """Say it again."""
        tr = self._context.tr
        now = self._standing
        self.ledger.setText(words.ledger_line(tr, now.ledger))
        self.ledger.setToolTip(words.ledger_line(tr, now.ledger))
        self.ledger.setAccessibleName(words.ledger_line(tr, now.ledger))
        self.eta.setText(words.time_left(tr, now.ledger, now.status))
        priced = sums.spent(tr, now.spent, now.unpriced_calls) != words.UNKNOWN
        is_free = costs_nothing(now.spent, now.reserved, now.unpriced_calls)
        doubles = 0 if is_free else now.maybe_double
        cap = now.summary.batch.budget if now.summary is not None else None
        self.spent.setText(
            sums.money_line(tr, now.spent, now.unpriced_calls, now.reserved, doubles, cap)
        )
        said = (
            tr("What the answered calls cost at the prices you entered.")
            if priced
            else tr("No price is known for these calls.")
            if cap is None
            else ""
        )
        unsure = sums.bills(tr, now.reserved, doubles)
        self.spent.setToolTip("\n".join(part for part in (said, unsure) if part))
        self.spent.setVisible(now.ledger.imported > 0)
