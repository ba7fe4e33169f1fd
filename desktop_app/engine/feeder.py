"""Claims rows whenever a slot, a token and an eligible row exist together, and sleeps otherwise."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable

from desktop_app.domain.attempt import Claim
from desktop_app.domain.batch import Batch
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import EngineStore
from desktop_app.domain.retry import ceiling
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.engine.accounts import Account, Accounts, Line
from desktop_app.engine.breaker import Standing
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
        launch: Callable[[Claim, Line], None],
        set_aside: Callable[[Claim, Line], asyncio.Future[None]],
        on_round: Callable[[], None],
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._pool = pool
        self._guard = guard
        self._endings = endings
        self._clock = clock
        self._is_open = is_open
        self._launch = launch
        self._set_aside = set_aside
        self._on_round = on_round
        self._event = asyncio.Event()
        self._stale = True
        self._ends = False
        self._failures = 0
        self._lines: dict[int, Line] = {}
        self._dry: dict[int, float] = {}
        self._stirs: dict[int, int] = {}
        self._broken: dict[int, int] = {}
        self.held: set[int] = set()
        self.batches: dict[int, Batch] = {}
        self.trouble: Message | None = None

    def nudge(self) -> None:
        """A slot, a token or a fault changed: look again."""
        self._event.set()

    def stir(self, batch_id: int) -> None:
        """Something of this batch changed: rows may be eligible that were not."""
        self._stirs[batch_id] = self._stirs.get(batch_id, 0) + 1
        self._dry.pop(batch_id, None)
        self._event.set()

    def refresh(self) -> None:
        """Batches or connections changed: read them again."""
        self._stale = True
        for batch_id in list(self._dry):
            self.stir(batch_id)
        self._event.set()

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
        """Feed until ``end``. A round that fails is logged and tried again; often: a banner."""
        while not self._ends:
            self._event.clear()
            try:
                wait = await self._round()
                self._failures = 0
                self.trouble = None
            except Exception:
                _log.exception("a round of the feeder failed")
                self._stale = True
                self._failures += 1
                if self._failures >= FAILURES_TOLD:
                    self.trouble = message("engine.store_trouble")
                await self._clock.sleep(ceiling(self._failures - 1, cap_s=FAILURE_WAIT_MAX_S))
                wait = 0.0
            self._on_round()
            if not self._ends:
                await event_or_time(self._event, self._clock, wait)

    async def _round(self) -> float | None:
        """Claim all that can be sent now; seconds until something changes by itself."""
        if not self._is_open():
            return None
        if self._stale:
            await self._load()
        waits: list[float] = []
        for account in self.accounts():
            wait = await self._serve(account)
            if wait is not None:
                waits.append(wait)
        now = self._clock.now()
        waits.extend(due - now for due in self._dry.values() if due < math.inf)
        return max(0.001, min(waits)) if waits else None

    async def _load(self) -> None:
        self._stale = False
        batches = {batch.id: batch for batch in await self._store.running_batches()}
        lines: dict[int, Line] = {}
        for batch in list(batches.values()):
            try:
                lines[batch.id] = await self._accounts.line(batch.connection_id)
            except OperatorError as error:
                await self._endings.pause(batch.id, error.message)
                del batches[batch.id]
        self.batches, self._lines = batches, lines
        for known in (self._dry, self._stirs, self._broken):
            for batch_id in set(known) - set(batches):
                del known[batch_id]

    def _in_turn(self, account: Account) -> list[Batch]:
        mine = [
            batch
            for batch_id, batch in sorted(self.batches.items())
            if self._lines[batch_id].account is account and batch_id not in self.held
        ]
        return [b for b in mine if b.id > account.turn] + [b for b in mine if b.id <= account.turn]

    async def _serve(self, account: Account) -> float | None:
        now = self._clock.now()
        for batch_id in [b for b, due in self._dry.items() if due <= now]:
            del self._dry[batch_id]
        ready = [
            batch
            for batch in self._in_turn(account)
            if batch.id not in self._dry and self._lines[batch.id].stopped is None
        ]
        while ready and self._is_open():
            room = self._room(account)
            if room <= 0:
                return None if self._is_full() else self._ready_in(account)
            batch = ready.pop(0)
            account.turn = batch.id
            share = math.ceil(room / (len(ready) + 1))
            if await self._feed(batch, share):
                ready.append(batch)
        return None

    def _room(self, account: Account) -> int:
        room = account.breaker.room(account.limiter.free())
        return 0 if self._is_full() else room

    def _is_full(self) -> bool:
        """Whether so many answers wait for the disk that no more should be bought."""
        return self._pool.unkept() >= UNKEPT_MAX

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
        share = min(share, self._room(line.account), await self._budget(batch, share))
        if share <= 0:
            return False
        stirs = self._stirs.get(batch.id, 0)
        now = self._clock.now()
        claims = await self._claim(batch, line, share)
        if len(claims) == share:
            return True
        due = await self._store.next_due([batch.id])
        due = due if due is not None and due > now else math.inf
        if not claims and due == math.inf and self._pool.count(batch.id) == 0:
            if await self._at_end(batch, line):
                return False
            due = self._clock.now() + STUCK_LOOK_S
        if self._stirs.get(batch.id, 0) == stirs:
            self._dry[batch.id] = due
            return False
        return True

    async def _may_claim(self, batch: Batch) -> bool:
        if self._broken.get(batch.id, 0) >= BROKEN_MAX:
            self.held.add(batch.id)
            self._broken.pop(batch.id, None)
            await self._endings.pause(batch.id, message("engine.broken", n=BROKEN_MAX))
            self.refresh()
            return False
        return await self._guard.fine(batch.out_dir) and self.is_running(batch.id)

    async def _budget(self, batch: Batch, share: int) -> int:
        """Calls left of the batch's cap. Attempts on the wire may or may not be counted yet, so
        near the cap this waits for them."""
        if batch.max_calls is None:
            return share
        attempts = (await self._store.ledger(batch.id)).attempts
        out = self._pool.count(batch.id)
        if attempts >= batch.max_calls and out == 0:
            if not await self._endings.announce(batch):
                said = message("engine.max_calls", n=batch.max_calls)
                await self._endings.pause(batch.id, said)
            self._stale = True
        return batch.max_calls - attempts - out

    async def _claim(self, batch: Batch, line: Line, share: int) -> list[Claim]:
        limiter, breaker = line.account.limiter, line.account.breaker
        limiter.take(share)
        claims: list[Claim] = []
        try:
            if breaker.standing is Standing.PROVING:
                claims = await self._claim_other(batch, line)
            else:
                claims = await self._store.claim(batch.id, share, self._clock.now())
        finally:
            limiter.put_back(share - len(claims))
        for claim in claims:
            self._endings.goes_on(batch.id)
            self._launch(claim, line)
        return claims

    async def _claim_other(self, batch: Batch, line: Line) -> list[Claim]:
        """One row other than those whose refusal paused the account; one of those if no other."""
        aside: list[Claim] = []
        while True:
            claims = await self._store.claim(batch.id, 1, self._clock.now())
            if not claims or not line.account.breaker.is_suspect(claims[0].task_pk):
                break
            aside.extend(claims)
        if not claims and aside:
            claims = [aside.pop(0)]
        await asyncio.gather(*(self._set_aside(claim, line) for claim in aside))
        return claims

    async def _at_end(self, batch: Batch, line: Line) -> bool:
        """Nothing in flight, eligible or due. Whether that was dealt with."""
        if await self._endings.announce(batch):
            self._dry[batch.id] = math.inf
            return True
        # Between claim and ledger somebody may have requeued: only a second look is proof.
        if self._room(line.account) > 0 and await self._claim(batch, line, 1):
            return True
        if await self._endings.stuck(batch.id):
            self._stale = True
            return True
        return False
