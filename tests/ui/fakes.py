"""Services over rows in memory, so that the window is tested without a store or an engine."""

from __future__ import annotations

import asyncio
import time
from array import array
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from desktop_app.domain.batch import Batch, RunState, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.connection import Connection
from desktop_app.domain.events import BatchChanged, TasksChanged
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money
from desktop_app.domain.ports import Preview, TestReport
from desktop_app.domain.task import REQUEUEABLE, TaskState
from desktop_app.domain.text import Translator, message
from desktop_app.domain.views import (
    AccountState,
    AttemptView,
    BatchSummary,
    ConnectionView,
    DeadGroup,
    Doubts,
    EngineStatus,
    Sort,
    TaskDetail,
    TaskFilter,
    TaskRow,
)
from desktop_app.services.bundle import Services
from desktop_app.services.export_batch import Language
from desktop_app.services.failure_sheets import ReturnPlan
from desktop_app.services.mappings import Mappings
from desktop_app.services.preferences import Preferences
from desktop_app.services.support_bundle import Saved
from desktop_app.services.updates import Updates
from desktop_app.settings.mapping_shelf import MappingFiles
from tests.helpers.release_feed import FakeReleases
from tests.ui.fake_callbacks import FakeCallbacks
from tests.ui.fake_priorities import FakePriorities

PROMPTS = (
    "blue sneaker, white background, soft light, 45 degree angle",
    "红色运动鞋，纯白背景，柔和光线，电商主图",
    "green rain boot on wet cobblestones, early morning",
    "儿童凉鞋，浅蓝色，夏日沙滩，自然光",
    "red sneaker, white, studio shot, hard shadow",
)


def make_batch(batch_id: int = 1, name: str = "Spring shoes", **changes: Any) -> Batch:
    """A sealed batch."""
    batch = Batch(
        id=batch_id,
        name=name,
        sheet_path="/x/shoes.csv",
        sheet_hash="h",
        fingerprint="f",
        columns=("prompt", "sku"),
        mapping=SheetMapping(prompt_column="prompt"),
        connection_id=1,
        out_dir="/nowhere/out",
        created_at=time.time() - 600,
        run_state=RunState.RUNNING,
    )
    return replace(batch, **changes)


def make_row(pk: int, state: TaskState = TaskState.PENDING, **changes: Any) -> TaskRow:
    """A grid row."""
    row = TaskRow(
        pk=pk,
        task_id=f"id-{pk}",
        batch_id=1,
        row_no=pk + 1,
        state=state,
        prompt=PROMPTS[pk % len(PROMPTS)],
        key=f"SKU-{pk:05d}",
        attempt_no=0 if state is TaskState.PENDING else 1,
        retries_spent=0,
        retries_max=3,
        due_at=None,
        started_at=None if state is TaskState.PENDING else time.time() - 30,
        elapsed_s=None if state is TaskState.PENDING else 28.0,
        output=None,
        error_class=None,
        note=None,
        cost=None,
        cancel_requested=False,
    )
    return row._replace(**changes)


class FakeQueries:
    """Rows by pk; ``lazy`` rows are made when asked for, for a million of them."""

    def __init__(self, rows: Sequence[TaskRow] = (), lazy: int = 0) -> None:
        self.table: dict[int, TaskRow] = {row.pk: row for row in rows}
        self.lazy = lazy
        self.batch_list: list[Batch] = [make_batch()] if rows or lazy else []
        self.details: dict[int, TaskDetail] = {}
        self.reserved: tuple[Money, ...] = ()
        self.maybe_double = 0
        self.spent: tuple[Money, ...] = (Money(Decimal("1.48"), "USD"),)
        self.asked_rows = 0
        self.asked_ids = 0
        self.chunk = 20_000
        self.gate: asyncio.Event | None = None  # what all parts but the first wait for

    def _row(self, pk: int) -> TaskRow | None:
        if pk in self.table:
            return self.table[pk]
        return make_row(pk) if 0 < pk <= self.lazy else None

    async def batches(self) -> list[BatchSummary]:
        return [self._summary(batch) for batch in self.batch_list]

    async def batch(self, batch_id: int) -> BatchSummary | None:
        return next((self._summary(b) for b in self.batch_list if b.id == batch_id), None)

    def _summary(self, batch: Batch) -> BatchSummary:
        return BatchSummary(
            batch,
            self._ledger(batch.id),
            "OpenAI",
            spent=self.spent,
            reserved=self.reserved,
            maybe_double=self.maybe_double,
        )

    def _ledger(self, batch_id: int | None) -> Ledger:
        counts: dict[TaskState, int] = {}
        for row in self.table.values():
            if batch_id in (None, row.batch_id):
                counts[row.state] = counts.get(row.state, 0) + 1
        if self.lazy:
            counts[TaskState.PENDING] = self.lazy - sum(counts.values())
        return Ledger.of(counts)

    async def ledger(self, batch_id: int | None) -> Ledger:
        return self._ledger(batch_id)

    async def ids(
        self, which: TaskFilter, sort: Sort = Sort.ROW, descending: bool = False
    ) -> Sequence[int]:
        self.asked_ids += 1
        if self.lazy and not which.states and not which.text:
            whole = array("q", range(1, self.lazy + 1))
            return whole[::-1] if descending else whole
        rows = [row for row in self.table.values() if matches(which, row)]
        keys: dict[Sort, Any] = {
            Sort.ROW: lambda r: r.pk,
            Sort.STATE: lambda r: (r.state, r.pk),
            Sort.TRIES: lambda r: (r.attempt_no, r.pk),
            Sort.TIME: lambda r: (r.started_at or 0, r.pk),
            Sort.PROMPT: lambda r: (r.prompt, r.pk),
            Sort.PICTURE: lambda r: (r.output is None, r.output, r.pk),
            Sort.NOTE: lambda r: (r.note is None, r.note and r.note.dump(), r.pk),
            Sort.BATCH: lambda r: (r.batch_id, r.pk),
        }
        rows.sort(key=keys[sort], reverse=descending)
        return array("q", (row.pk for row in rows))

    async def id_chunks(
        self, which: TaskFilter, sort: Sort = Sort.ROW, descending: bool = False
    ) -> AsyncGenerator[array[int], None]:
        whole = array("q", await self.ids(which, sort, descending))
        for start in range(0, len(whole), self.chunk):
            yield whole[start : start + self.chunk]
            if self.gate is not None:
                await self.gate.wait()

    async def rows(self, pks: Sequence[int]) -> list[TaskRow]:
        self.asked_rows += len(pks)
        return [row for pk in pks if (row := self._row(pk)) is not None]

    async def detail(self, task_pk: int) -> TaskDetail | None:
        if task_pk in self.details:
            return self.details[task_pk]
        row = self._row(task_pk)
        return None if row is None else make_detail(row)

    async def several(self, which: TaskFilter) -> dict[int, int]:
        return {row.pk: 1 + len(row.more) for row in self.table.values() if row.more}

    async def count(self, which: TaskFilter) -> int:
        return len(await self.ids(which))


def matches(which: TaskFilter, row: TaskRow) -> bool:
    """The store's filter, in Python."""
    text = which.text.lower()
    return (
        which.batch_id in (None, row.batch_id)
        and (not which.states or row.state in which.states)
        and (which.error_class is None or row.error_class == which.error_class)
        and (which.pks is None or row.pk in which.pks)
        and (not text or text in row.prompt.lower() or text in str(row.row_no))
    )


def make_detail(row: TaskRow, attempts: tuple[AttemptView, ...] = (), **changes: Any) -> TaskDetail:
    """The whole of a row."""
    detail = TaskDetail(
        row=row,
        prompt=row.prompt,
        params={"size": "1024x1024"},
        cells=(("prompt", row.prompt), ("sku", row.key or "")),
        text=None,
        mime=None,
        lane=None,
        attempts=attempts,
    )
    return replace(detail, **changes)


def make_attempt(no: int = 1, outcome: str = "success", **changes: Any) -> AttemptView:
    """One attempt."""
    attempt = AttemptView(
        attempt_no=no,
        edition=1,
        started_at=time.time() - 60,
        ended_at=time.time() - 30,
        outcome=outcome,
        http_status=200,
        request_id="req_1",
        latency_s=28.0,
        error_code=None,
        said=None,
        body="",
        cost=None,
        billed="yes",
        idempotency_key="k",
    )
    return replace(attempt, **changes)


class FakeRuns:
    """Writes down what it is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.now = EngineStatus()
        self.flying = 0
        self.estimate: float | None = 30.0
        self.drained: Any = None
        self.trouble: Any = None
        self.previews: dict[int, Preview] = {}

    def preview(self, task_pk: int) -> Preview | None:
        return self.previews.get(task_pk)

    async def start(self, batch_id: int | None) -> None:
        self.calls.append(("start", batch_id))
        if self.trouble is not None:
            raise self.trouble

    async def cap(self, batch_id: int, max_calls: int | None, budget: Decimal | None) -> None:
        self.calls.append(("cap", batch_id, max_calls, budget))

    async def run_rest(self, batch_id: int) -> None:
        self.calls.append(("run_rest", batch_id))

    async def pause(self, batch_id: int | None, *, now: bool = False) -> None:
        self.calls.append(("pause", batch_id, now))

    async def cancel(self, which: TaskFilter) -> int:
        self.calls.append(("cancel", which))
        return len(which.pks or ())

    async def status(self, batch_id: int | None) -> EngineStatus:
        return self.now

    def in_flight(self) -> int:
        return self.flying

    async def finish_estimate_s(self) -> float | None:
        return self.estimate

    async def drain(self, timeout_s: float | None) -> int:
        self.calls.append(("drain", timeout_s))
        if self.drained is not None:
            await self.drained.wait()
        self.flying = 0
        return 0

    async def stay_paused(self) -> None:
        self.calls.append(("stay_paused",))

    async def look_again(self) -> None:
        self.calls.append(("look_again",))

    async def retry_account(self, connection_id: int) -> Any:
        self.calls.append(("retry_account", connection_id))
        return self.trouble


class FakeDeadLetters:
    """Requeues in the fake table."""

    def __init__(self, queries: FakeQueries, bus: Bus) -> None:
        self._queries = queries
        self._bus = bus
        self.calls: list[tuple[Any, ...]] = []

    async def groups(self, batch_id: int | None) -> list[DeadGroup]:
        found: dict[tuple[Any, ...], list[TaskRow]] = {}
        for row in self._queries.table.values():
            if row.state in (TaskState.FAILED, TaskState.DEAD, TaskState.UNCERTAIN):
                found.setdefault(
                    (row.state, row.error_class, row.note and row.note.dump()), []
                ).append(row)
        groups = [
            DeadGroup(
                state=rows[0].state,
                error_class=rows[0].error_class or "",
                code=rows[0].error_class or "",
                said=rows[0].note or message("text.plain", text=rows[0].state.word),
                advice=message("text.plain", text="Edit the prompt and requeue."),
                count=len(rows),
                sample=tuple(row.pk for row in rows[:5]),
                batch_id=1,
            )
            for rows in found.values()
        ]
        return sorted(groups, key=lambda group: -group.count)

    async def requeue(self, which: TaskFilter) -> int:
        self.calls.append(("requeue", which))
        pks = [
            row.pk
            for row in self._queries.table.values()
            if row.state in REQUEUEABLE and matches(which, row)
        ]
        for pk in pks:
            self._queries.table[pk] = self._queries.table[pk]._replace(state=TaskState.PENDING)
        self._bus.publish(TasksChanged(1, tuple(pks)))
        return len(pks)

    async def edit_and_requeue(self, task_pk: int, prompt: str) -> bool:
        self.calls.append(("edit", task_pk, prompt))
        return True

    async def doubts(self, which: TaskFilter) -> Doubts:
        rows = [row for row in self._queries.table.values() if matches(which, row)]
        return Doubts(sum(row.state is TaskState.UNCERTAIN for row in rows), unpriced=0)

    async def held(self, which: TaskFilter) -> tuple[int, ...]:
        return ()

    async def settle_attach_all(self, which: TaskFilter, folder: Path) -> int:
        self.calls.append(("attach", which, folder))
        return (await self.doubts(which)).rows

    async def settle_failed(self, task_pk: int) -> bool:
        self.calls.append(("failed", task_pk))
        return True

    async def settle_ask(self, task_pk: int) -> bool:
        self.calls.append(("ask", task_pk))
        return True

    async def settle_resend(self, task_pk: int) -> bool:
        self.calls.append(("resend", task_pk))
        return True

    async def settle_attach(self, task_pk: int, file: Path) -> bool:
        self.calls.append(("attach", task_pk, file))
        return True

    async def settle_failed_all(self, which: TaskFilter) -> int:
        self.calls.append(("failed", which))
        return (await self.doubts(which)).rows

    async def settle_ask_all(self, which: TaskFilter) -> int:
        self.calls.append(("ask", which))
        return (await self.doubts(which)).rows

    async def settle_resend_all(self, which: TaskFilter) -> int:
        self.calls.append(("resend", which))
        return (await self.doubts(which)).rows


class FakeConnections:
    """Two connections, one without a key."""

    def __init__(self) -> None:
        self.list = [
            ConnectionView(1, "OpenAI", "openai-images", "gpt-image-1", "https://api.openai.com/v1",
                           AccountState.OK, key_hint="…3f9c", in_use=True),
            ConnectionView(2, "Ark Seedream", "openai-images", "seedream-4",
                           "https://ark.cn-beijing.volces.com/api/v3", AccountState.NO_KEY),
        ]  # fmt: skip
        self.calls: list[tuple[Any, ...]] = []

    async def views(self) -> list[ConnectionView]:
        return list(self.list)

    async def get(self, connection_id: int) -> Connection | None:
        view = next((v for v in self.list if v.id == connection_id), None)
        if view is None:
            return None
        return Connection(view.name, view.adapter, view.base_url, view.model, id=view.id)

    async def look_for_keys(self) -> None:
        self.calls.append(("look_for_keys",))

    async def practice(self, *, jobs: bool = False) -> Connection:
        self.calls.append(("practice",))
        return Connection("practice", "openai-images", "http://127.0.0.1:9/v1", "practice", id=3)

    async def remove(self, connection_id: int) -> None:
        self.calls.append(("remove", connection_id))

    async def test(self, connection: Connection, secret: str | None = None) -> TestReport:
        return TestReport(True, ())

    def presets(self) -> tuple[Any, ...]:
        return ()

    def params(self, adapter: str, connection: Connection | None = None) -> tuple[Any, ...]:
        return ()

    def makes(self, adapter: str) -> str:
        return "picture"

    async def key_store_trouble(self) -> None:
        return None


class FakePreferences:
    """A dict."""

    def __init__(self, folder: Path) -> None:
        self.values: dict[str, Any] = {}
        self._folder = folder

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    def set(self, key: str, value: Any) -> None:
        self.values[key] = value

    def pictures_dir(self) -> Path:
        return self._folder

    def thumbnails_dir(self) -> Path:
        return self._folder / "thumbnails"

    def sample_sheet(self) -> Path:
        return self._folder / "sample_prompts.csv"


class FakeSupport:
    """Writes down where the support file should go."""

    def __init__(self) -> None:
        self.targets: list[Path] = []

    async def save(self, target: Path) -> Saved:
        self.targets.append(target)
        return Saved(target, (), ())


class FakeExports:
    """Writes down what it is asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []


class FakeDesktop:
    """Notes what it shows; ``works`` False: nobody shows notifications here."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str, str, str]] = []
        self.withdrawn = 0
        self.works = True
        self.click: Any = None

    def on_click(self, told: Any) -> None:
        self.click = told

    async def show(self, tag: str, title: str, body: str, action: str) -> bool:
        if self.works:
            self.shown.append((tag, title, body, action))
        return self.works

    async def withdraw(self) -> None:
        self.withdrawn += 1

    async def close(self) -> None:
        pass


class FakeImports:
    """No sheet can be opened here."""


class FakeFailureSheets:
    """Knows the sheets of ours that are named to it."""

    def __init__(self) -> None:
        self.plans: dict[Path, ReturnPlan] = {}
        self.requeued: list[tuple[ReturnPlan, bool]] = []

    async def look(self, path: Path) -> ReturnPlan | None:
        return self.plans.get(path)

    async def requeue(self, plan: ReturnPlan, *, uncertain: bool = False) -> int:
        self.requeued.append((plan, uncertain))
        return len(plan.taken(uncertain=uncertain))


class Fakes:
    """Everything together; ``services`` is what the window gets."""

    def __init__(self, folder: Path, rows: Sequence[TaskRow] = (), lazy: int = 0) -> None:
        self.bus = Bus()
        self.queries = FakeQueries(rows, lazy)
        self.runs = FakeRuns()
        self.dead_letters = FakeDeadLetters(self.queries, self.bus)
        self.connections = FakeConnections()
        self.preferences = FakePreferences(folder)
        self.exports = FakeExports()
        self.releases = FakeReleases()
        self.failure_sheets = FakeFailureSheets()
        self.imports = FakeImports()
        self.priorities = FakePriorities(self.queries.batch_list, self.bus)
        self.desktop = FakeDesktop()
        parts: dict[str, Any] = {
            "bus": self.bus,
            "imports": self.imports,
            "runs": self.runs,
            "priorities": self.priorities,
            "dead_letters": self.dead_letters,
            "exports": self.exports,
            "failure_sheets": self.failure_sheets,
            "connections": self.connections,
            "queries": self.queries,
            "preferences": self.preferences,
            "callbacks": FakeCallbacks(),
            "updates": Updates(self.releases, "1.2.3"),
            "language": Language(Translator()),
            "support": FakeSupport(),
            "desktop": self.desktop,
            "mappings": Mappings(
                MappingFiles(folder / "mappings"), cast("Preferences", self.preferences)
            ),
        }
        self.services = Services(**parts)

    def change(self, pk: int, **changes: Any) -> None:
        """Change a row and say so on the bus."""
        self.queries.table[pk] = self.queries.table[pk]._replace(**changes)
        self.bus.publish(TasksChanged(1, (pk,)))

    def add_batch(self, batch: Batch) -> None:
        """One more batch, newest first."""
        self.queries.batch_list.insert(0, batch)
        self.bus.publish(BatchChanged(batch.id))
