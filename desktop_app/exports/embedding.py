"""Words into a picture's file beside its pixels, none of which is touched: chunks are put between
those that are there, and nothing is coded anew."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping

from PIL import Image

_PNG = b"\x89PNG\r\n\x1a\n"
_IHDR_END = len(_PNG) + 25
_USER_COMMENT = 0x9286
_EXIF_IFD = 0x8769
_SOFTWARE = 0x0131
_MOST_EXIF = 65_000  # bytes that a segment of a JPEG holds, less its own head
_ALPHA, _EXIF_FLAG = 0x10, 0x08


def embedded(data: bytes, words: Mapping[str, str]) -> bytes:
    """The same picture with these words in it: a text chunk each in a PNG, one JSON object in the
    EXIF of a JPEG or WebP. Other kinds, files with EXIF of their own and damaged ones come back as
    they are."""
    try:
        return _with(data, words)
    except Exception:
        # Decoders raise whatever the bytes lead them to; the words are a convenience.
        return data


def _with(data: bytes, words: Mapping[str, str]) -> bytes:
    if data.startswith(_PNG):
        return _png(data, words)
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data, words)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data, words)
    return data


def _png(data: bytes, words: Mapping[str, str]) -> bytes:
    chunks = b""
    for name, text in words.items():
        # keyword, not compressed, no language, no translated keyword, UTF-8
        body = b"iTXt" + name.encode("latin-1") + b"\0\0\0\0\0" + text.encode("utf-8", "replace")
        chunks += struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return data[:_IHDR_END] + chunks + data[_IHDR_END:]


def _jpeg(data: bytes, words: Mapping[str, str]) -> bytes:
    exif = b"Exif\0\0" + _exif(words)
    if len(exif) > _MOST_EXIF or _has_exif(data):
        return data
    # JFIF asks to be first; whoever reads EXIF looks through all segments.
    at = 2
    if data[2:4] == b"\xff\xe0":
        at += 2 + int.from_bytes(data[4:6], "big")
    return data[:at] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + data[at:]


def _has_exif(data: bytes) -> bool:
    at = 2
    while data[at : at + 1] == b"\xff" and data[at + 1] not in (0xD9, 0xDA):
        size = int.from_bytes(data[at + 2 : at + 4], "big")
        if data[at + 1] == 0xE1 and data[at + 4 : at + 8] == b"Exif":
            return True
        at += 2 + max(2, size)
    return False


def _webp(data: bytes, words: Mapping[str, str]) -> bytes:
    body = data[12 : 8 + int.from_bytes(data[4:8], "little")]
    kind = body[:4]
    if kind == b"VP8X":
        if body[8] & _EXIF_FLAG:
            return data
        head, rest = bytearray(body[:18]), body[18:]
        head[8] |= _EXIF_FLAG
    elif kind in (b"VP8 ", b"VP8L"):
        width, height = _size(data)
        # A lossless picture says with one bit whether some of it is transparent.
        alpha = kind == b"VP8L" and body[12] & _ALPHA
        sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        flags = _EXIF_FLAG | (_ALPHA if alpha else 0)
        head = bytearray(b"VP8X" + struct.pack("<I", 10) + bytes((flags, 0, 0, 0)) + sizes)
        rest = body
    else:
        return data
    exif = _exif(words)
    chunk = b"EXIF" + struct.pack("<I", len(exif)) + exif + b"\0" * (len(exif) % 2)
    whole = b"WEBP" + bytes(head) + rest + b"\0" * (len(rest) % 2) + chunk
    return b"RIFF" + struct.pack("<I", len(whole)) + whole


def _size(data: bytes) -> tuple[int, int]:
    from io import BytesIO

    with Image.open(BytesIO(data), formats=["WEBP"]) as image:
        return image.size


def _exif(words: Mapping[str, str]) -> bytes:
    exif = Image.Exif()
    exif[_SOFTWARE] = "Batchwright"
    text = json.dumps(dict(words), ensure_ascii=False)
    comment = b"UNICODE\0" + text.encode("utf-16-le", "replace")
    exif.get_ifd(_EXIF_IFD)[_USER_COMMENT] = comment
    found = exif.tobytes()
    return found.removeprefix(b"Exif\0\0")
