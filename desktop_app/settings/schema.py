"""The operator's choices in one small JSON file, which no crash and no damage turns into loss."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from desktop_app.domain.listening import USUAL_HOST, USUAL_PORT
from desktop_app.domain.text import Message, message

_log = logging.getLogger(__name__)

DEFAULTS: Mapping[str, Any] = {
    "language": "system",  # system, en, zh_CN
    "theme": "system",  # system, light, dark
    "embed": False,  # prompt, model, seed and task id into pictures
    "callbacks": False,  # whether providers may call when a job has ended
    "callbacks_address": USUAL_HOST,  # where they are listened for
    "callbacks_port": USUAL_PORT,
    "callbacks_url": "",  # where the world reaches that; empty: as it is
}
"""Known choices with their types: a stored value of another type reads as the default."""


class SettingsFile:
    """JSON values by key. Reading never fails; writing happens on a thread of its own.

    ``damage`` says what became of an unreadable file: it is renamed to ``settings.broken-N.json``
    and the choices start afresh. Call ``close`` before the program ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.damage: Message | None = None
        self._values: dict[str, Any] = self._load()
        self._changed = threading.Condition()
        self._dirty = False
        self._closing = False
        self._writer: threading.Thread | None = None

    def get(self, key: str, default: Any = None) -> Any:
        """The remembered value, or ``default``, or the schema's default where there is none."""
        standard = DEFAULTS.get(key)
        with self._changed:
            value = self._values.get(key)
        if value is None or (standard is not None and type(value) is not type(standard)):
            return standard if default is None else default
        return value

    def set(self, key: str, value: Any) -> None:
        """Remember a JSON value; returns at once. None forgets the key. Raises TypeError for what
        JSON cannot hold."""
        json.dumps(value)
        with self._changed:
            if self._values.get(key) == value and key in self._values:
                return
            if value is None:
                self._values.pop(key, None)
            else:
                self._values[key] = value
            self._dirty = True
            if self._writer is None:
                self._closing = False
                self._writer = threading.Thread(
                    target=self._write_changes, name="settings-writer", daemon=True
                )
                self._writer.start()
            self._changed.notify_all()

    def close(self) -> None:
        """Write what is not yet written, and end the thread."""
        with self._changed:
            writer, self._writer = self._writer, None
            self._closing = True
            self._changed.notify_all()
        if writer is not None:
            writer.join()

    def _load(self) -> dict[str, Any]:
        try:
            raw = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            _log.warning("settings not readable: %s", error)
            return {}
        try:
            values = json.loads(raw.decode("utf-8"))
            if not isinstance(values, dict):
                raise ValueError("not an object")
        except ValueError:
            self._set_aside()
            return {}
        return values

    def _set_aside(self) -> None:
        number = 1
        while (aside := self._path.with_name(f"{self._path.stem}.broken-{number}.json")).exists():
            number += 1
        try:
            self._path.rename(aside)
        except OSError as error:
            _log.warning("damaged settings could not be set aside: %s", error)
            return
        self.damage = message("settings.file_damaged", file=aside.name)

    def _write_changes(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._dirty or self._closing)
                if not self._dirty:
                    return
                self._dirty = False
                text = json.dumps(self._values, ensure_ascii=False, indent=2, sort_keys=True)
            try:
                write_atomically(self._path, text.encode("utf-8"))
            except OSError as error:
                _log.warning("settings not written: %s", error)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file by a whole new one: a crash leaves the old or the new, never a half."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
