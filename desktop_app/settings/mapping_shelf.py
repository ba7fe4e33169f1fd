"""Saved mappings, a small file each: window and verbs share them, and neither writes over what the
other one saved."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from desktop_app.domain.mapping_file import MOST_BYTES, SUFFIX, MappingPreset, read, written
from desktop_app.domain.safe_names import fold
from desktop_app.domain.text import OperatorError, message
from desktop_app.settings.schema import write_atomically

_log = logging.getLogger(__name__)


class MappingFiles:
    """Implements ``ports.MappingShelf``. The folder is made by the first that is saved; a file
    that can't be understood is left alone, and is none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> list[MappingPreset]:
        """By name."""
        found = []
        for file in self._folder.glob(f"*{SUFFIX}"):
            try:
                with file.open("rb") as open_file:
                    found.append(read(open_file.read(MOST_BYTES + 1), file.name))
            except (OSError, OperatorError) as error:
                _log.warning("saved mapping %s not readable: %s", file.name, error)
        return sorted(found, key=lambda preset: fold(preset.name))

    def save(self, preset: MappingPreset) -> None:
        """Also in place of the one of that name."""
        try:
            write_atomically(self._file(preset.name), written(preset))
        except OSError as error:
            raise _unwritable(preset.name, error) from error

    def remove(self, name: str) -> bool:
        """Whether there was one."""
        try:
            self._file(name).unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _unwritable(name, error) from error
        return True

    def _file(self, name: str) -> Path:
        # Not by the name itself: two that differ may be one to the file system.
        digest = hashlib.sha256(fold(name).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        return self._folder / f"{digest}{SUFFIX}"


def _unwritable(name: str, error: OSError) -> OperatorError:
    reason = error.strerror or str(error)
    return OperatorError(message("mappings.unwritable", file=name, reason=reason))
