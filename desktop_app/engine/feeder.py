"""Claims rows whenever a slot, a token and an eligible row exist together, and sleeps otherwise."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable

from desktop_app.domain.batch import Batch, RunState
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.ports import EngineStore
from desktop_app.domain.retry import ceiling
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.engine.accounts import Account, Accounts, Line
from desktop_app.engine.breaker import Standing
from desktop_app.engine.claims import Claims
from desktop_app.engine.dry import Dry
from desktop_app.engine.endings import Endings
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.pool import Pool
from desktop_app.engine.waits import event_or_time

_log = logging.getLogger(__name__)

UNKEPT_MAX = 64
FAILURES_TOLD = 3
FAILURE_WAIT_MAX_S = 10.0
BROKEN_MAX = 5
STUCK_LOOK_S = 30.0


class Feeder:
    """One loop over the running batches. Batches and connections on one account take turns.

    A batch whose claim came back short is *dry* until something of it changes or falls due.
    """

    def __init__(
        self,
        *,
        store: EngineStore,
        accounts: Accounts,
        pool: Pool,
        guard: LocalGuard,
        endings: Endings,
        clock: Clock,
        is_open: Callable[[], bool],
        claims: Claims,
        on_round: Callable[[], None],
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._pool = pool
        self._guard = guard
        self._endings = endings
        self._clock = clock
        self._is_open = is_open
        self._claims = claims
        self._on_round = on_round
        self._event = asyncio.Event()
        self._stale = True
        self._ends = False
        self._failures = 0
        self._full = False
        self._lines: dict[int, Line] = {}
        self._dry = Dry()
        self._broken: dict[int, int] = {}
        self._watched: set[int] = set()
        self.held: set[int] = set()
        self.batches: dict[int, Batch] = {}
        self.trouble: Message | None = None

    def nudge(self) -> None:
        """A slot, a token or a fault changed: look again."""
        self._event.set()

    def handed(self) -> None:
        """An outcome came to the store: look again if too many were on their way there."""
        if self._full:
            self._event.set()

    def stir(self, batch_id: int) -> None:
        """Something of this batch changed: rows may be eligible that were not."""
        self._dry.stir(batch_id)
        self._event.set()

    def refresh(self) -> None:
        """Batches or connections changed: read them again."""
        self._stale = True
        self._dry.stir_all()
        self._event.set()

    def watch(self, batch_id: int) -> None:
        """A person set this batch going: its end is announced even if it has come already."""
        self._watched.add(batch_id)

    def broke(self, batch_id: int) -> None:
        """A flight of this batch broke by a fault of the program."""
        self._broken[batch_id] = self._broken.get(batch_id, 0) + 1

    def worked(self, batch_id: int) -> None:
        """A flight of this batch ended as it should."""
        self._broken.pop(batch_id, None)

    def end(self) -> None:
        """Finish the round under way and return from ``run``."""
        self._ends = True
        self._event.set()

    def is_running(self, batch_id: int) -> bool:
        """Whether rows of this batch may be sent."""
        return batch_id in self.batches and batch_id not in self.held

    def accounts(self) -> list[Account]:
        """The accounts of running batches, each once."""
        return list({line.account.key: line.account for line in self._lines.values()}.values())

    def has_work(self) -> bool:
        """Whether a running batch goes on without a person."""
        for batch_id in self.batches:
            line = self._lines.get(batch_id)
            if batch_id in self.held or self._endings.is_finished(batch_id) or line is None:
                continue
            standing = line.account.breaker.standing
            if standing not in (Standing.PAUSED, Standing.NO_KEY) and line.stopped is None:
                return True
        return False

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
        self._stale = True
        self._failures += 1
        await self._clock.sleep(ceiling(self._failures - 1, cap_s=FAILURE_WAIT_MAX_S))
        return 0.0

    async def _round(self) -> float | None:
        """Claim all that can be sent now; seconds until something changes by itself."""
        if self._is_open() and (self._stale or any(x.retired for x in self._lines.values())):
            await self._load()
        served = self.accounts() if self._is_open() else []
        for account in self._accounts.accounts:
            if account not in served:
                account.limiter.rows_wait = False
        if not self._is_open():
            return None
        waits: list[float] = []
        for account in self.accounts():
            wait = await self._serve(account)
            if wait is not None:
                waits.append(wait)
        waits.extend(self._dry.waits(self._clock.now()))
        return max(0.001, min(waits)) if waits else None

    async def _load(self) -> None:
        self._stale = False
        batches = {batch.id: batch for batch in await self._store.running_batches()}
        await self._see_off(self._watched - set(batches))
        self._watched |= set(batches)
        lines: dict[int, Line] = {}
        for batch in list(batches.values()):
            try:
                lines[batch.id] = await self._accounts.line(batch.connection_id)
            except OperatorError as error:
                await self._endings.pause(batch.id, error.message)
                del batches[batch.id]
        self.batches, self._lines = batches, lines
        self._dry.keep(set(batches))

    async def _see_off(self, batch_ids: set[int]) -> None:
        """Batches that no longer run: one that has come to its end is announced."""
        for batch_id in batch_ids:
            batch = await self._store.batch(batch_id)
            ended = batch is not None and batch.run_state is RunState.RUNNING
            if batch is None or not ended or await self._endings.announce(batch):
                self._watched.discard(batch_id)

    def _in_turn(self, account: Account) -> list[Batch]:
        mine = [
            batch
            for batch_id, batch in sorted(self.batches.items())
            if self._lines[batch_id].account is account and batch_id not in self.held
        ]
        return [b for b in mine if b.id > account.turn] + [b for b in mine if b.id <= account.turn]

    async def _serve(self, account: Account) -> float | None:
        self._dry.wet(self._clock.now())
        ready = [
            batch
            for batch in self._in_turn(account)
            if batch.id not in self._dry and self._lines[batch.id].stopped is None
        ]
        while ready and self._is_open():
            room = self._room(account)
            if room <= 0:
                wait = None if self._is_full() else self._ready_in(account)
                account.limiter.rows_wait = wait is not None and account.limiter.has_slot
                return wait
            batch = ready.pop(0)
            account.turn = batch.id
            share = math.ceil(room / (len(ready) + 1))
            if await self._feed(batch, share):
                ready.append(batch)
        account.limiter.rows_wait = False
        return None

    def _room(self, account: Account) -> int:
        room = account.breaker.room(account.limiter.free())
        return 0 if self._is_full() else room

    def _is_full(self) -> bool:
        """Whether so many answers wait for the disk that no more should be bought."""
        self._full = self._pool.unkept() >= UNKEPT_MAX
        return self._full

    def _ready_in(self, account: Account) -> float | None:
        limiter = account.limiter.ready_in()
        if account.breaker.standing is Standing.OPEN:
            return limiter
        breaker = account.breaker.ready_in()
        return None if limiter is None or breaker is None else max(limiter, breaker)

    async def _feed(self, batch: Batch, share: int) -> bool:
        """Claim and launch up to ``share`` rows. Whether the batch may have more."""
        line = self._lines[batch.id]
        if not await self._may_claim(batch):
            return False
        share = min(await self._budget(batch, share), self._room(line.account))
        first = line.first.room(line.limits.concurrency, line.flights)
        share = share if first is None else min(share, first)
        if share <= 0:
            return False
        stirs = self._dry.stirs(batch.id)
        now = self._clock.now()
        claims = await self._claims.take(batch, line, share)
        if len(claims) == share:
            return True
        due = await self._store.next_due([batch.id])
        due = due if due is not None and due > now else math.inf
        if not claims and due == math.inf and self._pool.count(batch.id) == 0:
            due = await self._at_end(batch, line)
        return not self._dry.mark(batch.id, due, stirs)

    async def _may_claim(self, batch: Batch) -> bool:
        if self._broken.get(batch.id, 0) >= BROKEN_MAX:
            self.held.add(batch.id)
            self._broken.pop(batch.id, None)
            await self._endings.pause(batch.id, message("engine.broken", n=BROKEN_MAX))
            self.refresh()
            return False
        return await self._guard.fine(batch.out_dir) and self.is_running(batch.id)

    async def _budget(self, batch: Batch, share: int) -> int:
        """How many of ``share`` calls the batch's cap leaves; a cap that is used up pauses it."""
        left = await self._claims.left(batch)
        if left is None or left > 0:
            return share if left is None else min(left, share)
        if self._pool.count(batch.id) == 0:
            if not await self._endings.announce(batch):
                said = message("engine.max_calls", n=batch.max_calls)
                await self._endings.pause(batch.id, said)
            self._stale = True
        return 0

    async def _at_end(self, batch: Batch, line: Line) -> float:
        """Nothing in flight, eligible or due; returns when to look again, epoch seconds."""
        if await self._endings.announce(batch):
            return math.inf
        # Between claim and ledger somebody may have requeued: only a second look is proof.
        if self._room(line.account) > 0 and await self._claims.take(batch, line, 1):
            return self._clock.now()
        if await self._endings.stuck(batch.id, self._clock.now(), self.is_running):
            self._stale = True
            return math.inf
        return self._clock.now() + STUCK_LOOK_S
