"""A cheap look whether a sheet may be one that we wrote: opening every sheet twice to find out
would double the wait for a large one."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path

HEAD_BYTES = 1 << 18
_BOOK_BYTES = 1 << 26  # an old binary workbook keeps its texts at its end
_PARTS = re.compile(r"xl/sharedStrings\.xml|xl/worksheets/sheet\d+\.xml|content\.xml")
_TROUBLE = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)


def may_hold(path: Path, word: str) -> bool:
    """Whether an ASCII word is among the first texts of a file, as far as it can be told without
    reading it whole. False where it can't be read. Blocking."""
    marks = [word.encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be")]
    try:
        return any(mark in head for head in _heads(path) for mark in marks)
    except _TROUBLE:
        return False


def _heads(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        if head.startswith(b"\xd0\xcf\x11\xe0"):
            return [head + file.read(_BOOK_BYTES)]
    if not head.startswith(b"PK"):
        return [head]
    heads: list[bytes] = []
    with zipfile.ZipFile(path) as book:
        for part in filter(_PARTS.fullmatch, book.namelist()):
            with book.open(part) as member:
                heads.append(member.read(HEAD_BYTES))
    return heads
