"""Where state lives, decided in one place so that ``--data-dir`` can move all of it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

import desktop_app
from desktop_app.domain.text import OperatorError, message

APP = "Batchwright"


@dataclass(frozen=True, slots=True)
class Paths:
    """Absolute folders and files of one data folder. Nothing is made before ``make``.

    ``sheets`` holds the private copies that imports read; ``thumbnails`` may be deleted at any
    time; ``pictures`` is the operator's own folder and the only one outside ``data``.
    """

    data: Path
    thumbnails: Path
    pictures: Path

    @property
    def database(self) -> Path:
        """The store."""
        return self.data / "batchwright.db"

    @property
    def logs(self) -> Path:
        """Folder of the rotating logs."""
        return self.data / "logs"

    @property
    def sheets(self) -> Path:
        """Folder of the private copies of imported sheets."""
        return self.data / "sheets"

    @property
    def mappings(self) -> Path:
        """Folder of the saved mappings, made by the first of them."""
        return self.data / "mappings"

    @property
    def providers(self) -> Path:
        """Folder of the operator's own provider files, made by the first of them."""
        return self.data / "providers"

    @property
    def settings(self) -> Path:
        """The operator's choices."""
        return self.data / "settings.json"

    @property
    def lock(self) -> Path:
        """Held by the one engine that may run on this folder."""
        return self.data / "engine.lock"

    def make(self) -> None:
        """Make the folders, for the operator's eyes only. Raises OperatorError."""
        for folder in (self.data, self.logs, self.sheets, self.thumbnails):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                said = message("settings.folder_unusable", folder=str(folder), why=error.strerror)
                raise OperatorError(said) from error


def paths(data_dir: Path | None = None) -> Paths:
    """The folders in use: under ``data_dir`` where one is given, else where this system wants
    them."""
    pictures = Path(platformdirs.user_pictures_dir())
    if data_dir is not None:
        data = data_dir.expanduser().absolute()
        return Paths(data=data, thumbnails=data / "thumbnails", pictures=pictures)
    return Paths(
        data=Path(platformdirs.user_data_dir(APP, appauthor=False)),
        thumbnails=Path(platformdirs.user_cache_dir(APP, appauthor=False)) / "thumbnails",
        pictures=pictures,
    )


def resources_dir() -> Path:
    """The program's own files: of a frozen bundle, a wheel, or the checkout, in this order."""
    package = Path(desktop_app.__file__).resolve().parent
    frozen = getattr(sys, "_MEIPASS", None)
    places = [package / "resources", package.parent / "resources"]
    if frozen is not None:
        places.insert(0, Path(frozen) / "resources")
    return next((place for place in places if place.is_dir()), places[-1])
