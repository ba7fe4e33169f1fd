"""Looks at what lies in output folders, which tells of rows what a damaged list does not."""

from __future__ import annotations

import hashlib
from pathlib import Path


class FinishedFiles:
    """Finished files by their names without the ending; each folder is looked through once."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, str]] = {}

    def named(self, folder: str, stem: str) -> str | None:
        """The file of that name, or None."""
        if folder not in self._known:
            try:
                files = [path for path in Path(folder).iterdir() if path.is_file()]
            except OSError:
                files = []
            self._known[folder] = {path.stem.casefold(): path.name for path in files}
        return self._known[folder].get(stem.casefold())


def sha256_of(path: Path) -> str | None:
    """The SHA-256 of a file's bytes, None where it can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
