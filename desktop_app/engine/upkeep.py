"""What has to be looked at from time to time, because nobody else would notice."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import EngineStore
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.breaker import Standing
from desktop_app.engine.endings import Endings
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.news import News
from desktop_app.engine.orphans import Orphans
from desktop_app.engine.poller import Poller

_log = logging.getLogger(__name__)

PUMP_S = 0.5
LOOK_S = 5.0
SWEEP_S = 30.0
JUMP_S = 30.0

Pump = Callable[[], Awaitable[None]]


class Upkeep:
    """The command pump, mended folders, quota resets, a new day, and a computer that slept."""

    def __init__(
        self,
        *,
        store: EngineStore,
        accounts: Accounts,
        guard: LocalGuard,
        orphans: Orphans,
        endings: Endings,
        poller: Poller,
        news: News,
        clock: Clock,
        pump: Pump | None,
        refresh: Callable[[], None],
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._guard = guard
        self._orphans = orphans
        self._endings = endings
        self._poller = poller
        self._news = news
        self._clock = clock
        self._pump = pump
        self._refresh = refresh
        self._looked = self._swept = clock.monotonic()
        self._jumped = False

    async def run(self) -> None:
        """Look until cancelled."""
        apart = LOOK_S if self._pump is None else PUMP_S
        while True:
            before = self._clock.now()
            await self._clock.sleep(apart)
            try:
                await self._tick(self._clock.now() - before - apart)
            except Exception:
                _log.exception("upkeep failed")

    async def _tick(self, away_s: float) -> None:
        if self._pump is not None:
            await self._pump()
        if abs(away_s) > JUMP_S:  # and again where the disk was full just then
            self._jumped = True
        if self._jumped:
            await self.after_jump()
            self._jumped = False
        now = self._clock.monotonic()
        if now - self._looked >= LOOK_S:
            self._looked = now
            await self._guard.look_again()
            await self._reset_quotas()
            if await self._endings.next_day(self._clock.now()):
                self._refresh()
            self._news.changed()
        if now - self._swept >= SWEEP_S:
            self._swept = now
            if await self._orphans.try_left():
                self._refresh()

    async def after_jump(self) -> None:
        """The computer slept or its clock was set: no burst, no endless wait. Calls that are out
        are let be: their deadlines are monotonic, and an answer may still arrive."""
        for account in self._accounts.accounts:
            account.limiter.after_jump()
            account.breaker.probe_now()
            account.breaker.clamp()
        self._poller.after_jump()
        await self._store.spread_due(self._clock.now())
        self._refresh()

    async def _reset_quotas(self) -> None:
        now = self._clock.now()
        for account in self._accounts.accounts:
            breaker = account.breaker
            if breaker.standing is not Standing.PAUSED or breaker.until is None:
                continue
            if now >= breaker.until:
                breaker.prove()
                await self._accounts.persist(account)
                self._news.connections_changed()
                self._refresh()
