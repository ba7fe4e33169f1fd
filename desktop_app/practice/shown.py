"""Pictures that a request shows to the server: known by their content, and made small."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PIL import Image, ImageOps

_KINDS = ("PNG", "JPEG", "WEBP", "GIF")
_MOST_BYTES = 50_000_000
_LONGEST = 256


class BadPicture(ValueError):
    """Bytes that no provider would take for a picture; says why."""


@dataclass(frozen=True, slots=True)
class Shown:
    """``digest`` is the SHA-256 of what came, hex; ``small`` at most 256 pixels long, None of an
    address, which is not looked up."""

    digest: str
    small: Image.Image | None = None

    @property
    def mark(self) -> str:
        """What an answer says of it."""
        return self.digest[:8]


def look(content: bytes) -> Shown:
    """Takes some tenths of a second. Raises BadPicture."""
    if len(content) > _MOST_BYTES:
        raise BadPicture("larger than 50 MB")
    try:
        with Image.open(io.BytesIO(content), formats=_KINDS) as opened:
            opened.draft("RGB", (_LONGEST, _LONGEST))
            small = ImageOps.exif_transpose(opened).convert("RGB")
    except Exception as error:  # decoders raise whatever the bytes lead them to
        raise BadPicture("not a PNG, JPEG, WebP or GIF picture") from error
    small.thumbnail((_LONGEST, _LONGEST))
    return Shown(hashlib.sha256(content).hexdigest(), small)


def look_behind(url: str) -> Shown:
    """Of an ``image_url``. Raises BadPicture."""
    if not url.startswith("data:"):
        return Shown(hashlib.sha256(url.encode()).hexdigest())
    try:
        content = base64.b64decode(url.partition(",")[2], validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadPicture("not base64") from error
    return look(content)


def form_of(body: bytes, content_type: str) -> tuple[dict[str, str], list[tuple[str, bytes]]]:
    """The texts of a ``multipart/form-data`` body by name, and its files as (name, content) in
    order. Raises ValueError."""
    kind, _, rest = content_type.partition(";")
    boundary = rest.partition("boundary=")[2].strip().strip('"')
    if kind.strip() != "multipart/form-data" or not boundary:
        raise ValueError("no form")
    texts: dict[str, str] = {}
    files: list[tuple[str, bytes]] = []
    for head, content in _parts(body, boundary.encode()):
        about = head.decode("utf-8", "replace")
        name = about.partition(' name="')[2].partition('"')[0]
        if 'filename="' in about:
            files.append((name, content))
        else:
            texts[name] = content.decode()
    return texts, files


def _parts(body: bytes, boundary: bytes) -> Iterator[tuple[bytes, bytes]]:
    line = b"\r\n--" + boundary
    at = body.find(line[2:])
    if at < 0:
        raise ValueError("no parts")
    at += len(line) - 2
    while body[at : at + 2] == b"\r\n":
        end, split = body.find(line, at), body.find(b"\r\n\r\n", at)
        if not 0 <= split < end:
            raise ValueError("a part without an end")
        yield body[at + 2 : split], body[split + 4 : end]
        at = end + len(line)
    if body[at : at + 2] != b"--":
        raise ValueError("no end")


def marks(shown: Sequence[Shown]) -> str:
    """All of them in one word; empty where there are none."""
    return " ".join(one.mark for one in shown)
