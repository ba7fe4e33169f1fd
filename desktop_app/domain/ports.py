"""Where the rooms meet: each names here what it needs from the others, and knows nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from desktop_app.domain.attempt import Claim, Completion, Kept, Mark, Orphan
from desktop_app.domain.batch import Batch, RunState, SheetMapping
from desktop_app.domain.connection import Connection
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.text import Message
from desktop_app.domain.views import (
    Banner,
    BatchSummary,
    DeadGroup,
    Sort,
    TaskDetail,
    TaskFilter,
    TaskRow,
)

# --- providers -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter an adapter understands: its name, type and the values a form may offer."""

    name: str
    kind: str  # "text", "int", "float", "choice", "bool"
    choices: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an adapter can do; the engine decides from this, never from the adapter's name.

    ``idempotent_s``: how long the provider honours an idempotency key, None where it doesn't.
    ``makes``: ``picture`` or ``text``. ``default_timeout_s``: the hard read deadline.
    """

    makes: str
    default_timeout_s: float
    idempotent_s: float | None = None
    askable: bool = False
    cancel: bool = False
    jobs: bool = False
    params: tuple[Param, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """A result as it came: raw bytes, already base64-decoded; ``mime`` as claimed or sniffed."""

    data: bytes
    mime: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RateNews:
    """What an answer's headers said about limits; None where they said nothing."""

    limit_requests: float | None = None
    remaining_requests: float | None = None
    reset_requests_s: float | None = None
    window_s: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A positive answer: at least one Content that is not empty.

    ``usage`` holds the provider's own figures (``total_tokens`` ...); ``flags`` e.g. ``length``.
    """

    contents: tuple[Content, ...]
    http_status: int = 200
    request_id: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    news: RateNews = field(default_factory=RateNews)
    billed_images: int = 1
    tokens: int | None = None


@dataclass(slots=True)
class Call:
    """One attempt on its way through an adapter.

    ``on_begin`` is called synchronously at the very moment the first byte of the request is about
    to leave (after connect and TLS); from then on the request has begun. ``begun`` tells so.
    """

    request: Request
    idempotency_key: str
    timeout_s: float
    on_begin: Callable[[], None] = lambda: None
    begun: bool = False
    on_receive: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Mark the request as begun, once."""
        if not self.begun:
            self.begun = True
            self.on_begin()

    def received(self) -> None:
        """A whole answer is in and is decoded next: if that kills the program, this row did it."""
        self.on_receive()


@dataclass(frozen=True, slots=True)
class TestReport:
    """What the cheapest call found. ``said`` are sentences in order; ``ok`` is the verdict."""

    ok: bool
    said: tuple[Message, ...]
    latency_s: float | None = None
    models: tuple[str, ...] = ()


class Adapter(Protocol):
    """One provider's wire language. Raises ProviderFailure for everything but success."""

    capabilities: Capabilities

    async def submit(self, call: Call) -> Answer: ...
    async def test(self) -> TestReport: ...
    def body_preview(self, request: Request) -> Mapping[str, Any]: ...
    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Preset:
    """A known provider: fills the connection dialog. ``note`` is a wording code or empty."""

    id: str
    label: str
    adapter: str
    base_url: str
    models: tuple[str, ...]
    console_url: str = ""
    needs_key: bool = True
    limits_unit: str = "rpm"
    price_unit: str = "image"
    currency: str = "USD"
    concurrency: int = 4
    params: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


class Adapters(Protocol):
    """The registry of adapters, found by entry point."""

    def names(self) -> tuple[str, ...]: ...
    def capabilities(self, adapter: str) -> Capabilities: ...
    def presets(self) -> tuple[Preset, ...]: ...
    def open(self, connection: Connection, secret: str | None) -> Adapter: ...


# --- store -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FinishResult:
    """``applied`` False: the task had moved on, the attempt is history only.
    ``cancel_requested`` is the task's flag as found."""

    applied: bool
    state: TaskState
    cancel_requested: bool = False


class EngineStore(Protocol):
    """What the engine needs. Every method commits before it returns; every method is shielded:
    a cancelled caller's operation still completes."""

    async def claim(self, batch_id: int, limit: int, now: float) -> list[Claim]: ...
    async def finish(self, completion: Completion) -> FinishResult: ...
    async def orphans(self) -> list[Orphan]: ...
    async def cancel_requested(self, task_pk: int) -> bool: ...
    async def next_due(self, batch_ids: Sequence[int]) -> float | None: ...
    async def spread_due(self, now: float) -> None: ...
    async def running_batches(self) -> list[Batch]: ...
    async def batch(self, batch_id: int) -> Batch | None: ...
    async def ledger(self, batch_id: int | None) -> Ledger: ...
    async def set_run_state(
        self, batch_id: int, state: RunState, reason: Message | None = None
    ) -> None: ...
    async def open_gate(self, batch_id: int) -> None: ...
    async def set_max_calls(self, batch_id: int, most: int | None) -> None: ...
    async def set_budget(self, batch_id: int, budget: Money | None) -> None: ...
    async def over_budget(self, batch_id: int, now: float) -> Message | None:
        """Why the next row may not be claimed for the money's sake, or None."""
        ...

    async def pause_all_unfinished(self, reason: Message) -> list[int]: ...
    async def account_pause(self, account: str) -> Message | None: ...
    async def set_account_pause(self, account: str, reason: Message | None) -> None: ...
    async def fail_pending(self, task_pk: int, completion_note: Message, code: str) -> bool: ...
    def note(self, mark: Mark, pk: int) -> None:
        """Record a mark of an attempt (or a task), at once and without waiting."""
        ...

    def suspects(self) -> frozenset[int]:
        """Tasks marked SUSPECT and not CLEARED since."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A request from another process: ``verb`` in pause, resume, cancel, requeue, settle,
    connection (it changed: look at it again)."""

    id: int
    verb: str
    args: Mapping[str, Any]


class CommandStore(Protocol):
    """The command table."""

    async def post(self, verb: str, args: Mapping[str, Any]) -> int: ...
    async def take(self) -> list[Command]: ...
    async def answer(self, command_id: int, result: Mapping[str, Any]) -> None: ...
    async def result(self, command_id: int) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A row of a batch as it was imported; ``digest`` identifies its request."""

    pk: int
    row_no: int
    key: str | None
    edition: int
    digest: str


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that a newer sheet says otherwise; ``draft`` has a request."""

    known: KnownRow
    draft: Draft


@dataclass(frozen=True, slots=True)
class Updated:
    """What became of changed rows: ``replaced`` had not been sent, ``later`` wait for the edition
    that is running, ``again`` run once more, ``moved_on`` were changed elsewhere meanwhile;
    ``new`` were added."""

    replaced: int = 0
    later: int = 0
    again: int = 0
    moved_on: int = 0
    new: int = 0


class ImportStore(Protocol):
    """Import in chunks, sealed by one commit; ``discard`` removes a half-made batch."""

    async def begin(self, batch: Batch) -> int: ...
    async def add(self, batch_id: int, drafts: Sequence[Draft]) -> None: ...
    async def seal(self, batch_id: int) -> None: ...
    async def discard(self, batch_id: int) -> None: ...
    async def discard_unsealed(self) -> int: ...
    async def extend(self, batch_id: int, drafts: Iterable[Draft]) -> int: ...
    async def find_runs(self, sheet_hash: str) -> list[BatchSummary]: ...
    async def find_fingerprint(self, fingerprint: str) -> Batch | None: ...
    async def find_lineage(
        self, sheet_path: str, connection_id: int, key_column: str | None
    ) -> Batch | None:
        """The newest batch of the same sheet (by path, else by file name), connection and key."""
        ...

    async def known_rows(self, batch_id: int) -> list[KnownRow]: ...
    async def update(self, batch: Batch, changes: Sequence[RowChange], now: float) -> Updated:
        """Supersede these rows, and file the batch under ``batch.sheet_hash`` and
        ``batch.fingerprint`` from now on."""
        ...

    async def done_rows(self, batch_id: int) -> Mapping[int, tuple[str, TaskState]]:
        """Of a batch: row_no -> (hash of the row's request, state)."""
        ...


class TaskActions(Protocol):
    """What a person does to tasks. Each returns how many tasks it changed."""

    async def requeue(self, which: TaskFilter, now: float) -> int: ...
    async def edit_and_requeue(self, task_pk: int, prompt: str, now: float) -> bool: ...
    async def cancel(self, which: TaskFilter, now: float) -> int: ...
    async def settle_failed(self, task_pk: int, note: Message, now: float) -> bool: ...
    async def settle_resend(self, task_pk: int, now: float) -> bool: ...
    async def settle_attach(self, task_pk: int, kept: Kept, now: float) -> bool: ...


class Pages(Protocol):
    """Reads, on the read-only connection, off the caller's thread."""

    async def batches(self) -> list[BatchSummary]: ...
    async def batch_summary(self, batch_id: int) -> BatchSummary | None: ...
    async def ledger(self, batch_id: int | None) -> Ledger: ...
    async def ids(self, which: TaskFilter, sort: Sort, descending: bool) -> Sequence[int]:
        """Every matching pk in order (``array('q')``), by keyset chunks, never OFFSET."""
        ...

    async def rows(self, pks: Sequence[int]) -> list[TaskRow]: ...
    async def count(self, which: TaskFilter) -> int: ...
    async def detail(self, task_pk: int) -> TaskDetail | None: ...
    async def dead_groups(self, batch_id: int | None) -> list[DeadGroup]: ...
    async def pk_of(self, task_id: str) -> int | None: ...
    def export_rows(self, which: TaskFilter) -> AsyncIterator[Sequence[ExportRow]]: ...
    async def unfinished_newest(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One row of a result or failure sheet. ``cells`` are the sheet's own, in column order."""

    row_no: int
    cells: tuple[str, ...]
    state: TaskState
    output: str | None  # absolute path
    text: str | None
    error_class: str | None
    error: Message | None
    attempts: int
    cost: str | None
    started_at: float | None
    ended_at: float | None
    task_id: str
    request_id: str | None


class ConnectionStore(Protocol):
    """Connections without their secrets."""

    async def all(self) -> list[Connection]: ...
    async def get(self, connection_id: int) -> Connection | None: ...
    async def by_name(self, name: str) -> Connection | None: ...
    async def save(self, connection: Connection) -> Connection: ...
    async def remove(self, connection_id: int) -> bool: ...
    async def in_use(self, connection_id: int) -> bool: ...


# --- ingest ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SheetOptions:
    """How to read a file; None means: find out."""

    encoding: str | None = None
    delimiter: str | None = None
    worksheet: str | None = None


@dataclass(frozen=True, slots=True)
class SheetInfo:
    """A sheet opened from its private copy.

    ``columns`` are unique header names in order; ``rows`` counts data rows, None if not counted;
    ``encoding``/``delimiter``/``worksheet`` as used; ``guess`` proposes columns
    (keys ``prompt``, ``key``, ``lane``, and any parameter name).
    """

    path: Path  # the file the operator chose
    copy: Path  # the private copy that is read
    sha256: str
    columns: tuple[str, ...]
    rows: int | None
    encoding: str | None
    delimiter: str | None
    worksheet: str | None
    worksheets: tuple[str, ...] = ()
    guess: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class SheetRow:
    """``row_no`` as Excel shows it. ``problem`` is set for a row that can't be read as it is."""

    row_no: int
    cells: tuple[str, ...]
    problem: Message | None = None


class Sheets(Protocol):
    """Files to rows. All blocking; callers use a worker thread. Raises OperatorError."""

    def open(self, path: Path, copy_dir: Path, options: SheetOptions) -> SheetInfo: ...
    def rows(self, info: SheetInfo) -> Iterable[SheetRow]: ...


class Drafter(Protocol):
    """Rows to drafts under a mapping; pure. Raises OperatorError for an unusable mapping."""

    def check(
        self, info: SheetInfo, mapping: SheetMapping, caps: Capabilities | None = None
    ) -> None: ...
    def draft(
        self, info: SheetInfo, mapping: SheetMapping, caps: Capabilities, row: SheetRow
    ) -> Draft: ...


# --- exports ---------------------------------------------------------------------------------


class ResultFiles(Protocol):
    """Results onto the disk: temp file, fsync, verify, rename without replacing, fsync folder."""

    async def check_folder(self, out_dir: str) -> None:
        """Raise LocalTrouble when the folder is gone, read-only or nearly full."""
        ...

    async def stage(self, claim: Claim, content: Content) -> None:
        """As soon as an answer is in: put it where ``find`` sees it even if this program is killed
        at once. Quick: neither verified nor fsynced. Raises LocalTrouble."""
        ...

    async def keep(self, claim: Claim, content: Content, flags: tuple[str, ...] = ()) -> Kept:
        """Write and verify. Raises BadResult (not a picture) or LocalTrouble (disk)."""
        ...

    async def find(self, claim: Claim) -> Kept | None:
        """After a crash: the verified file this very attempt left, or None."""
        ...

    async def settled(self, claim: Claim) -> None:
        """After the commit: drop what ``keep`` left for recovery."""
        ...

    async def sweep(self, out_dir: str) -> int:
        """Once no orphan needs ``find`` any more: drop what a crash left there. Returns how many
        files went. Raises LocalTrouble."""
        ...

    async def attach(self, out_dir: str, stem: str, source: Path, makes: str | None = None) -> Kept:
        """Copy in a file a person found; verified like any other. ``makes`` is the kind it must
        be (``picture``, ``text``); None takes either."""
        ...


class SheetWriter(Protocol):
    """Writes result and failure sheets; streams."""

    async def write(
        self,
        target: Path,
        columns: tuple[str, ...],
        rows: AsyncIterator[Sequence[ExportRow]],
        say: Callable[[Message], str],
    ) -> tuple[Path, int]:
        """Returns the path really written (a locked target becomes ``name-2``) and the rows."""
        ...


# --- settings --------------------------------------------------------------------------------


class Secrets(Protocol):
    """Keys, in the OS keyring and nowhere else. Every call runs in a worker with a time-out."""

    async def get(self, connection: str) -> str | None: ...
    async def set(self, connection: str, secret: str) -> bool:
        """Store; False means: no password store here, kept until the program closes."""
        ...

    async def delete(self, connection: str) -> None: ...
    async def available(self) -> Message | None:
        """None when keys can be stored; else the sentence that says why not."""
        ...


class KeepAwake(Protocol):
    """Keeps the computer from sleeping while in use."""

    def hold(self) -> None: ...
    def release(self) -> None: ...


# --- engine ----------------------------------------------------------------------------------


class EngineControl(Protocol):
    """What services ask of the engine. Everything is safe to call at any time on its loop."""

    async def start(self) -> None: ...
    async def resume(self, batch_id: int) -> None: ...
    async def pause(
        self, batch_id: int, *, now: bool = False, reason: Message | None = None
    ) -> None: ...
    async def cancel(self, which: TaskFilter) -> int: ...
    async def drain(self, timeout_s: float | None) -> int:
        """Stop claiming, wait for what is in flight; returns how many are still on the wire."""
        ...

    async def stop(self) -> None:
        """End at once; what is on the wire stays RUNNING in the store and is settled at start."""
        ...

    def wake(self) -> None: ...
    async def look_again(self) -> None:
        """See at once whether this machine's own trouble is mended."""
        ...

    async def retry_account(self, connection_id: int) -> bool: ...
    async def connection_changed(self, connection_id: int) -> None: ...
    def in_flight(self, batch_id: int | None = None) -> int: ...
    def account_states(self) -> Mapping[int, tuple[str, Message | None]]:
        """connection id -> (AccountState word, why)."""
        ...

    def rates(self) -> Mapping[str, Any]:
        """``rate``, ``allowed_rate``, ``concurrency``, ``slowed_until``, ``typical_s`` (the usual
        time of one answer, seconds) over active accounts."""
        ...

    def banners(self) -> tuple[Banner, ...]: ...

    def trouble(self) -> Message | None:
        """The local fault that holds the whole engine (disk), or None."""
        ...
