"""What each action of the menus does, apart from what the window is put together of.

A dialog is imported by the action that opens it: the first row on the screen waits for every
import.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from desktop_app.domain.batch import BatchPriority
from desktop_app.ui.context import UiContext
from desktop_app.ui.panes import DETAIL, SIDE
from desktop_app.ui.priorities import CHOICES

if TYPE_CHECKING:
    from desktop_app.ui.main_window import MainWindow


def bind(window: MainWindow) -> None:
    """Give every action of the window its work."""
    context = window.context
    acts, flows = window.actions_, window.flows
    slots = {
        "import": flows.browse,
        "paste": flows.paste,
        "open_folder": lambda: flows.open_folder(window.batch_id),
        "export_results": lambda: flows.export(window.batch_id, failures=False),
        "export_failures": lambda: flows.export(window.batch_id, failures=True),
        "settings": flows.settings,
        "quit": window.close,
        "start": lambda: flows.start(window.batch_id),
        "pause": lambda: flows.pause(window.batch_id),
        "pause_after": lambda: flows.pause(window.batch_id),
        "pause_now": lambda: flows.pause(window.batch_id, now=True),
        "cancel": lambda: flows.cancel(window.batch_id),
        **{word: partial(_prioritise, window, priority) for priority, word in CHOICES.items()},
        "add_connection": flows.add_connection,
        "find": lambda: _find(window),
        "progress": lambda: window.tabs.setCurrentWidget(window.progress),
        "needs_you": lambda: window.tabs.setCurrentWidget(window.needs_you),
        "results": lambda: window.tabs.setCurrentWidget(window.results),
        "toggle_sidebar": lambda: window.panes.toggle(SIDE),
        "toggle_detail": lambda: window.panes.toggle(DETAIL),
        "follow": lambda: window.progress.follow.setChecked(acts["follow"].isChecked()),
        "shortcuts": lambda: _show_shortcuts(window),
        "support": lambda: _save_support(window),
        "updates": lambda: _show_updates(window),
        "about": lambda: _show_about(window),
    }
    for name, slot in slots.items():
        acts[name].triggered.connect(lambda _=False, do=slot: do())
    flows.read.connect(window.banner.lines.close)
    window.watch.batches.connect(window.banner.lines.set_batches)
    window.progress.follow_changed.connect(acts["follow"].setChecked)
    acts.languages.triggered.connect(lambda act: context.set_language(act.data()))
    acts.themes.triggered.connect(lambda act: _set_theme(context, act.data()))


def _prioritise(window: MainWindow, priority: BatchPriority) -> None:
    window.flows.prioritise(window.batch_id, priority)


def _find(window: MainWindow) -> None:
    window.tabs.setCurrentWidget(window.progress)
    window.progress.focus_find()


def _show_shortcuts(window: MainWindow) -> None:
    from desktop_app.ui.help import ShortcutsDialog

    ShortcutsDialog(window.context, window.actions_, window).open()


def _show_about(window: MainWindow) -> None:
    from desktop_app.ui.help import AboutDialog

    AboutDialog(window.context, window).open()


def _show_updates(window: MainWindow) -> None:
    from desktop_app.ui.dialogs.updates import UpdatesDialog

    UpdatesDialog(window.context, window).open()


def _save_support(window: MainWindow) -> None:
    from desktop_app.ui.dialogs.support import choose_support

    choose_support(window.context, window)


def _set_theme(context: UiContext, mode: str) -> None:
    context.services.preferences.set("theme", mode)
    context.theme.set_mode(mode)
