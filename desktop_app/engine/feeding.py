"""Claims what may go of one batch, and notices where no more of it can go."""

from __future__ import annotations

import math
from collections.abc import Callable

from desktop_app.domain.batch import Batch
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import EngineStore
from desktop_app.domain.text import message
from desktop_app.engine.claims import Claims
from desktop_app.engine.endings import Endings
from desktop_app.engine.lines import Line
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.pool import Pool
from desktop_app.engine.roster import Roster

BROKEN_MAX = 5
STUCK_LOOK_S = 30.0


class Feeding:
    """A batch whose claim came back short is *dry* until something of it changes or falls due.

    ``room`` says how many rows of a batch may be claimed now; ``refresh``: batches are to be read
    again, at once.
    """

    def __init__(
        self,
        *,
        store: EngineStore,
        roster: Roster,
        pool: Pool,
        guard: LocalGuard,
        endings: Endings,
        claims: Claims,
        clock: Clock,
        room: Callable[[Batch], int],
        refresh: Callable[[], None],
    ) -> None:
        self._store = store
        self._roster = roster
        self._pool = pool
        self._guard = guard
        self._endings = endings
        self._claims = claims
        self._clock = clock
        self._room = room
        self._refresh = refresh
        self._broken: dict[int, int] = {}
        self._looked: dict[int, tuple[Batch, int]] = {}

    def broke(self, batch_id: int) -> None:
        """A flight of this batch broke by a fault of the program."""
        self._broken[batch_id] = self._broken.get(batch_id, 0) + 1

    def worked(self, batch_id: int) -> None:
        """A flight of this batch ended as it should."""
        self._broken.pop(batch_id, None)

    async def feed(self, batch: Batch, share: int) -> bool:
        """Claim and launch up to ``share`` rows. Whether the batch may have more, now or when
        there is room again."""
        line = self._roster.line(batch.id)
        if not await self._may_claim(batch):
            return False
        share = await self._budget(batch, share)
        first = line.first.room(line.limits.concurrency, line.flights)
        share = share if first is None else min(share, first)
        if share <= 0:
            return False
        share = min(share, self._room(batch))
        if share <= 0:
            return True  # what took the room meanwhile may have told nobody when there is some
        dry = self._roster.dry
        stirs = dry.stirs(batch.id)
        now = self._clock.now()
        claims = await self._claims.take(batch, line, share)
        if len(claims) == share:
            return True
        due = await self._next_due(batch, now)
        if not claims and due == math.inf and self._pool.count(batch.id) == 0:
            due = await self._at_end(batch, line)
        return not dry.mark(batch.id, due, stirs)

    async def look(self, batch: Batch) -> None:
        """Notice the end of a batch where there is no room for a claim, which would tell: its rows
        may all be done, or none of them open. Once after each change of it."""
        stirs = self._roster.dry.stirs(batch.id)
        known, at = self._looked.get(batch.id, (None, 0))
        if (known is batch and at == stirs) or self._pool.count(batch.id):
            return
        await self._look(batch, stirs)
        self._looked[batch.id] = batch, stirs

    async def _look(self, batch: Batch, stirs: int) -> None:
        now = self._clock.now()
        if await self._budget(batch, 1) <= 0 or await self._store.claimable(batch.id, now):
            return
        due = await self._next_due(batch, now)
        if due == math.inf and self._pool.count(batch.id) == 0:
            due = await self._at_end(batch, self._roster.line(batch.id))
        self._roster.dry.mark(batch.id, due, stirs)

    async def _next_due(self, batch: Batch, now: float) -> float:
        due = await self._store.next_due([batch.id])
        return due if due is not None and due > now else math.inf

    async def _may_claim(self, batch: Batch) -> bool:
        if self._broken.get(batch.id, 0) >= BROKEN_MAX:
            self._roster.held.add(batch.id)
            self._broken.pop(batch.id, None)
            await self._endings.pause(batch.id, message("engine.broken", n=BROKEN_MAX))
            self._refresh()
            return False
        return await self._guard.fine(batch.out_dir) and self._roster.is_running(batch.id)

    async def _budget(self, batch: Batch, share: int) -> int:
        """How many of ``share`` calls the batch's cap leaves; a cap that is used up pauses it."""
        left = await self._claims.left(batch)
        if left is None or left > 0:
            return share if left is None else min(left, share)
        if self._pool.count(batch.id) == 0:
            if not await self._endings.announce(batch):
                said = message("engine.max_calls", n=batch.max_calls)
                await self._endings.pause(batch.id, said)
            self._roster.stale = True
        return 0

    async def _at_end(self, batch: Batch, line: Line) -> float:
        """Nothing in flight, eligible or due; returns when to look again, epoch seconds."""
        if await self._endings.announce(batch):
            return math.inf
        # Between claim and ledger somebody may have requeued: only a second look is proof.
        if self._room(batch) > 0 and await self._claims.take(batch, line, 1):
            return self._clock.now()
        if await self._endings.stuck(batch.id, self._clock.now(), self._roster.is_running):
            self._roster.stale = True
            return math.inf
        return self._clock.now() + STUCK_LOOK_S
