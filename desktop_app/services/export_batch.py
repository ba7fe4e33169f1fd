"""Result and failure sheets: the sheet's own columns first, unchanged."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.domain.task import DEAD_LETTERS
from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.domain.views import TaskFilter

if TYPE_CHECKING:
    from desktop_app.domain.ports import ExportRow, Pages, SheetWriter

SUFFIXES = (".xlsx", ".csv", ".jsonl")


@dataclass(frozen=True, slots=True)
class Exported:
    """``path`` is where it went (``name-2`` when the target was locked)."""

    path: Path
    rows: int
    renamed: bool


@dataclass(slots=True)
class Language:
    """The translator in use; the window swaps it when the operator changes the language."""

    tr: Translator


class ExportBatch:
    """Writes sheets. The format follows the suffix: .xlsx, .csv, .jsonl."""

    def __init__(self, pages: Pages, writer: SheetWriter, language: Language) -> None:
        self._pages = pages
        self._writer = writer
        self._language = language

    async def results(self, batch_id: int, target: Path, *, thumbnails: bool = False) -> Exported:
        """Every row of the batch; ``thumbnails`` puts small pictures into a workbook. Raises
        OperatorError."""
        return await self._write(TaskFilter(batch_id=batch_id), batch_id, target, thumbnails)

    async def failures(self, batch_id: int, target: Path) -> Exported:
        """Dead letters only. Raises OperatorError."""
        which = TaskFilter(batch_id=batch_id, states=DEAD_LETTERS)
        return await self._write(which, batch_id, target)

    async def unusable(
        self,
        columns: tuple[str, ...],
        rows: AsyncIterator[Sequence[ExportRow]],
        target: Path,
    ) -> Exported:
        """Rows of a sheet that was not imported, with the number that Excel shows as their first
        cell. Raises OperatorError."""
        _check_suffix(target)
        named = self._language.tr.say(message("services.excel_row"))
        while named in columns:
            named += " *"
        path, count = await self._writer.write(
            target, (named, *columns), rows, self._language.tr.say
        )
        return Exported(path, count, renamed=path != target)

    async def _write(
        self, which: TaskFilter, batch_id: int, target: Path, thumbnails: bool = False
    ) -> Exported:
        _check_suffix(target)
        summary = await self._pages.batch_summary(batch_id)
        if summary is None:
            raise OperatorError(message("services.no_batch", batch=batch_id))
        rows = self._pages.export_rows(which)
        path, count = await self._writer.write(
            target, summary.batch.columns, rows, self._language.tr.say, thumbnails=thumbnails
        )
        return Exported(path, count, renamed=path != target)


def _check_suffix(target: Path) -> None:
    if target.suffix.lower() not in SUFFIXES:
        raise OperatorError(message("services.export_suffix", suffixes=list(SUFFIXES)))
