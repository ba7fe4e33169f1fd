"""What this operator chose on this machine: one place that services and window may ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol


class SettingsFile(Protocol):
    """What the settings room offers: JSON values by key, kept on disk."""

    def get(self, key: str, default: Any = None) -> Any: ...
    def set(self, key: str, value: Any) -> None: ...


class Preferences:
    """Remembered values, and the folders of this machine. A damaged file reads as empty."""

    def __init__(
        self, settings: SettingsFile, *, pictures: Path, thumbnails: Path, sample: Path
    ) -> None:
        self._settings = settings
        self._pictures = pictures
        self._thumbnails = thumbnails
        self._sample = sample

    def get(self, key: str, default: Any = None) -> Any:
        """A remembered value."""
        return self._settings.get(key, default)

    def set(self, key: str, value: Any) -> None:
        """Remember a JSON value."""
        self._settings.set(key, value)

    def pictures_dir(self) -> Path:
        """The operator's pictures folder."""
        return self._pictures

    def thumbnails_dir(self) -> Path:
        """Where thumbnails are cached."""
        return self._thumbnails

    def sample_sheet(self) -> Path:
        """The sample sheet that ships with the program."""
        return self._sample
