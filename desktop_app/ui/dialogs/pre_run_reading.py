"""The file behind the pre-run sheet: read anew with every choice, each copy of it given back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop_app.domain.ports import SheetInfo, SheetOptions
from desktop_app.domain.text import OperatorError
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.pre_run_source import SourceForm

_DOUBTS = frozenset({"ingest.header_below", "ingest.header_doubt"})

Rows = Sequence[tuple[int, tuple[str, ...]]]
"""(row number, cells)."""


class Reading(QObject):
    """``info`` is the sheet as it was read last; None before. ``read`` tells that it was read,
    with its first rows (``head``), numbered as in the sheet. ``has_failed``: it couldn't be read
    with the options of now."""

    read = Signal()

    def __init__(self, context: UiContext, path: Path, source: SourceForm) -> None:
        super().__init__(source)
        self._context = context
        self._source = source
        self._copies: list[SheetInfo] = []
        self._times = 0
        self.path = path
        self.has_failed = False
        self.info: SheetInfo | None = None
        self.head: Rows = ()

    async def open(self) -> None:
        """Read the file with the options of now; one that can't be read keeps the last reading.
        Raises OperatorError."""
        self._times += 1
        self.has_failed = False
        try:
            await self._read(self._times)
        except OperatorError:
            self.has_failed = True
            raise

    async def _read(self, mine: int) -> None:
        imports, options = self._context.services.imports, self._source.options()
        info = await self._open(options)
        if self.info is None and (row := await self._known_row(info)) is not None:
            info = await self._open(replace(options, header_row=row))
        head = await imports.head(info)
        if mine != self._times:
            return
        self.info, self.head = info, head
        self.read.emit()
        # A long workbook is read once more for this, so its first rows are seen before.
        headers = await imports.headers(info)
        if mine == self._times:
            self._source.show_headers(headers)

    async def _open(self, options: SheetOptions) -> SheetInfo:
        info = await self._context.services.imports.open(self.path, options)
        self._copies.append(info)
        return info

    async def _known_row(self, info: SheetInfo) -> int | None:
        """Where a sheet with a title begins that has the columns of one that was run before."""
        if not any(each.code in _DOUBTS for each in info.warnings):
            return None
        headers = await self._context.services.imports.headers(info)
        return self._context.services.mappings.known_row(headers)

    async def open_below(self, row: int | None) -> None:
        """Read it anew with this row as its header, None: the first one. Where that can't be, the
        choice is what it was. Raises OperatorError."""
        before = self._source.options().header_row
        self._source.begin_in(row)
        try:
            await self.open()
        except OperatorError:
            self._source.begin_in(before)
            raise

    def forget(self) -> None:
        """Give the copies back that were made for reading."""
        for info in self._copies:
            self._context.spawn(self._context.services.imports.forget(info))
