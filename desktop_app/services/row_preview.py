"""The request of any row as it would be sent, at once also in the middle of a long sheet: the rows
around the last one that was asked for are kept."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from itertools import islice

from desktop_app.domain.ports import Adapters, SheetInfo, SheetLine, SheetRow, Sheets
from desktop_app.services.import_plan import ImportPlan, RowPreview
from desktop_app.services.plan_rows import PlanRows, caps_of

BEFORE, AFTER = 100, 400
"""Rows that are kept around one."""


class RowPreviews:
    """One read at a time; a read that nobody waits for any longer ends with its next row."""

    def __init__(self, *, sheets: Sheets, rows: PlanRows, adapters: Adapters) -> None:
        self._sheets = sheets
        self._rows = rows
        self._adapters = adapters
        self._near: _Near | None = None
        self._reading = asyncio.Lock()
        self._asked = 0

    async def of(
        self, plan: ImportPlan, row_no: int | None = None, *, back: bool = False
    ) -> RowPreview | None:
        """The request of the row of this number (as Excel shows it), or of the next one, with
        ``back`` of the one before, where there is none; of the first or last one where that is out
        of the sheet. None for a sheet without rows, and where another row was asked for meanwhile.
        Raises OperatorError for an unusable mapping."""
        connection = await self._rows.connection(plan)
        caps = caps_of(self._adapters, connection, plan.mapping)
        self._rows.usable(plan, caps)
        row = await self._find(plan.info, row_no or 0, back)
        if row is None:
            return None
        draft = await asyncio.to_thread(self._rows.draft, plan, caps, row)
        if draft.request is None:
            return RowPreview(row.row_no, "", {}, draft.stem, draft.problem)
        adapter = self._adapters.open(connection, None)
        try:
            body = adapter.body_preview(draft.request)
        finally:
            await adapter.close()
        return RowPreview(row.row_no, draft.request.prompt, body, draft.stem, draft.problem)

    async def _find(self, info: SheetInfo, row_no: int, back: bool) -> SheetRow | None:
        self._asked += 1
        mine = self._asked
        async with self._reading:
            if mine != self._asked:
                return None
            near = self._near
            if near is None or not near.covers(info, row_no):
                unwanted = threading.Event()
                try:
                    near = await asyncio.to_thread(self._read, info, row_no, unwanted)
                finally:
                    unwanted.set()
                self._near = near
        return near.row(row_no, back) or near.row(row_no, not back)

    def _read(self, info: SheetInfo, row_no: int, unwanted: threading.Event) -> _Near:
        before: deque[SheetLine] = deque(maxlen=BEFORE)
        lines = iter(self._sheets.lines(info))
        skipped = 0
        after: list[SheetLine] = []
        for line in lines:
            if line[0] >= row_no:
                after = [line, *islice(lines, AFTER - 1)]
                break
            before.append(line)
            skipped += 1
            if unwanted.is_set():
                break
        rows = [SheetRow(number, tuple(cells), said) for number, cells, said in (*before, *after)]
        return _Near(info, rows, skipped <= BEFORE, ends=len(after) < AFTER)


class _Near:
    """Neighbouring rows. ``starts`` and ``ends`` with those of the sheet."""

    def __init__(
        self, info: SheetInfo, rows: Sequence[SheetRow], starts: bool, *, ends: bool
    ) -> None:
        self._info = info
        self._rows = rows
        self._starts = starts
        self._ends = ends

    def covers(self, info: SheetInfo, row_no: int) -> bool:
        """Whether the answer is among these rows, or is that there is none."""
        if info is not self._info or not self._rows:
            return info is self._info
        after_start = self._starts or self._rows[0].row_no <= row_no
        before_end = self._ends or row_no <= self._rows[-1].row_no
        return after_start and before_end

    def row(self, row_no: int, back: bool) -> SheetRow | None:
        """None where there is none."""
        if back:
            return next((row for row in reversed(self._rows) if row.row_no <= row_no), None)
        return next((row for row in self._rows if row.row_no >= row_no), None)
