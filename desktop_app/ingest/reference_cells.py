"""Reference pictures that cells name, looked at before anything is paid: a picture that can't be
sent is a row that can't be used."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from desktop_app.domain.connection import LOOPBACK
from desktop_app.domain.ports import ReferenceRule
from desktop_app.domain.ports.capabilities import in_mb
from desktop_app.domain.references import Reference, stored
from desktop_app.ingest.values import WrongValue

MAX_PIXELS = 89_478_485
"""Width x height; more is taken for a decompression bomb. (Pillow warns from here on.)"""

_PARTS = re.compile(r"[;；\r\n]+")
_REMEMBERED = 50_000
_READ = 1024 * 1024
_MIMES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",  # a telephone's JPEG, with more pictures behind the first one
    "WEBP": "image/webp",
    "GIF": "image/gif",
}


@dataclass(frozen=True, slots=True)
class _Looked:
    """What a file is; ``mime`` None: no picture, or a damaged one."""

    sha256: str
    mime: str | None
    width: int
    height: int


@dataclass
class PictureFiles:
    """Looks at each file once, until it is written to. Any thread may use it, and another process
    may have it."""

    _known: dict[tuple[str, int, int], _Looked] = field(default_factory=dict)

    def look(self, path: Path, max_bytes: int) -> _Looked | int:
        """What the file is; its size where that is more than ``max_bytes``. Blocks. Raises
        OSError."""
        stat = path.stat()
        if stat.st_size > max_bytes:
            return stat.st_size
        key = (str(path), stat.st_mtime_ns, stat.st_size)
        found = self._known.get(key)
        if found is None:
            found = _look(path)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = found
        return found


@dataclass(frozen=True, slots=True)
class ReferenceCells:
    """Cells to reference pictures. A path is taken from the sheet's ``folder``."""

    folder: Path
    rule: ReferenceRule
    files: PictureFiles

    def read(self, texts: Sequence[str]) -> list[dict[str, str]]:
        """As a request holds them, in order; a cell names several on lines of their own or between
        semicolons. Blocks. Raises WrongValue."""
        names = [name for text in texts for part in _PARTS.split(text) if (name := _bare(part))]
        if len(names) > self.rule.most:
            raise WrongValue("ingest.reference_many", count=len(names), limit=self.rule.most)
        return stored(self._one(name) for name in names)

    def _one(self, name: str) -> Reference:
        if "://" in name:
            return Reference(url=_address(name))
        path = self._path(name)
        try:
            found = self.files.look(path, self.rule.max_bytes)
        except FileNotFoundError:
            raise WrongValue("ingest.reference_missing", file=str(path)) from None
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise WrongValue("ingest.reference_unreadable", file=str(path), reason=why) from None
        except ValueError:  # a NUL
            raise WrongValue("ingest.reference_missing", file=repr(name)) from None
        if isinstance(found, int):
            size, limit = in_mb(found), self.rule.most_mb
            raise WrongValue("ingest.reference_large", file=str(path), size=size, limit=limit)
        self._check(str(path), found)
        return Reference(str(path), found.sha256)

    def _path(self, name: str) -> Path:
        path = self.folder / name
        is_spelled_alike = name.isascii() and "\\" not in name
        if not is_spelled_alike and not _is_there(path):
            path = next(filter(_is_there, self._spellings(name)), path)
        return path.absolute()

    def _spellings(self, name: str) -> list[Path]:
        """The same name as other systems write it: with their slashes, their accents apart."""
        slashed = name.replace("\\", "/")
        forms = (slashed, *(unicodedata.normalize(form, slashed) for form in ("NFC", "NFD")))
        return [self.folder / form for form in forms]

    def _check(self, file: str, found: _Looked) -> None:
        kinds = [mime.partition("/")[2].upper() for mime in self.rule.mimes]
        if found.mime is None:
            raise WrongValue("ingest.reference_no_picture", file=file, kinds=kinds)
        if found.mime not in self.rule.mimes:
            kind = found.mime.partition("/")[2].upper()
            raise WrongValue("ingest.reference_kind", file=file, kind=kind, kinds=kinds)
        if found.width * found.height > MAX_PIXELS:
            raise WrongValue("ingest.reference_pixels", file=file)
        if self.rule.square and found.width != found.height:
            width, height = found.width, found.height
            raise WrongValue("ingest.reference_square", file=file, width=width, height=height)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long a name: whoever opens it says so
        return False


def _bare(part: str) -> str:
    """Without outer spaces, and the quotation marks of Windows' "Copy as path"."""
    return part.strip().strip('"').strip()


def _address(text: str) -> str:
    """Nobody on the way may see or swap a picture, except on this machine."""
    try:
        parts = urlsplit(text)
        is_good = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    except ValueError:
        is_good = False
    if not is_good or not parts.hostname or any(c.isspace() for c in text):
        raise WrongValue("ingest.reference_address")
    return text


def _look(path: Path) -> _Looked:
    # Not imported before there is a picture: the first row on the screen waits for every import.
    from PIL import Image

    with path.open("rb") as file:
        hasher = hashlib.sha256()
        while piece := file.read(_READ):
            hasher.update(piece)
        file.seek(0)
        mime, size = None, (0, 0)
        try:
            with Image.open(file, formats=["PNG", "JPEG", "WEBP", "GIF"]) as image:
                size = image.size
                found = _MIMES.get(image.format or "")
                image.verify()
                mime = found
        except (Image.DecompressionBombError, Image.DecompressionBombWarning):
            mime, size = _MIMES["PNG"], (MAX_PIXELS, MAX_PIXELS)
        except Exception:  # noqa: S110 - decoders raise whatever the bytes lead them to
            pass
        return _Looked(hasher.hexdigest(), mime, *size)
