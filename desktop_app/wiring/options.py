"""What a caller may choose about the house, and the words to refuse it with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.listening import ListeningPlace
from desktop_app.domain.text import Message, Translator
from desktop_app.settings.language import pick
from desktop_app.settings.paths import paths, resources_dir
from desktop_app.settings.schema import SettingsFile


class FolderInUse(Exception):
    """Another engine holds the data folder."""


@dataclass(frozen=True, slots=True)
class HouseOptions:
    """``data_dir`` None: this system's own place. ``language`` None: the setting, else the
    system's. ``practice_config`` names a profile or a file for the built-in server. ``window``:
    keys come from the password store alone, where the operator sees and changes them.
    ``embed``: pictures say what they were made from, whatever the setting is.
    ``callbacks``: where to listen for providers' calls, whatever the settings are.
    ``restored``: what the start has brought back, to be shown once the window is open."""

    data_dir: Path | None = None
    language: str | None = None
    practice_config: str | None = None
    window: bool = False
    restored: Message | None = None
    embed: bool = False
    callbacks: ListeningPlace | None = None


def locale_dir() -> Path:
    """Folder of the gettext catalogues."""
    return resources_dir() / "locale"


def translator(options: HouseOptions) -> Translator:
    """The catalogue in the language asked for, chosen earlier, or spoken by the system."""
    chosen = options.language
    if chosen is None:
        where = paths(options.data_dir).settings
        chosen = SettingsFile(where).get("language") if where.exists() else None
    return Translator(pick(chosen), locale_dir())
