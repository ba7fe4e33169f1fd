"""Claims rows whenever a slot, a token and an eligible row exist together, and sleeps otherwise."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from desktop_app.domain.batch import Batch
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.ports import EngineStore
from desktop_app.domain.retry import ceiling
from desktop_app.domain.text import Message, message
from desktop_app.engine.breaker import Standing
from desktop_app.engine.claims import Claims
from desktop_app.engine.endings import Endings
from desktop_app.engine.feeding import Feeding
from desktop_app.engine.lines import Account
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.pool import Pool
from desktop_app.engine.roster import Roster
from desktop_app.engine.turns import Turns
from desktop_app.engine.waits import event_or_time

_log = logging.getLogger(__name__)

UNKEPT_MAX = 64
FAILURES_TOLD = 3
FAILURE_WAIT_MAX_S = 10.0


class Feeder:
    """One loop over the accounts of the running batches, see ``Turns`` for the order on each."""

    def __init__(
        self,
        *,
        store: EngineStore,
        roster: Roster,
        pool: Pool,
        guard: LocalGuard,
        endings: Endings,
        clock: Clock,
        is_open: Callable[[], bool],
        claims: Claims,
        on_round: Callable[[], None],
    ) -> None:
        self._roster = roster
        self._pool = pool
        self._clock = clock
        self._is_open = is_open
        self._on_round = on_round
        self._event = asyncio.Event()
        self._ends = False
        self._failures = 0
        self._full = False
        self.trouble: Message | None = None
        self.feeding = Feeding(
            store=store,
            roster=roster,
            pool=pool,
            guard=guard,
            endings=endings,
            claims=claims,
            clock=clock,
            room=self._room,
            refresh=self.refresh,
        )

    def nudge(self) -> None:
        """A slot, a token or a fault changed: look again."""
        self._event.set()

    def handed(self) -> None:
        """An outcome came to the store: look again if too many were on their way there."""
        if self._full:
            self._event.set()

    def stir(self, batch_id: int) -> None:
        """Something of this batch changed: rows may be eligible that were not."""
        self._roster.dry.stir(batch_id)
        self._event.set()

    def refresh(self) -> None:
        """Batches or connections changed: read them again."""
        self._roster.stale = True
        self._roster.dry.stir_all()
        self._event.set()

    def end(self) -> None:
        """Finish the round under way and return from ``run``."""
        self._ends = True
        self._event.set()

    async def run(self) -> None:
        """Feed until ``end``. A round that fails is logged and tried again; often: a banner, and
        this machine's own trouble at once."""
        while not self._ends:
            self._event.clear()
            try:
                wait = await self._round()
                self._failures = 0
                self.trouble = None
            except LocalTrouble as trouble:
                if self.trouble != trouble.message:
                    _log.warning("a round of the feeder failed: %s", trouble)
                self.trouble = trouble.message
                wait = await self._after_failure()
            except Exception:
                _log.exception("a round of the feeder failed")
                if self._failures + 1 >= FAILURES_TOLD:
                    self.trouble = message("engine.store_trouble")
                wait = await self._after_failure()
            self._on_round()
            if not self._ends:
                await event_or_time(self._event, self._clock, wait)

    async def _after_failure(self) -> float:
        """Let some time pass, longer each time; seconds until the next round."""
        self._roster.stale = True
        self._failures += 1
        await self._clock.sleep(ceiling(self._failures - 1, cap_s=FAILURE_WAIT_MAX_S))
        return 0.0

    async def _round(self) -> float | None:
        """Claim all that can be sent now; seconds until something changes by itself."""
        if self._is_open():
            await self._roster.look()
        served = self._roster.accounts() if self._is_open() else []
        for account in self._roster.open_accounts():
            if account not in served:
                account.limiter.rows_wait = False
        if not self._is_open():
            return None
        waits: list[float] = []
        for account in served:
            wait = await self._serve(account)
            if wait is not None:
                waits.append(wait)
        waits.extend(self._roster.dry.waits(self._clock.now()))
        return max(0.001, min(waits)) if waits else None

    async def _serve(self, account: Account) -> float | None:
        self._roster.dry.wet(self._clock.now())
        turns = Turns(self._roster.ready(account), account.turns)
        while (batch := turns.next()) is not None and self._is_open():
            room = self._room(batch)
            if room <= 0:
                wait = None if self._is_full() else self._ready_in(account, batch)
                account.limiter.rows_wait = wait is not None and account.limiter.has_slot
                for batch in turns.left():
                    await self.feeding.look(batch)
                return wait
            if await self.feeding.feed(batch, turns.take(room)):
                turns.again()
            else:
                turns.out()
        account.limiter.rows_wait = False
        return None

    def _room(self, batch: Batch) -> int:
        account = self._roster.line(batch.id).account
        room = account.breaker.room(account.limiter.free(batch.priority))
        return 0 if self._is_full() else room

    def _is_full(self) -> bool:
        """Whether so many answers wait for the disk that no more should be bought."""
        self._full = self._pool.unkept() >= UNKEPT_MAX
        return self._full

    def _ready_in(self, account: Account, batch: Batch) -> float | None:
        limiter = account.limiter.ready_in(batch.priority)
        if account.breaker.standing is Standing.OPEN:
            return limiter
        breaker = account.breaker.ready_in()
        return None if limiter is None or breaker is None else max(limiter, breaker)
