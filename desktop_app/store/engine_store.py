"""What the engine needs, one method a need: moves through the writer, looks through the reader."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from desktop_app.domain.attempt import Claim, Completion, Mark, Orphan
from desktop_app.domain.batch import Batch, BatchPriority, RunState
from desktop_app.domain.budget import day_of
from desktop_app.domain.clock import Clock
from desktop_app.domain.jobs import Job
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.money import Money
from desktop_app.domain.ports import FinishResult, RawAnswer
from desktop_app.domain.ports.engine_store import Standing
from desktop_app.domain.text import Message
from desktop_app.store import accounts, batches, day_waits
from desktop_app.store.cancel_looks import CancelLooks, Cancels
from desktop_app.store.raw_answers import RawAnswers
from desktop_app.store.reader import Reader
from desktop_app.store.tasks import jobs, orphans, settle, waits
from desktop_app.store.tasks.claim import claim, claimable, over_budget
from desktop_app.store.tasks.finish import finish_all
from desktop_app.store.wire_log import WireLog
from desktop_app.store.writer import Writer


class TaskStore:
    """Implements EngineStore."""

    def __init__(
        self,
        writer: Writer,
        reader: Reader,
        wire: WireLog,
        raw: RawAnswers,
        clock: Clock,
        cancels: Cancels,
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._wire = wire
        self._raw = raw
        self._clock = clock
        self._cancels = cancels
        self._looks = CancelLooks(reader, cancels)
        self._unsettled: set[int] = set()

    async def claim(self, batch_id: int, limit: int, now: float) -> list[Claim]:
        """Take up to ``limit`` tasks and open their attempts, in one commit."""
        asked = self._cancels.asked
        claims = await self._writer.do(lambda txn: claim(txn, batch_id, limit, now))
        self._looks.claimed((claim.task_pk for claim in claims), asked)
        return claims

    async def finish(self, completion: Completion) -> FinishResult:
        """End an attempt. Raises LocalTrouble if it could not be committed: call it again."""
        result = await self._writer.do_with_others(finish_all, completion)
        self._wire.ended(completion.attempt_pk)
        self._looks.ended(completion.task_pk)
        if not completion.unread:
            self._raw.drop(completion.attempt_pk)
        if completion.attempt_pk in self._unsettled:
            self._unsettled.remove(completion.attempt_pk)
            if not self._unsettled:
                self._wire.restart()
        return result

    async def job_taken(self, attempt_pk: int, job: Job) -> Orphan | None:
        """Store the job that an attempt has become; its task, where this takes it up again. Raises
        LocalTrouble: call it again."""
        now = self._clock.now()
        return await self._writer.do(lambda txn: jobs.taken(txn, attempt_pk, job, now))

    async def called(self, attempt_pk: int) -> Orphan | None:
        """The provider speaks of the attempt, and names no job; its task, where this takes it up
        again. Raises LocalTrouble: call it again."""
        now = self._clock.now()
        return await self._writer.do(lambda txn: jobs.called(txn, attempt_pk, now))

    async def standing(self, attempt_pk: int) -> Standing | None:
        """How one attempt stands, or None."""
        return await self._reader.read(lambda conn: jobs.standing(conn, attempt_pk))

    async def reopen(self, task_pk: int) -> Orphan | None:
        """To RUNNING, to be asked about; None where there is nothing to ask about."""
        attempt_pk = await self._reader.read(lambda conn: jobs.doubtful(conn, task_pk))
        if attempt_pk is None:
            return None
        # Before the commit: whoever kills this program now must not leave a call taken for unsent.
        self._wire.note(Mark.BEGUN, attempt_pk)
        now = self._clock.now()
        return await self._writer.do(lambda txn: jobs.reopen(txn, task_pk, attempt_pk, now))

    async def orphans(self) -> list[Orphan]:
        """Every RUNNING task, and every ended attempt that has an uncommitted answer; for the
        start: before anything is claimed by this process."""
        left = await asyncio.to_thread(self._raw.left)
        found = await self._reader.read(
            lambda conn: [
                *orphans.late(conn, left, self._wire.of),
                *orphans.find(conn, self._wire.of),
            ]
        )
        self._unsettled = {orphan.claim.attempt_pk for orphan in found}
        self._wire.adopt(self._unsettled)
        if not found:
            self._wire.restart()
        await asyncio.to_thread(self._raw.open, self._unsettled)
        return found

    def cancel_requested(self, task_pk: int) -> Coroutine[Any, Any, bool]:
        """Whether the running task is asked to stop."""
        return self._looks.requested(task_pk)

    async def claimable(self, batch_id: int, now: float) -> bool:
        """Whether ``claim`` would give a row now."""
        return await self._reader.read(lambda conn: claimable(conn, batch_id, now))

    async def next_due(self, batch_ids: Sequence[int]) -> float | None:
        """When the next wait of these batches ends, epoch s."""
        return await self._reader.read(lambda conn: waits.next_due(conn, batch_ids))

    async def held_back(
        self, connection_id: int, now: float
    ) -> tuple[float, Message | None] | None:
        """See the port."""
        return await self._reader.read(lambda conn: waits.held_back(conn, connection_id, now))

    async def spread_due(self, now: float) -> None:
        """Clamp stored waits to their original length, for a clock that was set back."""
        await self._writer.do(lambda txn: waits.clamp(txn, now))

    async def running_batches(self) -> list[Batch]:
        """Batches that may be claimed from and have work to come, oldest first."""
        return await self._reader.read(batches.running)

    async def batch(self, batch_id: int) -> Batch | None:
        """One sealed batch."""
        return await self._reader.read(lambda conn: batches.one(conn, batch_id))

    async def ledger(self, batch_id: int | None) -> Ledger:
        """The ledger of a batch, or of all."""
        return await self._reader.read(lambda conn: batches.ledger(conn, batch_id))

    async def set_run_state(
        self, batch_id: int, state: RunState, reason: Message | None = None
    ) -> None:
        """Start, pause or rest a batch."""
        now = self._clock.now()
        await self._writer.do(lambda txn: batches.set_run_state(txn, batch_id, state, reason, now))

    async def set_gate(self, batch_id: int, rows: Sequence[int]) -> bool:
        """For a further trial: these rows alone (numbers) may be claimed. False where the batch
        runs whole already."""
        return await self._writer.do(lambda txn: batches.set_gate(txn, batch_id, rows))

    async def open_gate(self, batch_id: int) -> None:
        """After a trial: every row may be claimed."""
        await self._writer.do(lambda txn: batches.open_gate(txn, batch_id))

    async def set_max_calls(self, batch_id: int, most: int | None) -> None:
        """Cap the batch's calls, those already made included; None lifts the cap."""
        await self._writer.do(lambda txn: batches.set_max_calls(txn, batch_id, most))

    async def set_budget(self, batch_id: int, budget: Money | None) -> None:
        """Cap what the batch's calls may cost, those already made included; None lifts it."""
        await self._writer.do(lambda txn: batches.set_budget(txn, batch_id, budget))

    async def set_priority(self, batch_id: int, priority: BatchPriority) -> bool:
        """Let the batch go before those of a lower priority; False where there is none."""
        return await self._writer.do(lambda txn: batches.set_priority(txn, batch_id, priority))

    async def over_budget(self, batch_id: int, now: float) -> Message | None:
        """Why the next row may not be claimed for the money's sake, or None."""
        return await self._reader.read(lambda conn: over_budget(conn, batch_id, now))

    async def next_day(self, now: float) -> list[int]:
        """Let batches run that only the cap of an earlier day paused; returns their ids."""
        today = day_of(now)
        if not await self._reader.read(lambda conn: day_waits.over(conn, today)):
            return []
        return await self._writer.do(lambda txn: day_waits.go_on(txn, today, now))

    async def leave_to_person(self, reason: Message) -> list[int]:
        """What waits for the next day waits for a person instead; returns the batches' ids."""
        now = self._clock.now()
        return await self._writer.do(lambda txn: day_waits.leave(txn, reason, now))

    async def pause_all_unfinished(self, reason: Message) -> list[int]:
        """Pause every running batch with work to come; returns their ids."""
        return await self._writer.do(lambda txn: batches.pause_all_unfinished(txn, reason))

    async def account_pause(self, account: str) -> Message | None:
        """Why the account is paused, or None."""
        return await self._reader.read(lambda conn: accounts.pause_of(conn, account))

    async def set_account_pause(self, account: str, reason: Message | None) -> None:
        """Pause an account, or lift its pause."""
        now = self._clock.now()
        await self._writer.do(lambda txn: accounts.set_pause(txn, account, reason, now))

    async def fail_pending(self, task_pk: int, completion_note: Message, code: str) -> bool:
        """Set aside one waiting row that can never go through."""
        now = self._clock.now()
        return await self._writer.do(
            lambda txn: settle.fail_waiting(txn, task_pk, completion_note, code, now)
        )

    def note(self, mark: Mark, pk: int) -> None:
        """Record a mark of an attempt (or a task) at once."""
        self._wire.note(mark, pk)

    def keep_raw(self, claim: Claim, raw: RawAnswer) -> bool:
        """Into the system's memory, without waiting for the disk. Never raises."""
        return self._raw.keep(claim.attempt_pk, claim.idempotency_key, raw)

    async def raw_of(self, claim: Claim) -> RawAnswer | None:
        """What ``keep_raw`` was given for this attempt by an earlier process, or None."""
        return await asyncio.to_thread(self._raw.of, claim.attempt_pk, claim.idempotency_key)

    def suspects(self) -> frozenset[int]:
        """Tasks that were processed when the program ended, and not again since."""
        return self._wire.suspects
