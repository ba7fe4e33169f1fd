"""Encodings by the names that people know them by."""

from __future__ import annotations

ENCODINGS = {
    "utf-8": "UTF-8",
    "gb18030": "GB18030 / GBK",
    "utf-16": "UTF-16",
    "big5": "Big5",
    "cp932": "Shift-JIS",
    "cp1252": "Windows-1252",
}
"""Those that are offered, by Python's names; others may be found."""


def encoding_name(codec: str) -> str:
    """What a codec is called in sentences."""
    return ENCODINGS.get(codec.removesuffix("-sig"), codec.upper().replace("_", "-"))
