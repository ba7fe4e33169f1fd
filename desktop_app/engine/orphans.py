"""Settles what an earlier process left RUNNING, and keeps what came too late for it, before
anything new is sent."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from desktop_app.domain.attempt import Kept, Orphan
from desktop_app.domain.budget import results_asked
from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import INTERNAL, Failure, FailureClass, LocalTrouble
from desktop_app.domain.jobs import Job
from desktop_app.domain.judging import Context, judge, should_ask
from desktop_app.domain.ports import Adapters, Answer, ConnectionStore, EngineStore, ResultFiles
from desktop_app.domain.retry import Draw
from desktop_app.domain.rules import Rules
from desktop_app.domain.text import message
from desktop_app.domain.verdict import (
    CRASHED,
    Counters,
    Verdict,
    adopted,
    failed_free,
    held,
    not_sent,
    poison,
    without_retry,
)
from desktop_app.engine.completions import completion
from desktop_app.engine.processing import Processing
from desktop_app.engine.reread import Reread, Unread, in_full
from desktop_app.engine.sweeping import Sweeping

_log = logging.getLogger(__name__)


class Orphans:
    """In the order of the rules: its file, not begun, its job, the key still honoured, the question
    whether it arrived, the policy. A row that ends the program is never looked at a third time.

    What can be asked about goes to ``follow``, and is RUNNING until its provider has answered.
    ``named``: a job that was heard of since the start, by its attempt.
    """

    def __init__(
        self,
        *,
        store: EngineStore,
        connections: ConnectionStore,
        adapters: Adapters,
        files: ResultFiles,
        processing: Processing,
        clock: Clock,
        draw: Draw,
        follow: Callable[[Orphan, Failure | None], None],
        named: Callable[[int], Job | None],
    ) -> None:
        self._store = store
        self._connections = connections
        self._adapters = adapters
        self._files = files
        self._processing = processing
        self._clock = clock
        self._draw = draw
        self._follow = follow
        self._named = named
        self._reread = Reread(store, adapters, files)
        self._left: list[Orphan] = []
        self._poison: Orphan | None = None
        self._sweeping = Sweeping(files)

    async def settle(self) -> None:
        """Settle all, at start, before anything is claimed."""
        found = await self._store.orphans()
        for batch_id, out_dir in dict.fromkeys((o.claim.batch_id, o.claim.out_dir) for o in found):
            if (await self._store.ledger(batch_id)).success:
                self._files.expect(out_dir)
        self._poison = self._processing.look_back(found)
        # Suspects last: should one of them end the program again, the others are settled.
        self._left = sorted(found, key=lambda orphan: self._processing.is_suspect(orphan.claim))
        await self.try_left()

    async def try_left(self) -> bool:
        """Settle what could not be yet: its folder or adapter was away. Whether any was settled."""
        orphans, self._left = self._left, []
        for orphan in orphans:
            try:
                await self._settle(orphan)
            except LocalTrouble:
                _log.warning("attempt %d waits for its folder", orphan.claim.attempt_pk)
                self._left.append(orphan)
            except Unread:
                _log.warning("attempt %d waits for its adapter", orphan.claim.attempt_pk)
                self._left.append(orphan)
            except Exception:
                _log.exception("attempt %d could not be settled", orphan.claim.attempt_pk)
                self._left.append(orphan)
        self._processing.leave_unread(orphan.claim.task_pk for orphan in self._left)
        needed = {orphan.claim.out_dir for orphan in self._left}
        for out_dir in dict.fromkeys(orphan.claim.out_dir for orphan in orphans):
            if out_dir not in needed:
                await self._sweeping.sweep(out_dir)
        return len(self._left) < len(orphans)

    async def tidy(self, out_dir: str) -> None:
        """Sweep a folder once, unless a row still needs what lies there. The last run may have
        been killed between a commit and its tidying up, and have left no row to settle."""
        if out_dir not in {orphan.claim.out_dir for orphan in self._left}:
            await self._sweeping.once(out_dir)

    async def _settle(self, orphan: Orphan) -> None:
        claim = orphan.claim
        connection = await self._connection(orphan)
        if orphan is self._poison:
            await self._set_aside(orphan, connection)
            return
        kept = await self._find(orphan, connection)
        if kept is not None and not kept.is_partial:
            await self._adopt(orphan, connection, kept=kept)
            return
        cancelled = await self._store.cancel_requested(claim.task_pk)
        crashed = Failure(FailureClass.UNKNOWN, CRASHED, message("engine.crashed"))
        orphan = replace(orphan, part=kept)
        if orphan.job is not None:
            self._follow(orphan, crashed)
            return
        if not orphan.begun and kept is None:
            await self._finish(orphan, connection, not_sent(cancelled=cancelled))
            return
        came = await self._come_home(orphan, connection)
        if isinstance(came, tuple):
            await self._adopt(orphan, connection, *came)
            return
        if isinstance(came, Orphan):  # its row waited, and follows its job now
            self._follow(replace(came, part=kept), crashed)
            return
        if kept is not None:
            await self._adopt(orphan, connection, kept=kept)
            return
        if orphan.late and connection is not None and not self._knows(connection):
            raise Unread
        if orphan.late:  # its row was settled long ago, or is sent again: that stands
            ours = came if isinstance(came, Failure) and came.code == INTERNAL else crashed
            await self._finish(orphan, connection, held(ours))
            return
        came = self._named(claim.attempt_pk) or came
        if isinstance(came, Job):
            self._follow(replace(orphan, job=came), crashed)
            return
        if came is None and orphan.unbilled:
            verdict = failed_free()
            await self._finish(orphan, connection, without_retry(verdict) if cancelled else verdict)
            return
        now = self._clock.now()
        failure = came or crashed
        known_since = orphan.started_at if claim.key_since is None else claim.key_since
        context = Context(now=now, key_age_s=now - known_since)
        rules, spent = self._rules(orphan, connection), Counters.of(claim)
        asks = should_ask(failure, spent, rules, context.key_age_s, cancelled=cancelled)
        if asks or (orphan.called and rules.askable):
            self._follow(orphan, failure)
            return
        verdict = judge(failure, spent, rules, context, self._draw)
        await self._finish(orphan, connection, without_retry(verdict) if cancelled else verdict)

    async def _set_aside(self, orphan: Orphan, connection: Connection | None) -> None:
        """Nobody looks into it once more; but what had been verified before the end is a result."""
        named = await self._files.named(orphan.claim)
        if named is None:
            await self._finish(orphan, connection, poison())
        else:
            await self._adopt(orphan, connection, kept=self._counted(orphan, connection, named))

    async def _adopt(
        self,
        orphan: Orphan,
        connection: Connection | None,
        answer: Answer | None = None,
        kept: Kept | None = None,
    ) -> None:
        self._processing.clear(orphan.claim)
        await self._finish(orphan, connection, adopted(), answer, kept)
        await self._files.settled(orphan.claim)

    async def _find(self, orphan: Orphan, connection: Connection | None) -> Kept | None:
        try:
            async with self._processing.of(orphan.claim):
                kept = await self._files.find(orphan.claim)
        except LocalTrouble:
            if orphan.job is None:
                raise
            return None  # a job waits for no folder: its result may not wait either
        return None if kept is None else self._counted(orphan, connection, kept)

    def _counted(self, orphan: Orphan, connection: Connection | None, kept: Kept) -> Kept:
        """Flagged where fewer were kept than were asked for."""
        if connection is None or not self._knows(connection):
            return kept
        several = self._adapters.capabilities(connection.adapter, connection).several_results
        return in_full(kept, results_asked(connection, orphan.claim.request)) if several else kept

    async def _come_home(
        self, orphan: Orphan, connection: Connection | None
    ) -> tuple[Answer, Kept] | Orphan | Job | Failure | None:
        async with self._processing.of(orphan.claim):
            return await self._reread.of(orphan.claim, connection)

    async def _connection(self, orphan: Orphan) -> Connection | None:
        batch = await self._store.batch(orphan.claim.batch_id)
        return None if batch is None else await self._connections.get(batch.connection_id)

    def _rules(self, orphan: Orphan, connection: Connection | None) -> Rules:
        """A call whose connection nobody knows any more can't be sent again."""
        if connection is None or not self._knows(connection):
            return Rules()
        capabilities = self._adapters.capabilities(connection.adapter, connection)
        return Rules.of(connection, capabilities, orphan.claim.request)

    def _knows(self, connection: Connection | None) -> bool:
        return connection is not None and connection.adapter in self._adapters.names()

    async def _finish(
        self,
        orphan: Orphan,
        connection: Connection | None,
        verdict: Verdict,
        answer: Answer | None = None,
        kept: Kept | None = None,
    ) -> None:
        price = None if connection is None else connection.price
        now = self._clock.now()
        asked = 1 if connection is None else results_asked(connection, orphan.claim.request)
        done = completion(
            orphan.claim,
            verdict,
            now=now,
            price=price,
            asked=asked,
            answer=answer,
            kept=kept,
            unread=kept is None and not self._knows(connection),
        )
        result = await self._store.finish(done)
        if result.goes_on is not None:
            self._follow(result.goes_on, None)
