"""Takes rows from the store, with slots and tokens in hand before and given back after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from desktop_app.domain.attempt import Claim
from desktop_app.domain.batch import Batch
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import EngineStore
from desktop_app.engine.breaker import Standing
from desktop_app.engine.endings import Endings
from desktop_app.engine.lines import Line


class Claims:
    """``launch`` sends a claimed row off; ``set_aside`` gives one back for a while."""

    def __init__(
        self,
        *,
        store: EngineStore,
        endings: Endings,
        clock: Clock,
        launch: Callable[[Claim, Line], None],
        set_aside: Callable[[Claim, Line], asyncio.Future[None]],
    ) -> None:
        self._store = store
        self._endings = endings
        self._clock = clock
        self._launch = launch
        self._set_aside = set_aside

    async def left(self, batch: Batch) -> int | None:
        """Calls left of the batch's cap, those on the wire counted as used; None: no cap."""
        if batch.max_calls is None:
            return None
        return batch.max_calls - (await self._store.ledger(batch.id)).attempts

    async def take(self, batch: Batch, line: Line, share: int) -> list[Claim]:
        """Claim up to ``share`` rows and launch them."""
        limiter = line.account.limiter
        limiter.take(share)
        claims: list[Claim] = []
        try:
            if line.account.breaker.standing is Standing.PROVING:
                claims = await self._another(batch, line)
            else:
                claims = await self._store.claim(batch.id, share, self._clock.now())
        finally:
            limiter.put_back(share - len(claims))
        for claim in claims:
            self._endings.goes_on(batch.id)
            self._launch(claim, line)
        return claims

    async def _another(self, batch: Batch, line: Line) -> list[Claim]:
        """One row other than those whose refusal paused the account; one of those if no other."""
        aside: list[Claim] = []
        try:
            while True:
                claims = await self._store.claim(batch.id, 1, self._clock.now())
                if not claims or not line.account.breaker.is_suspect(claims[0].task_pk):
                    break
                aside.extend(claims)
            if not claims and aside:
                claims = [aside.pop(0)]
        finally:  # also where the next claim failed: nobody else knows of these
            await asyncio.gather(*(self._set_aside(claim, line) for claim in aside))
        return claims
