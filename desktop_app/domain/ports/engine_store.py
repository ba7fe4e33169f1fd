"""What the engine asks of the store, and how other processes leave it a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from desktop_app.domain.attempt import Claim, Completion, Mark, Orphan
from desktop_app.domain.batch import Batch, BatchPriority, RunState
from desktop_app.domain.jobs import Job
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money
from desktop_app.domain.ports.answers import RawAnswer
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message


@dataclass(frozen=True, slots=True)
class FinishResult:
    """``applied`` False: the task had moved on, the attempt is history only.
    ``cancel_requested`` is the task's flag as found. ``goes_on``: the task is RUNNING with an
    earlier attempt, of which its provider spoke while this one was under way, and is to be
    followed."""

    applied: bool
    state: TaskState
    cancel_requested: bool = False
    goes_on: Orphan | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """One attempt. ``is_open``: its task is RUNNING with it. ``is_in_doubt``: its task has no
    result and nothing of it is under way, and what its provider says of this attempt may settle
    it. ``is_overtaken``: the same while a newer attempt of it is under way."""

    task_pk: int
    idempotency_key: str
    connection_id: int
    job_id: str | None
    is_in_doubt: bool
    is_open: bool = False
    is_overtaken: bool = False


class EngineStore(Protocol):
    """What the engine needs. Every method commits before it returns; every method is shielded:
    a cancelled caller's operation still completes."""

    async def claim(self, batch_id: int, limit: int, now: float) -> list[Claim]: ...
    async def finish(self, completion: Completion) -> FinishResult: ...
    async def job_taken(self, attempt_pk: int, job: Job) -> Orphan | None:
        """Store the job that an attempt has become. Where the attempt had been given up and its
        task waits or is a dead letter, unless a person has called it failed, the same commit takes
        the task up again: RUNNING with this attempt, to be followed by the caller. While a newer
        attempt runs, the end of that one does so (``FinishResult.goes_on``). None where nothing was
        taken up."""
        ...

    async def called(self, attempt_pk: int) -> Orphan | None:
        """The provider speaks of the attempt, and of no job of it that is not known: the attempt
        has arrived, and is to be asked about. As ``job_taken``, but that a call which was refused
        stays so."""
        ...

    async def standing(self, attempt_pk: int) -> Standing | None:
        """How one attempt stands, whatever became of it; None where there is none."""
        ...

    async def reopen(self, task_pk: int) -> Orphan | None:
        """UNCERTAIN -> RUNNING with the attempt that may have been billed, so that its provider
        can be asked again; also PENDING, RETRYING, DEAD, FAILED -> RUNNING where the job of such an
        attempt is known. None where the task has moved on or nothing of it is in doubt."""
        ...

    async def orphans(self) -> list[Orphan]:
        """For the start: every RUNNING task, and every ended attempt whose answer came after all
        (``keep_raw``) but was not committed."""
        ...

    async def cancel_requested(self, task_pk: int) -> bool: ...
    async def claimable(self, batch_id: int, now: float) -> bool:
        """Whether ``claim`` would give a row now. Changes nothing."""
        ...

    async def next_due(self, batch_ids: Sequence[int]) -> float | None: ...
    async def held_back(
        self, connection_id: int, now: float
    ) -> tuple[float, Message | None] | None:
        """For the start: until when (epoch s) the connection's provider holds its account back, and
        its word. It is told by the rows that it refused and that wait still: the first of them to
        go. ``now`` where only one waits: that one may wait for what is its own, and the next calls
        tell if they go one after another. None where none waits."""
        ...

    async def spread_due(self, now: float) -> None: ...
    async def running_batches(self) -> list[Batch]: ...
    async def batch(self, batch_id: int) -> Batch | None: ...
    async def ledger(self, batch_id: int | None) -> Ledger: ...
    async def set_run_state(
        self, batch_id: int, state: RunState, reason: Message | None = None
    ) -> None: ...
    async def set_gate(self, batch_id: int, rows: Sequence[int]) -> bool: ...
    async def open_gate(self, batch_id: int) -> None: ...
    async def set_max_calls(self, batch_id: int, most: int | None) -> None: ...
    async def set_budget(self, batch_id: int, budget: Money | None) -> None: ...
    async def set_priority(self, batch_id: int, priority: BatchPriority) -> bool:
        """Which batches of its account it goes before; False where there is no such batch."""
        ...

    async def over_budget(self, batch_id: int, now: float) -> Message | None:
        """Why the next row may not be claimed for the money's sake, or None."""
        ...

    async def next_day(self, now: float) -> list[int]:
        """Let batches run that only the cap of an earlier day paused; returns their ids."""
        ...

    async def leave_to_person(self, reason: Message) -> list[int]:
        """What waits for the next day waits for a person instead; returns the batches' ids."""
        ...

    async def pause_all_unfinished(self, reason: Message) -> list[int]: ...
    async def account_pause(self, account: str) -> Message | None: ...
    async def set_account_pause(self, account: str, reason: Message | None) -> None: ...
    async def fail_pending(self, task_pk: int, completion_note: Message, code: str) -> bool: ...
    def note(self, mark: Mark, pk: int) -> None:
        """Record a mark of an attempt (or a task), at once and without waiting."""
        ...

    def keep_raw(self, claim: Claim, raw: RawAnswer) -> bool:
        """Put the answer of an attempt, just in, where the next start finds it even if this
        program is killed now; forgotten when the attempt is finished. Whether it is there. Never
        raises."""
        ...

    async def raw_of(self, claim: Claim) -> RawAnswer | None:
        """The answer that this attempt had got when the program ended, or None."""
        ...

    def suspects(self) -> frozenset[int]:
        """Tasks marked SUSPECT and not CLEARED since."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A request from another process: ``verb`` in pause, resume, cancel, requeue, settle,
    priority, connection (it changed: look at it again)."""

    id: int
    verb: str
    args: Mapping[str, Any]


class CommandStore(Protocol):
    """The command table."""

    async def post(self, verb: str, args: Mapping[str, Any]) -> int: ...
    async def take(self) -> list[Command]: ...
    async def answer(self, command_id: int, result: Mapping[str, Any]) -> None: ...
    async def result(self, command_id: int) -> Mapping[str, Any] | None: ...
    async def withdraw(self, command_id: int) -> bool:
        """Take a command back. False where somebody has taken it already and will answer."""
        ...
