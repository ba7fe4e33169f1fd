"""The machine's share of the support file: logs, settings, versions; and the file itself, from
which everything is taken that gives the operator away."""

from __future__ import annotations

import json
import locale
import os
import platform
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path

from desktop_app import __version__
from desktop_app.settings.log_traces import without_sentences
from desktop_app.settings.logs import Redactor
from desktop_app.settings.paths import Paths

_MOST = 4_000_000
_PACKAGES = (
    "httpx", "httpcore", "truststore", "peewee", "keyring", "pillow", "openpyxl",
    "PySide6-Essentials", "qasync", "rich", "starlette", "uvicorn",
)  # fmt: skip
_VARIABLES = ("LANG", "LC_ALL", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "QT_QPA_PLATFORM")
# Said by name only: their values may hold passwords.
_SET_OR_NOT = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
_ADDRESS = re.compile(
    r"""\b([a-z][a-z0-9+.\-]{1,15}://)([^\s/?#"'<>]*@)?([^\s?#"'<>]*)([?#][^\s"'<>]*)?""", re.I
)


class MachineFacts:
    """``ports.SupportSource`` of one data folder."""

    def __init__(self, where: Paths) -> None:
        self._where = where

    def parts(self) -> Mapping[str, str]:
        """``system.txt``, ``settings.json``, and every log."""
        found = {"system.txt": self._system(), "settings.json": self._settings()}
        try:
            logs = sorted(file for file in self._where.logs.glob("*.log*") if file.is_file())
        except OSError as error:
            logs = []
            found["logs/logs.txt"] = f"not read: {error}"
        for log in logs:
            found[f"logs/{log.name}"] = without_sentences(_text(log))
        return found

    def _system(self) -> str:
        said: list[tuple[str, object]] = [
            ("Batchwright", __version__),
            ("Python", sys.version.replace("\n", " ")),
            ("frozen", bool(getattr(sys, "frozen", False))),
            ("system", platform.platform()),
            ("machine", platform.machine()),
            ("processors", os.cpu_count()),
            ("encoding", locale.getpreferredencoding(False)),
            ("data folder", self._where.data),
            ("free bytes there", _free(self._where.data)),
            *((name, os.environ.get(name, "-")) for name in _VARIABLES),
            *((name, "set" if _is_set(name) else "-") for name in _SET_OR_NOT),
            *((name, _version(name)) for name in _PACKAGES),
        ]
        return "\n".join(f"{name}: {value}" for name, value in said)

    def _settings(self) -> str:
        """Choices as they are; paths and other texts of the operator's by their names only."""
        if not self._where.settings.exists():
            return "{}"
        text = _text(self._where.settings)
        try:
            values = dict(json.loads(text))
        except (ValueError, TypeError):
            return text if text.startswith("not read:") else "not read: damaged"
        shown = {name: _choice(value) for name, value in values.items()}
        return json.dumps(shown, indent=1, sort_keys=True)


class SupportZip:
    """``ports.SupportPack``: a zip whose texts hold no key, no address beyond host and path, and
    no name of the operator's home."""

    def __init__(self, redactor: Redactor, home: Callable[[], Path] = Path.home) -> None:
        self._redactor = redactor
        self._home = home

    def pack(self, target: Path, parts: Mapping[str, str]) -> None:
        """Write the zip beside its name first; replaces what is there. Raises OSError."""
        handle, name = tempfile.mkstemp(prefix=".support-", suffix=".tmp", dir=target.parent)
        half = Path(name)
        try:
            with (
                os.fdopen(handle, "wb") as file,
                zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as pack,
            ):
                for inside, text in parts.items():
                    pack.writestr(inside, self.clean(text))
            half.replace(target)
        except BaseException:
            half.unlink(missing_ok=True)
            raise

    def clean(self, text: str) -> str:
        """The text as it may be sent to a stranger."""
        text = self._redactor.clean(text)
        text = _ADDRESS.sub(lambda found: f"{found[1]}{found[3]}{'?…' if found[4] else ''}", text)
        try:
            home = str(self._home())
        except (RuntimeError, OSError):
            return text
        if len(home) < 4:
            return text  # "/" is nobody's
        for spelling in {home, home.replace("\\", "/"), json.dumps(home)[1:-1]}:
            text = text.replace(spelling, "~")
        return text


def _text(file: Path) -> str:
    """The end of a file."""
    try:
        with file.open("rb") as opened:
            opened.seek(max(0, file.stat().st_size - _MOST))
            return opened.read(_MOST).decode("utf-8", "replace")
    except OSError as error:
        return f"not read: {error.strerror}"


def _choice(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_\-]{1,20}", value):
        return value
    return value if isinstance(value, bool | int | float) else f"({type(value).__name__})"


def _free(folder: Path) -> object:
    try:
        return shutil.disk_usage(folder).free
    except OSError as error:
        return f"not read: {error.strerror}"


def _is_set(name: str) -> bool:
    return bool(os.environ.get(name) or os.environ.get(name.lower()))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "-"
