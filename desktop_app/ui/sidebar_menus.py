"""What can be done with a batch or a connection of the side bar, under the right button."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.domain.batch import RunState
from desktop_app.domain.views import AccountState, BatchSummary, ConnectionView
from desktop_app.ui.context import UiContext
from desktop_app.ui.priorities import CHOICES, choice_words

Entry = tuple[str, str, bool]
"""What it says, the word of its action, whether it can be done; no text: a line between."""


def batch_menu(
    context: UiContext, summary: BatchSummary, act: Callable[[str], None], parent: QWidget
) -> QMenu:
    """``act`` is told the word of what is chosen: the name of the window's own action."""
    tr = context.tr
    waits = summary.ledger.unfinished > 0
    running = summary.batch.run_state is RunState.RUNNING and waits
    menu = _menu(
        (
            (tr("Start"), "start", waits and not running),
            (tr("Pause"), "pause", running),
            (tr("Cancel…"), "cancel", waits),
            ("", "", True),
            (tr("Open folder"), "open_folder", True),
            (tr("Export results…"), "export_results", True),
            (tr("Export failures…"), "export_failures", summary.ledger.dead_letters > 0),
        ),
        act,
        parent,
    )
    choices = QMenu(tr("Priority"), menu)
    choices.setEnabled(waits)
    for priority, word in CHOICES.items():
        choice = choices.addAction(choice_words(tr)[priority])
        choice.setCheckable(True)
        choice.setChecked(priority is summary.batch.priority)
        choice.triggered.connect(lambda _=False, w=word: act(w))
    menu.insertMenu(menu.actions()[3], choices)
    return menu


def connection_menu(
    context: UiContext, view: ConnectionView, act: Callable[[str], None], parent: QWidget
) -> QMenu:
    """``act`` is told the word of what is chosen."""
    tr = context.tr
    return _menu(
        (
            (tr("Edit…"), "edit", True),
            (tr("Try again"), "try_again", view.state is not AccountState.OK),
            ("", "", True),
            (tr("Remove…"), "remove", not view.in_use),
        ),
        act,
        parent,
    )


def _menu(entries: Sequence[Entry], act: Callable[[str], None], parent: QWidget) -> QMenu:
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for text, word, enabled in entries:
        if not text:
            menu.addSeparator()
            continue
        action = menu.addAction(text)
        action.setEnabled(enabled)
        action.triggered.connect(lambda _=False, w=word: act(w))
    return menu
