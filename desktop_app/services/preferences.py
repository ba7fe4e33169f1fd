"""What this operator chose on this machine (language, folders, window layout)."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Preferences:
    """SIGNATURES; bodies follow. Values are JSON; a damaged file reads as empty, and is kept aside."""

    def get(self, key: str, default: Any = None) -> Any:
        """A remembered value."""
        raise NotImplementedError

    def set(self, key: str, value: Any) -> None:
        """Remember; written in the background."""
        raise NotImplementedError

    def pictures_dir(self) -> Path:
        """The operator's pictures folder."""
        raise NotImplementedError

    def thumbnails_dir(self) -> Path:
        """Where thumbnails are cached."""
        raise NotImplementedError

    def sample_sheet(self) -> Path:
        """The sample sheet that ships with the program."""
        raise NotImplementedError
