"""Settles what an earlier process left RUNNING, before anything new is sent."""

from __future__ import annotations

import logging

from desktop_app.domain.attempt import Completion, Kept, Orphan
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass, LocalTrouble
from desktop_app.domain.ports import Adapters, ConnectionStore, EngineStore, ResultFiles
from desktop_app.domain.retry import Draw
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import (
    CRASHED,
    Context,
    Counters,
    Rules,
    Verdict,
    adopted,
    judge,
    not_sent,
    without_retry,
)

_log = logging.getLogger(__name__)


class Orphans:
    """In the order of the rules: its file, not begun, the key still honoured, the policy."""

    def __init__(
        self,
        *,
        store: EngineStore,
        connections: ConnectionStore,
        adapters: Adapters,
        files: ResultFiles,
        clock: Clock,
        draw: Draw,
    ) -> None:
        self._store = store
        self._connections = connections
        self._adapters = adapters
        self._files = files
        self._clock = clock
        self._draw = draw

    async def settle(self) -> int:
        """Settle all; returns how many there were. One that fails is logged and left RUNNING."""
        orphans = await self._store.orphans()
        for orphan in orphans:
            try:
                await self._settle(orphan)
            except Exception:
                _log.exception("attempt %d could not be settled", orphan.claim.attempt_pk)
        for out_dir in {orphan.claim.out_dir for orphan in orphans}:
            await self._sweep(out_dir)
        return len(orphans)

    async def _sweep(self, out_dir: str) -> None:
        try:
            await self._files.sweep(out_dir)
        except LocalTrouble:
            _log.warning("what the last run left in the output folder could not be removed")

    async def _settle(self, orphan: Orphan) -> None:
        claim = orphan.claim
        kept = await self._files.find(claim)
        if kept is not None:
            await self._finish(orphan, adopted(), kept)
            await self._files.settled(claim)
            return
        cancelled = await self._store.cancel_requested(claim.task_pk)
        if not orphan.begun and orphan.job_id is None:
            await self._finish(orphan, not_sent(cancelled=cancelled))
            return
        now = self._clock.now()
        failure = Failure(FailureClass.UNKNOWN, CRASHED, message("engine.crashed"))
        context = Context(now=now, key_age_s=now - orphan.started_at)
        rules = Rules() if orphan.job_id is not None else await self._rules(orphan)
        verdict = judge(failure, Counters.of(claim), rules, context, self._draw)
        await self._finish(orphan, without_retry(verdict) if cancelled else verdict)

    async def _rules(self, orphan: Orphan) -> Rules:
        batch = await self._store.batch(orphan.claim.batch_id)
        connection = None if batch is None else await self._connections.get(batch.connection_id)
        if connection is None or connection.adapter not in self._adapters.names():
            return Rules()
        capabilities = self._adapters.capabilities(connection.adapter)
        return Rules.of(connection, capabilities, orphan.claim.request)

    async def _finish(self, orphan: Orphan, verdict: Verdict, kept: Kept | None = None) -> None:
        claim, now = orphan.claim, self._clock.now()
        due = verdict.delay_s
        if due is None and verdict.to is TaskState.RETRYING:
            due = 0.0
        await self._store.finish(
            Completion(
                task_pk=claim.task_pk,
                rev=claim.rev,
                attempt_pk=claim.attempt_pk,
                to=verdict.to,
                outcome=verdict.outcome,
                ended_at=now,
                failure=verdict.failure,
                due_at=None if due is None else now + due,
                delay_s=due,
                spend_retry=verdict.spend_retry,
                spend_timeout=verdict.spend_timeout,
                kept=kept,
                billed=verdict.billed,
                new_key=verdict.new_key,
            )
        )
