"""A provider that outlives the program: what it was sent, what it made, and what it bills."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from desktop_app.domain.connection import Connection
from tests.model.disk import Disk
from tests.model.life import Life

TIMEOUT_S = 20.0
QUOTA_S = 60.0
JOB_S = 20.0
JOB_DEADLINE_S = 1_800.0

BEHAVIOURS = (
    "ok",
    "slow",
    "late",  # billed, answered after the read deadline
    "deaf",  # the same, and the adapter does not hear that it was cancelled
    "brink",  # billed, and being decoded when the engine's patience ends
    "lost",  # billed, and the answer is lost
    "unbilled_lost",
    "bad",  # billed, and no picture decodes
    "torn",  # billed, and of several pictures one does not decode
    "some",  # billed, and of several pictures one does not come
    "throttle",
    "fail",
    "refuse",
    "invalid",
    "offline",
    "account",
    "quota",  # the same, and it passes by itself
    "no_key",  # the same, because of the key
    "bug",  # the adapter breaks
    "early_bug",  # the same, before anything was sent
)
JOB_BEHAVIOURS = (
    *BEHAVIOURS,
    "job_fails",  # and costs nothing
    "job_refused",
    "job_lost",  # the provider knows it no more
    "endless",
    "vague",  # polls come to nothing for a while
    "breaks",  # the adapter does, over the answer of the submit
    "expired",  # the result's URL runs out once
    "in_turn",  # of several pictures one can be had at a second try only
    "one_gone",  # of several pictures one is never to be had
    "uncollected",  # its result is never to be had
    "console",  # somebody cancels it in the provider's console
)
BILLED = frozenset({"ok", "slow", "late", "deaf", "brink", "lost", "bad", "torn", "some"}) | (
    frozenset(JOB_BEHAVIOURS) - frozenset(BEHAVIOURS)
)

DRAWN = BILLED - {"lost", "bad"}


def prompt_of(row: int, version: int) -> str:
    """What a row asks for, and what tells one version of it from another."""
    return f"row {row} v{version}"


def read_prompt(prompt: str) -> tuple[int, int]:
    """(row, version) of a prompt."""
    _, row, version = prompt.split()
    return int(row), int(version[1:])


@dataclass(eq=False)
class Submission:
    """One request as the provider saw it."""

    row: int
    version: int
    key: str
    attempt_pk: int
    life: Life
    billed: bool
    behaviour: str
    connection: Connection
    secret: str | None
    sent_at: float  # virtual seconds
    heard: str = "nothing"  # what the living program was told
    heard_at: float = 0.0
    in_the_air: bool = True
    given_up: bool = False  # its answer may still come, and belongs to an attempt that has ended
    asked_in_vain: bool = False
    job: Made | None = None
    url: str | None = None  # where to call about its job
    call_secret: str | None = field(default=None, repr=False)
    called: bool = False  # the program has heard of its job by a call

    @property
    def edition(self) -> int:
        """The edition of the row that was sent, as its key names it."""
        return int(self.key.rsplit("-", 2)[1])

    def __repr__(self) -> str:
        said = f"{self.behaviour}, billed {self.billed}, heard {self.heard} at {self.heard_at:.3f}"
        return f"<{self.key[-6:]} of row {self.row} v{self.version} by {self.attempt_pk}: {said}>"


@dataclass(eq=False)
class Made:
    """A job. ``fate`` is what becomes of it when it is through (a behaviour, or ``cancelled``)."""

    id: str
    submission: Submission
    ends_at: float
    fate: str
    habit: str = ""  # how it is called about
    ended: bool = False
    told: bool = False  # the program has heard of its end
    polls: int = 0
    collects: int = 0

    def end(self, fate: str, *, billed: bool) -> None:
        """It works no more."""
        self.fate, self.ended = fate, True
        self.submission.billed = self.submission.billed and billed


@dataclass
class Shop:
    """What happened on the wire, across all lives of the program. ``poison``: rows whose
    answers end the program that looks into them; ``killers``: those that have done so."""

    disk: Disk
    idempotent_s: float | None = None
    jobs: bool = False
    askable: bool = False
    behaviours: Iterator[str] = field(default_factory=lambda: iter(()))
    sent: list[Submission] = field(default_factory=list)
    made: dict[str, Made] = field(default_factory=dict)
    keys: dict[str, float] = field(default_factory=dict)
    poison: set[int] = field(default_factory=set)
    killers: set[int] = field(default_factory=set)
    polls_refused: list[str] = field(default_factory=list)  # the behaviours of the next polls
    asks_refused: int = 0
    polling: int = 0  # polls under way
    several: int = 1  # results of a call
    keeps_s: float = math.inf  # how long it hands out what a job made
    calls: str = ""  # how it signs its calls, see ``RULES``; empty: it calls nobody
    habits: Iterator[str] = field(default_factory=lambda: iter(()))
    signing_secret: str = "signs with this"
    secrets_refused: int = 0
    on_sent: Callable[[Submission], None] = lambda _submission: None
    on_heard: Callable[[Submission], None] = lambda _submission: None
    on_taken: Callable[[Made, str, float], None] = lambda _made, _habit, _now: None
    on_cancelled: Callable[[Made, float], None] = lambda _made, _now: None
    on_polled: Callable[[Made], None] = lambda _made: None

    def of(self, row: int) -> list[Submission]:
        """All calls for a row."""
        return [s for s in self.sent if s.row == row]

    def by(self, attempt_pk: int) -> Submission | None:
        """What this attempt sent."""
        return next((s for s in self.sent if s.attempt_pk == attempt_pk), None)

    def bills(self, key: str, behaviour: str, now: float) -> bool:
        """Whether this call costs money: a key that is known and honoured still does not."""
        if behaviour not in BILLED:
            return False
        if self.idempotent_s is None:
            return True
        known = self.keys.get(key)
        if known is not None and now - known < self.idempotent_s:
            return False
        self.keys[key] = now
        return True

    def take(self, submission: Submission, now: float) -> Made:
        """The submission becomes a job."""
        takes_s = {"slow": 282.0, "endless": 1e9}.get(submission.behaviour, JOB_S)
        made = Made(f"job-{len(self.made)}", submission, now + takes_s, submission.behaviour)
        self.made[made.id] = submission.job = made
        if submission.url is not None:
            self.on_taken(made, next(self.habits, "stubborn"), now)
        return made
