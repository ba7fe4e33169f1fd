"""Sheet to sealed batch: what the pre-run sheet shows is what the one commit makes durable."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from desktop_app.domain.batch import Batch, BatchStage
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.events import BatchChanged, ImportProgress
from desktop_app.domain.money import Money
from desktop_app.domain.ports import (
    Adapters,
    Addresses,
    ConnectionStore,
    Drafter,
    ExportRow,
    ImportStore,
    SheetInfo,
    SheetOptions,
    Sheets,
)
from desktop_app.domain.safe_names import STEM_BYTES, safe_name
from desktop_app.domain.text import OperatorError, message
from desktop_app.services.budgets import budget_of, check_budgets
from desktop_app.services.earlier_runs import EarlierRuns
from desktop_app.services.import_plan import (
    WHOLE,
    Differences,
    ImportPlan,
    PreRun,
    RowPreview,
    RowProblem,
    fingerprint,
    options_of,
)
from desktop_app.services.packed_rows import CHUNK, PackedRows, Reader, read_packed, reader_for
from desktop_app.services.plan_rows import PlanRows
from desktop_app.services.pre_run import PreRunCheck
from desktop_app.services.preferences import Preferences
from desktop_app.services.row_preview import RowPreviews
from desktop_app.services.spare_reader import SpareReader
from desktop_app.services.write_behind import behind

__all__ = ["Differences", "ImportBatch", "ImportPlan", "PreRun", "RowPreview", "RowProblem"]


class ImportBatch(EarlierRuns):
    """Opens sheets, checks them, and makes batches; ``EarlierRuns`` does what concerns a sheet that
    ran before. Blocking work runs in worker threads."""

    def __init__(
        self,
        *,
        sheets: Sheets,
        drafter: Drafter,
        store: ImportStore,
        connections: ConnectionStore,
        adapters: Adapters,
        addresses: Addresses,
        preferences: Preferences,
        clock: Clock,
        bus: Bus,
        copies: Path,
    ) -> None:
        super().__init__(
            rows=PlanRows(
                sheets=sheets, drafter=drafter, connections=connections, adapters=adapters
            ),
            store=store,
            clock=clock,
            bus=bus,
            as_batch=lambda plan: self._batch_of(plan, None),
        )
        self._sheets = sheets
        self._drafter = drafter
        self._preferences = preferences
        self._copies = copies
        self._check = PreRunCheck(
            sheets=sheets,
            drafter=drafter,
            rows=self._rows,
            store=store,
            runs=self,
            addresses=addresses,
            out_dir=self._out_dir_of,
        )
        self._previews = RowPreviews(sheets=sheets, rows=self._rows, adapters=adapters)
        self._needed = (sheets, drafter, store.pack)
        self._spare = SpareReader(*self._needed)
        self._copying = asyncio.Lock()
        self._readers: Counter[Path] = Counter()

    async def open(self, path: Path, options: SheetOptions | None = None) -> SheetInfo:
        """Copy the sheet privately, detect, read its header. Raises OperatorError."""
        async with self._copying:
            read = partial(self._sheets.open, path, self._copies, options or SheetOptions())
            info = await self._spare.open(path, read)
            self._readers[info.copy] += 1
        return info

    async def pasted(self, text: str, html: str, name: str) -> Path:
        """The clipboard's cells as a sheet of ours called ``name``, to be opened next. Raises
        OperatorError where there are none."""
        path = self._copies / f"{safe_name(name)}.csv"
        await asyncio.to_thread(self._sheets.write_pasted, text, html, path)
        return path

    async def forget(self, info: SheetInfo) -> None:
        """Remove the private copy once everybody who opened it said so; the operator's own file
        is not touched. A batch needs it no more once it is sealed."""
        async with self._copying:
            self._readers[info.copy] -= 1
            if self._readers[info.copy] > 0:
                return
            del self._readers[info.copy]
            await self._spare.forget(info)
            pasted = [info.path] if info.path.parent == self._copies else []
            for path in (info.copy, *pasted):
                with contextlib.suppress(OSError):  # still open somewhere: the next start sweeps it
                    await asyncio.to_thread(path.unlink, missing_ok=True)

    async def head(self, info: SheetInfo, count: int = 50) -> Sequence[tuple[int, tuple[str, ...]]]:
        """The first rows: (row_no, cells)."""
        rows = await asyncio.to_thread(
            lambda: list(itertools.islice(self._sheets.rows(info), count))
        )
        return [(row.row_no, row.cells) for row in rows]

    async def headers(self, info: SheetInfo) -> Sequence[tuple[int, tuple[str, ...]]]:
        """(row number, names) of those of the first rows that could be chosen as the header row.
        Raises OperatorError."""
        return await asyncio.to_thread(self._sheets.headers, info)

    async def preview(
        self, plan: ImportPlan, row_no: int | None = None, *, back: bool = False
    ) -> RowPreview | None:
        """The request of a row: see ``RowPreviews.of``. Raises OperatorError."""
        return await self._previews.of(plan, row_no, back=back)

    async def pre_run(
        self, plan: ImportPlan, progress: Callable[[int], None] | None = None
    ) -> PreRun:
        """Check every row; ``progress`` hears how many were. Raises OperatorError for an unusable
        mapping."""
        return await self._check.check(plan, progress)

    def unusable_rows(self, plan: ImportPlan) -> AsyncIterator[Sequence[ExportRow]]:
        """The rows that can't be used, with why, their number as the first cell. Raises
        OperatorError."""
        return self._check.unusable(plan)

    async def run(self, plan: ImportPlan, progress: Callable[[int], None] | None = None) -> int:
        """Import and seal; returns the batch id. Nothing is started. On error nothing is left.
        Raises OperatorError, also for a sheet that was changed since it was opened."""
        await self.check_unchanged(plan)
        async with reader_for(plan, *self._needed, ready=self._spare.take(plan.info)) as reader:
            return await self._import(plan, reader, progress)

    async def _import(
        self, plan: ImportPlan, reader: Reader | None, progress: Callable[[int], None] | None
    ) -> int:
        connection = await self._rows.connection(plan)
        caps = await self._rows.caps(plan)
        self._rows.usable(plan, caps)
        batch = self._batch_of(plan, budget_of(plan.budget, connection))
        check_budgets(connection, batch.budget, plan.mapping.params)
        batch_id = await self._store.begin(batch)
        packed = PackedRows(self._sheets, self._drafter, self._store.pack, plan, caps, CHUNK)
        rows = 0
        try:
            async with (
                read_packed(packed, reader) as chunks,
                contextlib.aclosing(behind(chunks, partial(self._store.add, batch_id))) as stored,
            ):
                async for chunk in stored:
                    rows += chunk.rows
                    if progress is not None:
                        progress(rows)
                    self._bus.publish(ImportProgress(batch_id, rows, plan.info.rows))
            if rows == 0:
                raise OperatorError(message("services.no_rows"))
            await self._store.seal(batch_id)
        except BaseException:
            # Shielded: a cancelled import must not leave half a batch behind.
            await asyncio.shield(self._store.discard(batch_id))
            raise
        if plan.remember_out and plan.out_dir is not None:
            self._preferences.set("out_parent", str(Path(plan.out_dir).parent))
        self._bus.publish(BatchChanged(batch_id))
        return batch_id

    async def continue_or_new(self, plan: ImportPlan, *, new: bool) -> tuple[int, bool]:
        """The verbs' rule: the same bytes, mapping, connection and output continue that batch,
        also where it took a part of the sheet alone (extended by rows past an earlier ``limit``).
        Returns (batch id, continued). Raises OperatorError where the sheet ran otherwise before:
        its rows would be paid for again."""
        found = None if new else await self.same_run(plan)
        if found is None:
            earlier = None if new else await self.lineage(plan)
            if earlier is not None and (earlier.ledger.attempts or WHOLE in earlier.batch.options):
                raise OperatorError(
                    message(
                        "services.ran_before",
                        sheet=plan.info.path.name,
                        batch=earlier.batch.id,
                        done=earlier.ledger.success,
                    )
                )
            return await self.run(plan), False
        await self.check_unchanged(plan)
        await self.extend(plan, found.id)
        return found.id, True

    def default_out_dir(self, sheet: Path) -> str:
        """The folder a new batch of this sheet would get now."""
        parent = self._preferences.get("out_parent")
        root = Path(parent) if parent else self._preferences.pictures_dir() / "Batchwright"
        stamp = datetime.fromtimestamp(self._clock.now()).astimezone().strftime("%Y-%m-%d %H-%M-%S")
        for n in itertools.count(1):
            tail = f" {stamp}" if n == 1 else f" {stamp} ({n})"
            # Only the sheet's name is cut: what tells two folders apart has to stay.
            folder = root / (safe_name(sheet.stem, STEM_BYTES - len(tail)) + tail)
            if not folder.exists():
                break
        return str(folder)

    def _out_dir_of(self, plan: ImportPlan) -> str:
        return plan.out_dir or self.default_out_dir(plan.info.path)

    def _batch_of(self, plan: ImportPlan, budget: Money | None) -> Batch:
        out_dir = self._out_dir_of(plan)
        return Batch(
            id=0,
            name=plan.info.path.stem,
            sheet_path=str(plan.info.path),
            sheet_hash=plan.info.sha256,
            fingerprint=fingerprint(plan),
            columns=plan.info.columns,
            mapping=plan.mapping,
            connection_id=plan.connection_id,
            out_dir=str(Path(out_dir).absolute()),
            created_at=self._clock.now(),
            stage=BatchStage.IMPORTING,
            lane_on_dead=plan.lane_on_dead,
            row_gate=0 if plan.gate else plan.row_gate,
            options=options_of(plan),
            max_calls=plan.max_calls,
            budget=budget,
        )
