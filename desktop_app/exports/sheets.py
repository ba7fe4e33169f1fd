"""Result and failure sheets, whole or not at all, and never over a sheet that someone has open."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from desktop_app.domain.ports import ExportRow
from desktop_app.domain.reach import reachable
from desktop_app.domain.safe_names import numbered
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.exports.csv_sheet import CsvSheet
from desktop_app.exports.jsonl_sheet import JsonlSheet
from desktop_app.exports.long_texts import LongTexts


class _Sheet(Protocol):
    def add(self, rows: Sequence[ExportRow]) -> None: ...
    def close(self) -> None: ...
    def discard(self) -> None: ...


_Kind = Callable[[Path, tuple[str, ...], Callable[[Message], str]], _Sheet]


def _book(target: Path, thumbnails: bool) -> _Kind:
    def begin(path: Path, columns: tuple[str, ...], say: Callable[[Message], str]) -> _Sheet:
        # Imported where one is written, in the worker thread: it takes a good tenth of a second.
        from desktop_app.exports.sheet_pictures import SheetPictures
        from desktop_app.exports.xlsx_sheet import XlsxSheet

        texts, pictures = LongTexts(target), SheetPictures() if thumbnails else None
        return XlsxSheet(path, columns, say, texts=texts, pictures=pictures)

    return begin


_KINDS: dict[str, Callable[[Path, bool], _Kind]] = {
    ".xlsx": _book,
    ".csv": lambda _target, _thumbnails: CsvSheet,
    ".jsonl": lambda _target, _thumbnails: JsonlSheet,
}


class SheetFiles:
    """Implements ``ports.SheetWriter``. Rows are written in a worker thread, a chunk at a time.
    ``reach``: by which name a folder is opened."""

    def __init__(self, reach: Callable[[Path], Path] = reachable) -> None:
        self._reach = reach

    async def write(
        self,
        target: Path,
        columns: tuple[str, ...],
        rows: AsyncIterator[Sequence[ExportRow]],
        say: Callable[[Message], str],
        *,
        thumbnails: bool = False,
    ) -> tuple[Path, int]:
        """Returns the path really written and the rows. An existing target is replaced in one
        step; one that a program has open stays, and ``name-2`` is written. Raises OperatorError:
        unknown suffix, or the folder can't be written."""
        kind = _KINDS.get(target.suffix.lower())
        if kind is None:
            raise OperatorError(
                message("exports.unknown_suffix", file=target.name, suffixes=list(_KINDS))
            )
        opened = self._reach(target.parent) / target.name
        temp = opened.with_name(f".bw-export-{uuid4().hex}.tmp")
        count = 0
        try:
            begin = kind(opened, thumbnails)
            sheet = await asyncio.to_thread(begin, temp, columns, say)
            try:
                async for chunk in rows:
                    await asyncio.to_thread(sheet.add, chunk)
                    count += len(chunk)
                await asyncio.to_thread(sheet.close)
            except BaseException:
                await asyncio.to_thread(sheet.discard)
                raise
            path = await asyncio.to_thread(_put, temp, opened)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OperatorError(
                message("exports.sheet_not_written", file=target.name, reason=reason)
            ) from error
        finally:
            temp.unlink(missing_ok=True)
        return target.with_name(path.name), count


def _put(temp: Path, target: Path) -> Path:
    """Flush and rename over the target, or beside it where it is held."""
    with temp.open("rb+") as file:
        os.fsync(file.fileno())
    if not _is_held(target):
        try:
            temp.replace(target)
        except PermissionError:
            # Windows: a program has it open. If it is the folder, the next rename says so.
            pass
        else:
            return target
    number = 2
    while (beside := target.with_name(numbered(target.stem, number, target.suffix))).exists():
        number += 1
    temp.replace(beside)
    return beside


def _is_held(target: Path) -> bool:
    """Excel, WPS and LibreOffice leave a note beside a sheet they have open; where the system
    would let us replace it, the next save from there would undo ours."""
    notes = (f"~${target.name}", f".~lock.{target.name}#")
    return any(target.with_name(note).exists() for note in notes)
