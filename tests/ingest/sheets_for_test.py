"""Helpers: a sheet on disk, opened and read as the program does it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from desktop_app.domain.ports import SheetInfo, SheetOptions, SheetRow
from desktop_app.ingest.sheet import SheetReader


def opened(path: Path, **options: Any) -> SheetInfo:
    return SheetReader().open(path, path.parent / "copies", SheetOptions(**options))


def rows(path: Path, **options: Any) -> list[SheetRow]:
    return list(SheetReader().rows(opened(path, **options)))


def cells(path: Path, **options: Any) -> list[tuple[str, ...]]:
    return [row.cells for row in rows(path, **options)]


def as_csv(table: Sequence[Sequence[str]], delimiter: str = ",", quoting: int = 0) -> str:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, quoting=quoting).writerows(table)
    return buffer.getvalue()


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path
