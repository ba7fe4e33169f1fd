"""A first look at picture bytes; whether they decode is verified where they are kept."""

from __future__ import annotations

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
)

KINDS = (*(mime for _, mime in _MAGIC), "image/webp", "image/avif")
"""Every MIME type that ``picture_mime`` knows."""


def picture_mime(data: bytes) -> str | None:
    """The MIME type by magic bytes, None when this is no picture that can be kept."""
    for magic, mime in _MAGIC:
        if data.startswith(magic):
            return mime
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return None
