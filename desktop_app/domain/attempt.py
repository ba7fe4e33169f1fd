"""One try of a task: committed before the request leaves, closed with its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any

from desktop_app.domain.errors import Failure
from desktop_app.domain.flags import CUT_OFF as CUT_OFF
from desktop_app.domain.flags import HALF_READ as HALF_READ
from desktop_app.domain.flags import NOT_JSON as NOT_JSON
from desktop_app.domain.flags import OTHER_MODEL as OTHER_MODEL
from desktop_app.domain.flags import PARTIAL as PARTIAL
from desktop_app.domain.flags import THINKING as THINKING
from desktop_app.domain.flags import flags_note as flags_note
from desktop_app.domain.jobs import Job
from desktop_app.domain.marks import Mark as Mark
from desktop_app.domain.row_values import row_value
from desktop_app.domain.task import Request, TaskState


class Outcome(StrEnum):
    """How an attempt ended. OPEN ones have not; the FailureClass words serve for failures."""

    OPEN = "open"
    SUCCESS = "success"
    NOT_SENT = "not_sent"
    THROTTLED = "throttled"
    TRANSIENT = "transient"
    OFFLINE = "offline"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    INVALID = "invalid"
    ACCOUNT = "account"
    LOCAL = "local"
    ADOPTED = "adopted"  # its file was found after a crash
    DISCARDED = "discarded"  # late or doubled: history only


class Billed(StrEnum):
    """What is known about the bill of an attempt."""

    NO = "no"
    YES = "yes"
    MAYBE = "maybe"


@row_value(frozen=True, slots=True)
class Claim:
    """A task taken by this engine, with the attempt committed for it.

    ``rev`` is the compare-and-set lock as it stands after the claim; ``file_stem`` is the output
    name reserved for the task (no extension, relative to ``out_dir``), ``more_stems`` those of the
    second and further results where the request asks for several; ``key_since`` (epoch s) is
    when the key was first sent, where that may have been billed: the key runs out from then.
    ``embed``: its batch wants pictures that say what they were made from.
    """

    task_pk: int
    task_id: str
    batch_id: int
    row_no: int
    edition: int
    rev: int
    attempt_pk: int
    attempt_no: int
    idempotency_key: str
    request: Request
    file_stem: str
    out_dir: str
    retries_spent: int
    timeouts: int
    throttled: int
    lane: str | None = None
    key_since: float | None = None
    more_stems: tuple[str, ...] = ()
    model: str = ""
    embed: bool = False

    @property
    def words(self) -> dict[str, str]:
        """What a picture may say of itself."""
        asked = {**self.request.extra, **self.request.params}
        found = {
            "prompt": self.request.prompt,
            "model": asked.get("model") or self.model,
            "seed": asked.get("seed", ""),
            "task_id": self.task_id,
        }
        return {name: str(value) for name, value in found.items() if value != ""}


@dataclass(frozen=True, slots=True)
class Kept:
    """A result in its final place. ``path`` is relative to the batch's folder; ``text`` holds the
    answer of a text task (also written to the file); ``flags`` e.g. ``("length",)``; ``more`` are
    the second and further results of the same answer, in its order."""

    path: str
    size: int
    mime: str
    text: str | None = None
    width: int | None = None
    height: int | None = None
    flags: tuple[str, ...] = ()
    sha256: str = ""
    more: tuple[Kept, ...] = ()

    @property
    def count(self) -> int:
        """How many results there are."""
        return 1 + len(self.more)

    @property
    def is_partial(self) -> bool:
        """Whether some that were paid for, or asked for, are missing."""
        return PARTIAL in self.flags

    def flagged(self, flag: str) -> Kept:
        """The same with this flag, once."""
        return self if flag in self.flags else replace(self, flags=(*self.flags, flag))


@row_value(frozen=True, slots=True)
class Completion:
    """The one conditional update that ends an attempt: applied only if the task is still RUNNING
    with this ``rev`` and this ``attempt_pk``; else it becomes history only.

    ``due_at`` (epoch s) and ``delay_s`` (the original delay) go with RETRYING; a PENDING give-back
    may carry ``due_at`` too. ``spend_retry``/``spend_timeout``/``count_throttled`` say which
    counters rise. ``cost`` is known money, ``billed`` what is known of the bill.
    ``new_key`` is True where the next attempt must use a new idempotency key. ``unread``: its
    answer may have been paid for and was not understood, and so stays put aside.
    """

    task_pk: int
    rev: int
    attempt_pk: int
    to: TaskState
    outcome: Outcome
    ended_at: float
    latency_s: float | None = None
    http_status: int | None = None
    request_id: str | None = None
    failure: Failure | None = None
    due_at: float | None = None
    delay_s: float | None = None
    spend_retry: bool = False
    spend_timeout: bool = False
    count_throttled: bool = False
    kept: Kept | None = None
    cost: Decimal | None = None
    currency: str | None = None
    billed: Billed = Billed.MAYBE
    new_key: bool = False
    usage: Mapping[str, Any] = field(default_factory=dict)
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Orphan:
    """A RUNNING task that no flight holds, or a call whose answer came after its attempt had ended,
    with what is needed to settle it. ``held``: it was a person's to decide, and stays so where its
    provider can't say more, whatever the policy; ``decided``: it was to be sent again though it
    might have been billed, and still is. ``called``: its provider has called about it, so it has
    arrived: what became of it is asked first."""

    claim: Claim
    started_at: float
    begun: bool  # False only when it is certain that no byte left
    job: Job | None = None
    unbilled: bool = False  # True only when it is certain that a failure without a bill was in
    processing: bool = False  # True only when it is certain that its answer was being processed
    late: bool = False  # its attempt has ended, and nothing is kept of the answer that came after
    part: Kept | None = None  # what was kept of an answer that held more
    held: bool = False
    decided: bool = False
    called: bool = False
