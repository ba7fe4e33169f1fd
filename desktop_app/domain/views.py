"""What window and verbs show, as frozen rows, so that neither touches the shapes of the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from desktop_app.domain.batch import Batch
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message


class TaskRow(NamedTuple):
    """One grid row. ``prompt`` is cut to 200 characters; ``output`` is an absolute path or None,
    ``more`` are those of the second and further results of the same answer;
    times are epoch seconds; ``elapsed_s`` is the last attempt's; ``note`` is the last failure;
    ``unsent``: of the attempts, how many never left."""

    pk: int
    task_id: str
    batch_id: int
    row_no: int
    state: TaskState
    prompt: str
    key: str | None
    attempt_no: int
    retries_spent: int
    retries_max: int
    due_at: float | None
    started_at: float | None
    elapsed_s: float | None
    output: str | None
    error_class: str | None
    note: Message | None
    cost: str | None  # "0.04 USD"; None is unknown
    cancel_requested: bool
    flags: tuple[str, ...] = ()
    error_code: str | None = None
    more: tuple[str, ...] = ()
    unsent: int = 0

    @property
    def tries(self) -> int:
        """How often it was sent."""
        return self.attempt_no - self.unsent


@dataclass(frozen=True, slots=True)
class Piece:
    """One of several results of an answer: its absolute path, and its words if it is a text."""

    output: str
    text: str | None


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Which tasks: all conditions together. ``cause`` is a failure code, ``cause_or_class`` a code
    or an error class, as a person types it; ``text`` is a find string (in prompt, key, row
    number). ``batch_id`` None means all batches."""

    batch_id: int | None = None
    states: frozenset[TaskState] = frozenset()
    cause: str | None = None
    error_class: str | None = None
    text: str = ""
    pks: tuple[int, ...] | None = None
    cause_or_class: str | None = None


class Sort(StrEnum):
    """Columns the grid sorts by, in SQL, by what their cells show. ROW is sheet order, and so stand
    rows that are equal; rows whose cell is empty come last both ways, as in a spreadsheet."""

    ROW = "row"
    STATE = "state"
    TRIES = "tries"
    TIME = "time"
    PROMPT = "prompt"
    PICTURE = "picture"
    NOTE = "note"
    BATCH = "batch"


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt in the detail pane. ``body`` is plain text, at most 2,000 characters,
    or as much of an answer as came before it broke off."""

    attempt_no: int
    edition: int
    started_at: float
    ended_at: float | None
    outcome: str
    http_status: int | None
    request_id: str | None
    latency_s: float | None
    error_code: str | None
    said: Message | None
    body: str
    cost: str | None
    billed: str
    idempotency_key: str
    wait_reason: Message | None = None
    job_id: str | None = None
    sent: bool = True


@dataclass(frozen=True, slots=True)
class TaskDetail:
    """Everything about one task; ``more``: the second and further results; ``thinking``: what the
    model said to itself before it answered."""

    row: TaskRow
    prompt: str
    params: Mapping[str, Any]
    cells: tuple[tuple[str, str], ...]  # (column, cell), the sheet's own
    text: str | None
    mime: str | None
    lane: str | None
    attempts: tuple[AttemptView, ...]
    file_stem: str = ""  # reserved output name, no extension
    more: tuple[Piece, ...] = ()
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class DeadGroup:
    """Dead letters of one cause. ``advice`` is the next step in plain words; ``batches`` are the
    batches they are in."""

    state: TaskState
    error_class: str
    code: str
    said: Message
    advice: Message
    count: int
    sample: tuple[int, ...]  # up to 5 task pks
    batch_id: int | None = None
    batches: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DoubtfulRow:
    """An UNCERTAIN row. ``unknown``: a call of it has an unknown outcome, ``has_job``: such a call
    became a job. ``worst`` is what sending it again costs at most; None where that is unknown."""

    pk: int
    connection_id: int
    unknown: bool
    has_job: bool
    worst: Money | None


@dataclass(frozen=True, slots=True)
class Doubts:
    """What can be done about UNCERTAIN rows: how many they are, which of them the provider can be
    asked about, and what sending all of them again costs at most (``unpriced`` are not in it).
    ``stem`` is the name, without extension, that a file of the first of them has."""

    rows: int = 0
    askable: tuple[int, ...] = ()
    worst: tuple[Money, ...] = ()
    unpriced: int = 0
    stem: str = ""


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """One sidebar entry. ``spent`` is what known bills sum up to; ``reserved`` what calls without
    a known bill may cost at most; ``maybe_double`` counts calls that may have been billed beside
    another one for the same request; ``in_part`` counts rows that are done with fewer results than
    were asked for."""

    batch: Batch
    ledger: Ledger
    connection_name: str
    spent: tuple[Money, ...] = ()
    unpriced_calls: int = 0
    elapsed_s: float = 0.0
    reserved: tuple[Money, ...] = ()
    maybe_double: int = 0
    in_part: int = 0


class AccountState(StrEnum):
    """How an account stands; WAITING is offline or probing and mends itself."""

    OK = "ok"
    PAUSED = "paused"
    WAITING = "waiting"
    SLOWED = "slowed"
    NO_KEY = "no_key"


@dataclass(frozen=True, slots=True)
class ConnectionView:
    """One sidebar entry under Connections."""

    id: int
    name: str
    adapter: str
    model: str
    base_url: str
    state: AccountState
    said: Message | None = None
    key_hint: str | None = None  # "…3f9c", never more
    in_use: bool = False


class BannerAction(StrEnum):
    """What a banner's buttons do."""

    ENTER_KEY = "enter_key"
    TRY_AGAIN = "try_again"
    RESUME = "resume"
    REVIEW = "review"
    STAY_PAUSED = "stay_paused"
    OPEN_FOLDER = "open_folder"
    NEEDS_YOU = "needs_you"
    RUN_REST = "run_rest"
    RAISE_CAP = "raise_cap"
    SHOW_REPORT = "show_report"


@dataclass(frozen=True, slots=True)
class Banner:
    """One line with one or two actions; ``severity`` is ``info``, ``warning`` or ``error``.

    ``key`` identifies it (the same key replaces the same line). ``count`` is the number of rows
    that its action is about, where the button names it; ``file`` is what SHOW_REPORT opens.
    """

    key: str
    severity: str
    said: Message
    actions: tuple[BannerAction, ...] = ()
    batch_id: int | None = None
    connection_id: int | None = None
    count: int | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The engine at a glance. Rates are calls per second over the last 10 s; ``slowed_until`` is
    epoch seconds; ``slowed_rate`` and ``slowed_number`` (in flight) are what providers hold it to,
    ``slowed_why`` is why; ``waits_for`` is the stated limit that has held rows back for long, or
    the batch that goes before the one that was asked about; ``eta_s`` counts from now;
    ``oldest_s`` is how long the oldest call has been out, seconds; None means not known."""

    active: bool = False
    in_flight: int = 0
    rate: float = 0.0
    allowed_rate: float | None = None
    concurrency: int | None = None
    slowed_until: float | None = None
    slowed_rate: float | None = None
    slowed_number: int | None = None
    slowed_why: Message | None = None
    waits_for: Message | None = None
    eta_s: float | None = None
    oldest_s: float | None = None
    banners: tuple[Banner, ...] = field(default_factory=tuple)

    @property
    def is_slowed(self) -> bool:
        """Whether a provider holds it to less than was stated."""
        held = (self.slowed_until, self.slowed_rate, self.slowed_number)
        return any(figure is not None for figure in held)
