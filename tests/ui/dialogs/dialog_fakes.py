"""Services that answer from memory and note what they were asked, for dialogs and tabs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.domain.batch import Batch, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.connection import Connection, Limits
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money, Price, PriceUnit
from desktop_app.domain.ports import Param, Preset, SheetInfo, SheetOptions, TestReport, Updated
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, OperatorError, Translator, message
from desktop_app.domain.views import (
    AccountState,
    BatchSummary,
    ConnectionView,
    DeadGroup,
    Doubts,
    Piece,
    TaskDetail,
    TaskFilter,
    TaskRow,
)
from desktop_app.services.batch_priority import Priorities
from desktop_app.services.bundle import Services
from desktop_app.services.disk_need import DiskNeed
from desktop_app.services.export_batch import Exported, Language
from desktop_app.services.import_batch import (
    Differences,
    ImportPlan,
    PreRun,
    RowPreview,
    RowProblem,
)
from desktop_app.services.import_plan import AskedIn, Earlier
from desktop_app.services.mappings import Mappings
from desktop_app.services.practice_lines import PICTURES, PracticeLine
from desktop_app.services.preferences import Preferences
from desktop_app.services.support_bundle import SupportBundle
from desktop_app.services.trial import Pick, TrialRow
from desktop_app.services.updates import Updates
from desktop_app.settings.mapping_shelf import MappingFiles
from desktop_app.ui.answer import Answer
from desktop_app.ui.context import UiContext
from desktop_app.ui.start import make_context
from desktop_app.ui.tasks import Spawner
from tests.helpers.release_feed import FakeReleases
from tests.ui.fake_callbacks import FakeCallbacks
from tests.ui.fake_priorities import FakePriorities
from tests.ui.fakes import FakeDesktop, FakeFailureSheets

ROOT = Path(__file__).parents[3]


def plain(text: str) -> Message:
    """A Message that says just this."""
    return Message("text.plain", {"text": text})


async def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Turn both loops until ``true``; fail after ``seconds``."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        QApplication.processEvents()
        await asyncio.sleep(0.002)


async def settle() -> None:
    """Let everything that is ready run."""
    for _ in range(8):
        QApplication.processEvents()
        await asyncio.sleep(0)


PAID = Connection(
    id=7,
    name="OpenAI",
    adapter="openai-images",
    base_url="https://api.openai.com/v1",
    model="gpt-image-1.5",
    preset="openai",
    limits=Limits(concurrency=10, rate=50),
    price=Price(Decimal("0.04"), PriceUnit.IMAGE, "USD"),
)
PRACTICE = Connection(
    id=1,
    name="Practice server",
    adapter="openai-images",
    base_url="http://127.0.0.1:9999/v1",
    model="practice-picture",
    preset="practice",
    price=Price(Decimal(0), PriceUnit.IMAGE, "USD"),
)
PRESETS = (
    Preset(
        "openai",
        "OpenAI",
        "openai-images",
        "https://api.openai.com/v1",
        ("gpt-image-1.5", "gpt-image-1-mini"),
        "https://platform.openai.com/settings",
        True,
        "ipm",
        "image",
        "USD",
    ),
    Preset(
        "ark",
        "Volcengine Ark Seedream",
        "openai-images",
        "https://ark.cn-beijing.volces.com/api/v3",
        ("doubao-seedream-4-5-251128",),
        "https://console.volcengine.com/ark",
        True,
        "ipm",
        "image",
        "CNY",
        extra={"watermark": False},
    ),
    Preset(
        "ollama",
        "Ollama",
        "openai-chat",
        "http://localhost:11434/v1",
        ("qwen3:8b",),
        "",
        False,
        "rpm",
        "1k-tokens",
        "USD",
        1,
    ),
)
PARAMS = (
    Param("size", "choice", ("1024x1024", "1536x1024", "1024x1536", "auto"), "Size"),
    Param("quality", "choice", ("low", "medium", "high"), "Quality"),
    Param("background", "choice", ("transparent", "opaque"), "Background"),
)
COLUMNS = ("prompt", "size", "sku", "customer", "note")
TITLE = ("Autumn list 2026",)


def info(rows: int = 200, **more: Any) -> SheetInfo:
    """A sheet as it was opened."""
    return SheetInfo(
        path=Path("/sheets/spring shoes.csv"),
        copy=Path("/copies/1"),
        sha256="ab" * 32,
        columns=COLUMNS,
        rows=rows,
        encoding="gb18030",
        delimiter=",",
        worksheet=None,
        guess={"prompt": "prompt", "key": "sku", "size": "size"},
        **more,
    )


def summary(batch_id: int = 5, **counts: int) -> BatchSummary:
    """A batch with these rows."""
    batch = Batch(
        id=batch_id,
        name="spring shoes",
        sheet_path="/sheets/spring shoes.csv",
        sheet_hash="ab" * 32,
        fingerprint="f",
        columns=COLUMNS,
        mapping=SheetMapping(prompt_column="prompt"),
        connection_id=7,
        out_dir="/out/spring shoes",
        created_at=1_796_000_000.0,
    )
    return BatchSummary(batch, Ledger(**counts), "OpenAI")


def task(pk: int, state: TaskState = TaskState.FAILED, **more: Any) -> TaskRow:
    """A grid row."""
    row = TaskRow(
        pk=pk,
        task_id=f"t{pk}",
        batch_id=5,
        row_no=pk + 1,
        state=state,
        prompt=f"红色运动鞋 red sneaker {pk}, white background, studio light",
        key=None,
        attempt_no=2,
        retries_spent=1,
        retries_max=3,
        due_at=None,
        started_at=None,
        elapsed_s=3.0,
        output=None,
        error_class="refused",
        note=plain("The provider refused this prompt: sexual content."),
        cost=None,
        cancel_requested=False,
    )
    return row._replace(**more)


def tried_row(number: int) -> TrialRow:
    """A row of a trial."""
    return TrialRow(number, f"红色运动鞋, white background {number}")


@dataclass
class FakeImports:
    """One sheet. ``paid`` decides the check; ``gate`` holds ``run`` until it is set; ``titled``:
    its columns are named in row 3; ``hides``: hidden rows."""

    rows: int = 200
    bad: int = 3
    paid: bool = True
    earlier: tuple[BatchSummary, ...] = ()
    lineage: BatchSummary | None = None
    asked: tuple[AskedIn, ...] = ()
    differs: Differences = field(default_factory=Differences)
    updated: list[tuple[int, Collection[int], bool]] = field(default_factory=list)
    open_error: Message | None = None
    check_error: Message | None = None
    run_error: Message | None = None
    gate: asyncio.Event | None = None
    opened: list[SheetOptions | None] = field(default_factory=list)
    checks: list[ImportPlan] = field(default_factory=list)
    check_gates: list[asyncio.Event] = field(default_factory=list)
    progress: list[Callable[[int], None] | None] = field(default_factory=list)
    choices: list[Earlier] = field(default_factory=list)
    unwanted: int = 0
    duplicates: int = 0
    gaps: int = 0
    dead: dict[str, Message] = field(default_factory=dict)
    address_doubts: tuple[Message, ...] = ()
    free: int = 80_000_000_000
    trial_problem: Message | None = None
    runs: list[ImportPlan] = field(default_factory=list)
    discarded: int = 0
    forgotten: list[Path] = field(default_factory=list)
    titled: bool = False
    hides: int = 0

    async def forget(self, sheet: SheetInfo) -> None:
        self.forgotten.append(sheet.copy)

    async def open(self, path: Path, options: SheetOptions | None = None) -> SheetInfo:
        self.opened.append(options)
        if self.open_error:
            raise OperatorError(self.open_error)
        read = replace(info(self.rows), path=path, header=True)
        row = options.header_row if options else None
        if self.hides and not (options and options.hidden):
            left = message("ingest.hidden_left", count=self.hides)
            return replace(read, hidden_rows=self.hides, warnings=(left,))
        if not self.titled:
            return replace(read, hidden_rows=self.hides, with_hidden=bool(self.hides))
        if row == 3:
            return replace(
                read, header_row=3, warnings=(message("ingest.rows_above", row=3, count=1),)
            )
        below = message("ingest.header_below", row=3, columns=", ".join(COLUMNS))
        return replace(read, columns=TITLE, guess={}, warnings=(below,))

    async def headers(self, sheet: SheetInfo) -> Sequence[tuple[int, tuple[str, ...]]]:
        return [(1, TITLE), (3, COLUMNS)] if self.titled else [(1, COLUMNS)]

    async def head(
        self, sheet: SheetInfo, count: int = 50
    ) -> Sequence[tuple[int, tuple[str, ...]]]:
        return [
            (
                n,
                (
                    f"红色运动鞋, white background {n}",
                    "1024x1024",
                    f"SKU-{n:04}",
                    f"客户{n % 9}",
                    "",
                ),
            )
            for n in range(2, 2 + min(count, self.rows))
        ]

    async def preview(
        self, plan: ImportPlan, row_no: int | None = None, *, back: bool = False
    ) -> RowPreview | None:
        index = min(max(row_no or 2, 2), self.rows + 1) - 2
        prompt = f"红色运动鞋 red sneaker, white background, studio light, row {index + 2}"
        body = {
            "model": "gpt-image-1.5",
            "prompt": prompt,
            "size": "1024x1024",
            "n": 1,
            "output_format": "png",
            "background": "opaque",
        }
        return RowPreview(index + 2, prompt, body, f"{index + 2:04}_SKU-{index + 2:04}", None)

    async def pre_run(
        self, plan: ImportPlan, progress: Callable[[int], None] | None = None
    ) -> PreRun:
        self.checks.append(plan)
        self.progress.append(progress)
        if self.check_gates:
            try:
                await self.check_gates.pop(0).wait()
            except asyncio.CancelledError:
                self.unwanted += 1
                raise
        if self.check_error:
            raise OperatorError(self.check_error)
        doubles = self.duplicates if plan.skip_duplicates else 0
        rows = self.rows - doubles if plan.only_rows is None else len(plan.only_rows)
        bad = self.bad if plan.only_rows is None else 0
        numbers = sorted(plan.only_rows) if plan.only_rows is not None else [*range(2, self.rows)]
        tried = numbers[: plan.trial.count]
        if plan.trial.pick is Pick.RANDOM:
            tried = numbers[plan.trial.seed % 7 :: 11][: plan.trial.count]
        elif plan.trial.pick is Pick.CHOSEN:
            tried = sorted(plan.trial.rows)
        return PreRun(
            rows=rows,
            bad_rows=bad,
            problems=tuple(
                RowProblem(n, plain("The prompt is empty.")) for n in range(17, 17 + bad)
            ),
            out_dir=plan.out_dir or self.default_out_dir(plan.info.path),
            paid=self.paid,
            cost=plain("About 7.88 USD") if self.paid else plain("Free"),
            duration=plain("About 12 min at these limits"),
            earlier=self.earlier,
            lineage=self.lineage,
            asked=self.asked if plan.only_rows is None else (),
            differs=self.differs,
            duplicates=self.duplicates,
            duplicate_rows=tuple(range(30, 30 + self.duplicates)),
            skips_duplicates=plan.skip_duplicates,
            calls=rows - bad,
            disk=DiskNeed(self.free, 2_000_000 * (rows - bad), 2_000_000, measured=False),
            trial=tuple(tried_row(n) for n in tried) if len(tried) < rows - bad else (),
            trial_problem=self.trial_problem,
            sample=tuple(tried_row(n) for n in numbers[:100]),
            gaps=self.gaps,
            gap_rows=tuple(range(8, 8 + self.gaps)),
            gap_columns=("style",) if self.gaps else (),
            dead=self.dead,
            address_doubts=self.address_doubts,
        )

    async def run(self, plan: ImportPlan, progress: Callable[[int], None] | None = None) -> int:
        self.runs.append(plan)
        if self.run_error:
            raise OperatorError(self.run_error)
        if progress:
            progress(120)
        try:
            if self.gate:
                await self.gate.wait()
        except asyncio.CancelledError:
            self.discarded += 1
            raise
        return 42

    async def update(
        self,
        plan: ImportPlan,
        batch_id: int,
        *,
        again: Collection[int] = (),
        cancel_gone: bool = False,
    ) -> Updated:
        self.updated.append((batch_id, again, cancel_gone))
        return Updated(replaced=self.differs.changed, new=self.differs.new)

    async def rows_for(self, plan: ImportPlan, choice: Earlier) -> frozenset[int] | None:
        self.choices.append(choice)
        return {
            Earlier.SKIP: frozenset({9, 20, 31, 44}),
            Earlier.FAILED: frozenset({9, 20}),
        }.get(choice)

    def unusable_rows(self, plan: ImportPlan) -> ImportPlan:
        return plan

    def default_out_dir(self, sheet: Path) -> str:
        return f"/home/li/Pictures/Batchwright/{sheet.stem} 2026-11-30 14-02-11"


@dataclass
class FakeRuns:
    """The levers, noted."""

    flying: int = 8
    started: list[int | None] = field(default_factory=list)
    cancelled: list[TaskFilter] = field(default_factory=list)
    start_error: Message | None = None
    caps: list[tuple[int, int | None, Decimal | None]] = field(default_factory=list)

    async def cap(self, batch_id: int, max_calls: int | None, budget: Decimal | None) -> None:
        self.caps.append((batch_id, max_calls, budget))

    async def start(self, batch_id: int | None) -> None:
        self.started.append(batch_id)
        if self.start_error:
            raise OperatorError(self.start_error)

    async def cancel(self, which: TaskFilter) -> int:
        self.cancelled.append(which)
        return 40

    def in_flight(self) -> int:
        return self.flying


@dataclass
class FakeConnections:
    """Two connections and the practice server."""

    stored: dict[int, Connection] = field(default_factory=lambda: {7: PAID})
    states: dict[int, AccountState] = field(default_factory=dict)
    trouble: Message | None = None
    report: TestReport = field(
        default_factory=lambda: TestReport(
            True,
            (plain("The key works."), Message("providers.test_latency", {"ms": 400})),
            0.4,
            ("gpt-image-2",),
        )
    )
    saved: list[tuple[Connection, str | None]] = field(default_factory=list)
    tested: list[tuple[Connection, str | None]] = field(default_factory=list)
    save_error: Message | None = None

    async def views(self) -> list[ConnectionView]:
        return [
            ConnectionView(
                c.id, c.name, c.adapter, c.model, c.base_url, self.states.get(c.id, AccountState.OK)
            )
            for c in self.stored.values()
        ]

    async def get(self, connection_id: int) -> Connection | None:
        return self.stored.get(connection_id)

    async def practice(self, line: PracticeLine = PICTURES) -> Connection:
        if line is PICTURES:
            return PRACTICE
        return replace(PRACTICE, id=7, adapter=line.adapter, preset=line.preset)

    async def save(self, connection: Connection, secret: str | None = None) -> Connection:
        if self.save_error:
            raise OperatorError(self.save_error)
        self.saved.append((connection, secret))
        made = connection if connection.id else replace(connection, id=11)
        self.stored[made.id] = made
        return made

    async def test(self, connection: Connection, secret: str | None = None) -> TestReport:
        self.tested.append((connection, secret))
        return self.report

    def presets(self) -> tuple[Preset, ...]:
        return PRESETS

    def params(self, adapter: str, connection: Connection | None = None) -> tuple[Param, ...]:
        return PARAMS

    def makes(self, adapter: str) -> str:
        return "picture" if adapter == "openai-images" else "text"

    async def key_store_trouble(self) -> Message | None:
        return self.trouble


@dataclass
class FakeQueries:
    """Tasks by pk."""

    tasks: dict[int, TaskRow] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    more: dict[int, tuple[Piece, ...]] = field(default_factory=dict)
    asked: list[Sequence[int]] = field(default_factory=list)
    total: Ledger = field(default_factory=lambda: Ledger(pending=40, running=8, success=152))
    batches_by_id: dict[int, BatchSummary] = field(default_factory=dict)

    def _matching(self, which: TaskFilter) -> list[int]:
        return [
            pk
            for pk, row in self.tasks.items()
            if (not which.states or row.state in which.states)
            and (which.error_class is None or row.error_class == which.error_class)
            and (which.pks is None or pk in which.pks)
        ]

    async def ids(self, which: TaskFilter, *_: Any) -> Sequence[int]:
        return self._matching(which)

    async def several(self, which: TaskFilter) -> dict[int, int]:
        rows = [self.tasks[pk] for pk in self._matching(which)]
        return {row.pk: 1 + len(row.more) for row in rows if row.more}

    async def count(self, which: TaskFilter) -> int:
        return len(self._matching(which))

    async def rows(self, pks: Sequence[int]) -> list[TaskRow]:
        self.asked.append(pks)
        return [self.tasks[pk] for pk in pks if pk in self.tasks]

    async def detail(self, task_pk: int) -> TaskDetail | None:
        row = self.tasks.get(task_pk)
        if row is None:
            return None
        return TaskDetail(
            row,
            row.prompt,
            {},
            (),
            self.texts.get(task_pk),
            None,
            None,
            (),
            more=self.more.get(task_pk, ()),
        )

    async def ledger(self, batch_id: int | None) -> Ledger:
        return self.total

    async def batch(self, batch_id: int) -> BatchSummary | None:
        return self.batches_by_id.get(batch_id)


@dataclass
class FakeLetters:
    """Dead letters, noted."""

    shown: list[DeadGroup] = field(default_factory=list)
    requeued: list[TaskFilter] = field(default_factory=list)
    edited: list[tuple[int, str]] = field(default_factory=list)
    settled: list[tuple[Any, ...]] = field(default_factory=list)
    can_ask: bool = False
    agrees: bool = True
    attach_error: Message | None = None
    standing: tuple[int, ...] = ()
    found: int = 4
    attached: int = 0

    async def held(self, which: TaskFilter) -> tuple[int, ...]:
        return self.standing

    async def settle_attach_all(self, which: TaskFilter, folder: Path) -> int:
        if self.attach_error:
            raise OperatorError(self.attach_error)
        self.settled.append(("attach", which, folder))
        self.attached += self.found
        return self.found

    async def groups(self, batch_id: int | None) -> list[DeadGroup]:
        return list(self.shown)

    async def requeue(self, which: TaskFilter) -> int:
        self.requeued.append(which)
        return 41

    async def edit_and_requeue(self, task_pk: int, prompt: str) -> bool:
        self.edited.append((task_pk, prompt))
        return self.agrees

    async def settle_failed(self, task_pk: int) -> bool:
        self.settled.append(("failed", task_pk))
        return self.agrees

    async def settle_resend(self, task_pk: int) -> bool:
        self.settled.append(("resend", task_pk))
        return self.agrees

    async def settle_attach(self, task_pk: int, file: Path) -> bool:
        if self.attach_error:
            raise OperatorError(self.attach_error)
        self.settled.append(("attach", task_pk, file))
        return self.agrees

    async def doubts(self, which: TaskFilter) -> Doubts:
        pks = (which.pks or (1, 2, 3, 4))[self.attached :]
        total = Money(Decimal("0.05") * len(pks), "USD")
        return Doubts(len(pks), pks if self.can_ask else (), (total,), stem="0002-mug")

    async def settle_ask_all(self, which: TaskFilter) -> int:
        self.settled.append(("ask", which))
        return 4

    async def settle_resend_all(self, which: TaskFilter) -> int:
        self.settled.append(("resend", which))
        return 4

    async def settle_failed_all(self, which: TaskFilter) -> int:
        self.settled.append(("failed", which))
        return 4

    async def settle_ask(self, task_pk: int) -> bool:
        self.settled.append(("ask", task_pk))
        return self.agrees


@dataclass
class FakeExports:
    """Exports, noted."""

    written: list[tuple[str, int, Path]] = field(default_factory=list)

    async def results(self, batch_id: int, target: Path, *, thumbnails: bool = False) -> Exported:
        self.written.append(("thumbnails" if thumbnails else "results", batch_id, target))
        return Exported(target, 200, False)

    async def unusable(self, columns: tuple[str, ...], rows: ImportPlan, target: Path) -> Exported:
        self.written.append(("unusable", rows.connection_id, target))
        return Exported(target, 3, False)

    async def failures(self, batch_id: int, target: Path) -> Exported:
        self.written.append(("failures", batch_id, target))
        return Exported(target, 12, False)


@dataclass
class FakePreferences:
    """Values by key."""

    folder: Path
    values: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    def set(self, key: str, value: Any) -> None:
        self.values[key] = value

    def pictures_dir(self) -> Path:
        return self.folder / "Pictures"

    def thumbnails_dir(self) -> Path:
        return self.folder / "thumbs"


@dataclass
class Desk:
    """A context on fakes, and the fakes by name. ``errors`` and ``answers`` hold what
    the banner would say."""

    context: UiContext
    spawner: Spawner
    window: QWidget
    imports: FakeImports
    runs: FakeRuns
    letters: FakeLetters
    exports: FakeExports
    connections: FakeConnections
    queries: FakeQueries
    preferences: FakePreferences
    failure_sheets: FakeFailureSheets
    callbacks: FakeCallbacks
    priorities: FakePriorities
    errors: list[Message] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)


def make_desk(folder: Path, language: str = "en", locale_dir: Path | None = None) -> Desk:
    """A desk; needs a QApplication."""
    parts: dict[str, Any] = {
        "imports": FakeImports(),
        "runs": FakeRuns(),
        "letters": FakeLetters(),
        "exports": FakeExports(),
        "failure_sheets": FakeFailureSheets(),
        "connections": FakeConnections(),
        "queries": FakeQueries(),
        "preferences": FakePreferences(folder),
        "callbacks": FakeCallbacks(),
    }
    bus = Bus()
    parts["priorities"] = FakePriorities([], bus)
    services = Services(
        bus=bus,
        priorities=cast(Priorities, parts["priorities"]),
        imports=parts["imports"],
        runs=parts["runs"],
        dead_letters=parts["letters"],
        exports=parts["exports"],
        failure_sheets=parts["failure_sheets"],
        connections=parts["connections"],
        queries=parts["queries"],
        preferences=parts["preferences"],
        callbacks=parts["callbacks"],
        updates=Updates(FakeReleases(), "1.2.3"),
        language=Language(Translator()),
        support=cast(SupportBundle, None),
        desktop=FakeDesktop(),
        mappings=Mappings(
            MappingFiles(folder / "mappings"), cast(Preferences, parts["preferences"])
        ),
    )
    context = make_context(services, language, locale_dir, ROOT / "resources")
    spawner = cast(Spawner, context.spawn)

    def spawn(work: Coroutine[Any, Any, Any]) -> None:
        # pytest-qt lets Qt paint once more after the test's loop has stopped.
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            work.close()
        else:
            spawner(work)

    context.spawn = spawn
    desk = Desk(spawner=spawner, context=context, window=QWidget(), **parts)
    context.signals.trouble.connect(lambda said: desk.errors.append(cast(Message, said)))
    context.signals.answered.connect(lambda said: desk.answers.append(cast(Answer, said)))
    context.open_path = lambda path: desk.opened.append(str(path))
    context.reveal_path = lambda path: desk.opened.append(f"reveal {path}")
    return desk
