"""Looks at what lies in output folders, which tells of rows what a damaged list does not."""

from __future__ import annotations

import hashlib
from pathlib import Path

from desktop_app.domain.reach import reachable
from desktop_app.domain.safe_names import fold


class FinishedFiles:
    """Finished files by their names without the ending; each folder is looked through once."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, str]] = {}

    def named(self, folder: str, stem: str) -> str | None:
        """The file of that name, relative to ``folder`` as ``stem`` is, or None."""
        above, slash, name = stem.rpartition("/")
        place = f"{folder}/{above}"
        if place not in self._known:
            try:
                inside = reachable(Path(place))
                files = [path for path in inside.iterdir() if path.is_file()]
            except OSError:
                files = []
            self._known[place] = {fold(path.stem): path.name for path in files}
        file = self._known[place].get(fold(name))
        return None if file is None else f"{above}{slash}{file}"


def sha256_of(path: Path) -> str | None:
    """The SHA-256 of a file's bytes, None where it can't be read."""
    try:
        with reachable(path, 0).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
