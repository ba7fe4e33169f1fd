"""Start, pause, cancel and how fast it goes: what an operator reaches for while a batch runs."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from desktop_app.domain.batch import BatchPriority, RunState
from desktop_app.domain.views import EngineStatus
from desktop_app.services.slowed_words import slowed
from desktop_app.ui.actions import Actions
from desktop_app.ui.context import UiContext
from desktop_app.ui.priorities import CHOICES, LOOKS, choice_words, priority_word
from desktop_app.ui.watch import Standing


class RunBar(QWidget):
    """Buttons for the window's actions; the rate at the right."""

    def __init__(self, context: UiContext, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._actions = actions
        self._standing = Standing()
        self.setProperty("pane", "toolbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.import_button = self._button("import", "button")
        self.start_button = self._button("start", "primary")
        self.pause_button = self._button("pause", "button")
        self.cancel_button = self._button("cancel", "button")
        self.folder_button = self._button("open_folder", "button")
        menu = QMenu(self.pause_button)
        menu.addAction(actions["pause_after"])
        menu.addAction(actions["pause_now"])
        self.pause_button.setMenu(menu)
        self.pause_button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.priority_button = self._priority_button()
        self.rate = QLabel(self)
        self.rate.setFont(context.theme.font(tabular=True))
        self.rate.setProperty("tone", "muted")
        self.slowed = QLabel(self)
        self.slowed.setProperty("tone", "warning")
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 8, 12, 8)
        line.setSpacing(8)
        line.addWidget(self.import_button)
        line.addSpacing(8)
        for button in (self.start_button, self.pause_button, self.cancel_button):
            line.addWidget(button)
        line.addWidget(self.priority_button)
        line.addStretch(1)
        line.addWidget(self.slowed)
        line.addWidget(self.rate)
        line.addWidget(self.folder_button)
        for name in ("toggle_sidebar", "toggle_detail"):
            line.addWidget(self._button(name, "quiet"))
        self.show_standing(self._standing)

    def _button(self, action: str, look: str) -> QToolButton:
        button = QToolButton(self)
        button.setDefaultAction(self._actions[action])
        button.setProperty("look", look)
        button.setIconSize(QSize(16, 16))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setToolButtonStyle(
            Qt.ToolButtonStyle.ToolButtonIconOnly
            if look == "quiet"
            else Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        )
        return button

    def _priority_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("look", "quiet")
        button.setIconSize(QSize(16, 16))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.addActions(self._actions.priorities.actions())
        button.setMenu(menu)
        return button

    def show_standing(self, standing: Standing) -> None:
        """Enable what makes sense now, and say the rate."""
        self._standing = standing
        ledger, status, summary = standing.ledger, standing.status, standing.summary
        waits = ledger.unfinished > 0
        running = status.active
        if summary is not None:
            running = summary.batch.run_state is RunState.RUNNING and waits
        self._actions["start"].setEnabled(waits and not running)
        for name in ("pause", "pause_after", "pause_now"):
            self._actions[name].setEnabled(running)
        self._actions["cancel"].setEnabled(waits)
        self._actions["open_folder"].setEnabled(summary is not None)
        self.start_button.setVisible(not running)
        self.pause_button.setVisible(running)
        self.folder_button.setVisible(summary is not None and ledger.success > 0 and not waits)
        self._show_priority(standing)
        self._say_rate(status)

    def _show_priority(self, standing: Standing) -> None:
        """Beside no other batch it means nothing, and so is not there until it is asked for."""
        summary, tr = standing.summary, self._context.tr
        waits = summary is not None and standing.ledger.unfinished > 0
        priority = summary.batch.priority if summary is not None else BatchPriority.NORMAL
        usual = priority is BatchPriority.NORMAL
        self._actions.priorities.setEnabled(waits)
        self._actions[CHOICES[priority]].setChecked(True)
        self.priority_button.setVisible(waits and (standing.has_rivals or not usual))
        self._context.icons.wear(self.priority_button, *LOOKS[priority])
        self.priority_button.setText(priority_word(tr, priority) or tr("Priority"))
        self.priority_button.setToolTip(choice_words(tr)[priority])

    def retranslate(self) -> None:
        """Say it again; the actions carry the buttons' words."""
        self._show_priority(self._standing)
        self._say_rate(self._standing.status)

    def _word_start(self) -> None:
        tr = self._context.tr
        summary = self._standing.summary
        waits = self._standing.ledger.unfinished > 0
        paused = waits and summary is not None and summary.batch.run_state is RunState.PAUSED
        word = tr("Resume") if paused else tr("Start")
        self._actions["start"].setText(word)
        self._actions["start"].setIconText(word)

    def _say_rate(self, status: EngineStatus) -> None:
        tr = self._context.tr
        self._word_start()
        why = slowed(tr, status)
        self.slowed.setVisible(bool(why))
        self.slowed.setText(why)
        self.slowed.setToolTip(tr.say(status.slowed_why) if status.slowed_why else "")
        if not (status.active or status.in_flight):
            self.rate.setText("")
            return
        rate = f"{status.rate:.1f}"
        if status.allowed_rate is None:
            text, why = tr("{rate}/s", rate=rate), tr("Calls a second, now.")
        else:
            most = f"{status.allowed_rate:.1f}"
            text = tr("{rate}/s, limit {allowed}/s", rate=rate, allowed=most)
            why = tr("Calls a second, now, and the most that the limits allow.")
        on_wire = tr.plural("{n} call on the wire", "{n} calls on the wire", status.in_flight)
        if status.concurrency is not None:
            on_wire = tr("{calls}, at most {n}", calls=on_wire, n=status.concurrency)
        self.rate.setText(text)
        self.rate.setToolTip(f"{why}\n{on_wire}")
        self.rate.setAccessibleName(f"{text}. {why}")
