"""The window's surroundings are built in one place, so that app and tests build the same ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

from desktop_app.domain.text import Message, Translator
from desktop_app.services.bundle import Services
from desktop_app.ui.context import UiContext, UiSignals
from desktop_app.ui.desktop import open_path, reveal_path
from desktop_app.ui.icons import Icons
from desktop_app.ui.tasks import Spawner
from desktop_app.ui.theme import Theme

LANGUAGES = {"en": "English", "zh_CN": "简体中文"}


def pick_language(chosen: str | None) -> str:
    """The language to start in: the one chosen, else the system's where there is a catalogue."""
    if chosen in LANGUAGES:
        return str(chosen)
    return "zh_CN" if QLocale.system().name().startswith("zh") else "en"


def dress(resources_dir: Path) -> Theme:
    """Colours, fonts and style of the whole program; needs a QApplication."""
    return Theme(resources_dir / "theme" / "tokens.json", resources_dir / "icons")


class _MendedQt(QTranslator):
    """Words of Qt's own dialogs that nobody would say so: its Chinese calls a file's size its
    volume."""

    def __init__(self, tr: Translator, parent: QObject) -> None:
        super().__init__(parent)
        self._words = {
            ("QFileSystemModel", "Size"): tr("File size"),
            ("QFileDialog", "File &name:"): tr("File &name:"),
        }

    def translate(
        self,
        context: str | bytes,
        sourceText: str | bytes,  # noqa: N803 - Qt's name
        disambiguation: str | bytes | None = None,  # noqa: ARG002
        n: int = -1,  # noqa: ARG002
    ) -> Any:
        """None: what Qt says."""
        return self._words.get((str(context), str(sourceText)))


class _Languages:
    """Swaps our catalogue and Qt's own strings together."""

    def __init__(self, locale_dir: Path | None) -> None:
        self._locale_dir = locale_dir
        self._qt: list[QTranslator] = []

    def load(self, language: str) -> Translator:
        app = QCoreApplication.instance()
        tr = Translator(language, self._locale_dir)
        while app is not None and self._qt:
            app.removeTranslator(self._qt.pop())
        if app is not None and language != "en":
            qt = QTranslator(app)
            folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
            if qt.load(f"qtbase_{language}", folder):
                self._qt = [qt, _MendedQt(tr, app)]
                for each in self._qt:  # the last one is asked first
                    app.installTranslator(each)
        QLocale.setDefault(QLocale(language))
        return tr


def make_context(
    services: Services, language: str | None, locale_dir: Path | None, resources_dir: Path
) -> UiContext:
    """Theme, icons, language and signals for ``MainWindow``; needs a QApplication.

    ``language`` None: what the operator chose earlier, else the system's. ``resources_dir`` holds
    ``theme/tokens.json`` and ``icons/``.
    """
    signals = UiSignals()
    theme = dress(resources_dir)
    theme.set_mode(str(services.preferences.get("theme", "system")))
    languages = _Languages(locale_dir)

    def say_error(said: Message) -> None:
        signals.trouble.emit(said)

    def say(said: Message) -> None:
        signals.notice.emit(said)

    def set_language(code: str) -> None:
        context.tr = services.language.tr = languages.load(code)
        services.preferences.set("language", code)
        signals.language_changed.emit()

    spawn = Spawner(say_error)
    start_in = pick_language(language or services.preferences.get("language"))
    context = UiContext(
        services=services,
        tr=languages.load(start_in),
        theme=theme,
        icons=Icons(resources_dir / "icons", theme),
        spawn=spawn,
        say_error=say_error,
        say=say,
        open_path=open_path,
        reveal_path=reveal_path,
        set_language=set_language,
        finish=spawn.finish,
        signals=signals,
    )
    services.language.tr = context.tr
    return context
