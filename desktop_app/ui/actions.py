"""Every action has one QAction, so that menu, toolbar and shortcut can never disagree."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from desktop_app.domain.text import Translator
from desktop_app.ui.context import UiContext
from desktop_app.ui.priorities import CHOICES, choice_words
from desktop_app.ui.start import LANGUAGES


@dataclass(frozen=True, slots=True)
class _Spec:
    keys: str = ""
    icon: str = ""
    color: str = "muted"
    checkable: bool = False


_SPECS: dict[str, _Spec] = {
    "import": _Spec("Ctrl+O", "plus"),
    "paste": _Spec("Ctrl+V"),
    "open_folder": _Spec("Ctrl+Shift+O", "folder"),
    "export_results": _Spec("Ctrl+E", "download"),
    "export_failures": _Spec("Ctrl+Shift+E"),
    "settings": _Spec("Ctrl+,", "settings"),
    "quit": _Spec("Ctrl+Q"),
    "start": _Spec("Ctrl+R", "play", "on_accent"),
    "pause": _Spec("Ctrl+P", "pause"),
    "pause_after": _Spec(),
    "pause_now": _Spec("Ctrl+Shift+P"),
    "cancel": _Spec("Ctrl+Shift+C", "close"),
    **{word: _Spec(checkable=True) for word in CHOICES.values()},
    "add_connection": _Spec("Ctrl+N", "plug"),
    "find": _Spec("Ctrl+F", "search"),
    "progress": _Spec("Ctrl+1"),
    "needs_you": _Spec("Ctrl+2"),
    "results": _Spec("Ctrl+3"),
    "toggle_sidebar": _Spec("Ctrl+B", "pane-left", checkable=True),
    "toggle_detail": _Spec("Ctrl+I", "pane-right", checkable=True),
    "follow": _Spec("Ctrl+L", "follow", checkable=True),
    "shortcuts": _Spec("F1"),
    "support": _Spec(),
    "updates": _Spec(),
    "about": _Spec(),
}

_MENUS: dict[str, tuple[str, ...]] = {
    "file": (
        "import",
        "paste",
        "open_folder",
        "",
        "export_results",
        "export_failures",
        "",
        "settings",
        "",
        "quit",
    ),
    "run": ("start", "pause_after", "pause_now", "cancel", ":priority", "", "add_connection"),
    "view": (
        "progress",
        "needs_you",
        "results",
        "",
        "find",
        "follow",
        "",
        "toggle_sidebar",
        "toggle_detail",
        "",
        ":language",
        ":theme",
    ),
    "help": ("shortcuts", "support", "updates", "about"),
}


class Actions(QObject):
    """The actions by name; ``actions["import"]``."""

    def __init__(self, context: UiContext, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._actions: dict[str, QAction] = {}
        for name, spec in _SPECS.items():
            action = QAction(window)
            action.setCheckable(spec.checkable)
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            if spec.keys:
                action.setShortcut(QKeySequence(spec.keys))
            if spec.icon:
                context.icons.wear(action, spec.icon, spec.color)
            window.addAction(action)
            self._actions[name] = action
        self._actions["quit"].setMenuRole(QAction.MenuRole.QuitRole)
        self._actions["about"].setMenuRole(QAction.MenuRole.AboutRole)
        self._actions["settings"].setMenuRole(QAction.MenuRole.PreferencesRole)
        self.languages = self._group(LANGUAGES)
        self.themes = self._group(dict.fromkeys(("system", "light", "dark"), ""))
        self.priorities = QActionGroup(self)
        for word in CHOICES.values():
            self.priorities.addAction(self._actions[word])
        self._bar: QMenuBar | None = None
        self.retranslate()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def _group(self, choices: dict[str, str]) -> QActionGroup:
        group = QActionGroup(self)
        for key, text in choices.items():
            action = group.addAction(text)
            action.setCheckable(True)
            action.setData(key)
        return group

    def fill(self, bar: QMenuBar) -> None:
        """Build the menus; built again when the language changes."""
        self._bar = bar
        bar.clear()
        for menu in bar.findChildren(QMenu):
            menu.deleteLater()
        titles = self._menu_titles(self._context.tr)
        groups = {
            ":language": self.languages,
            ":theme": self.themes,
            ":priority": self.priorities,
        }
        for name, entries in _MENUS.items():
            menu = bar.addMenu(titles[name])
            for entry in entries:
                if not entry:
                    menu.addSeparator()
                elif entry.startswith(":"):
                    menu.addMenu(titles[entry]).addActions(groups[entry].actions())
                else:
                    menu.addAction(self._actions[entry])

    def shortcuts(self) -> list[tuple[str, str]]:
        """(keys as this system writes them, what they do)."""
        return [
            (
                action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
                action.text().replace("&", ""),
            )
            for action in self._actions.values()
            if not action.shortcut().isEmpty()
        ]

    def retranslate(self) -> None:
        """Every word again."""
        for name, text in self._texts(self._context.tr).items():
            action = self._actions[name]
            action.setText(text)
            action.setIconText(text)  # else Qt drops the dots
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            plain = text.replace("&", "").rstrip("….")
            action.setToolTip(f"{plain} ({keys})" if keys else plain)
        tr = self._context.tr
        words = {"system": tr("Follow the system"), "light": tr("Light"), "dark": tr("Dark")}
        for action in self.themes.actions():
            action.setText(words[action.data()])
            action.setChecked(action.data() == self._context.theme.mode)
        for action in self.languages.actions():
            action.setChecked(action.data() == tr.language)
        if self._bar is not None:
            self.fill(self._bar)

    @staticmethod
    def _menu_titles(tr: Translator) -> dict[str, str]:
        return {
            "file": tr("&File"),
            "run": tr("&Run"),
            "view": tr("&View"),
            "help": tr("&Help"),
            ":priority": tr("Priority"),
            ":language": tr("Language"),
            ":theme": tr("Appearance"),
        }

    @staticmethod
    def _texts(tr: Translator) -> dict[str, str]:
        return {
            "import": tr("Import"),
            "paste": tr("Paste from a spreadsheet"),
            "open_folder": tr("Open folder"),
            "export_results": tr("Export results…"),
            "export_failures": tr("Export failures…"),
            "settings": tr("Settings…"),
            "quit": tr("Quit"),
            "start": tr("Start"),
            "pause": tr("Pause"),
            "pause_after": tr("Pause after the running rows"),
            "pause_now": tr("Pause now"),
            "cancel": tr("Cancel…"),
            **{CHOICES[one]: text for one, text in choice_words(tr).items()},
            "add_connection": tr("Add a connection…"),
            "find": tr("Find"),
            "progress": tr("Progress"),
            "needs_you": tr("Needs you"),
            "results": tr("Results"),
            "toggle_sidebar": tr("Side bar"),
            "toggle_detail": tr("Detail pane"),
            "follow": tr("Follow running rows"),
            "shortcuts": tr("Keyboard shortcuts"),
            "support": tr("Save support file…"),
            "updates": tr("Check for updates…"),
            "about": tr("About Batchwright"),
        }
