"""The engine as the house sees it: levers for a person, and the wiring of its own parts."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Mapping
from typing import Any

from desktop_app.domain.attempt import Claim
from desktop_app.domain.batch import RunState
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.events import BatchChanged
from desktop_app.domain.ports import (
    Adapters,
    ConnectionStore,
    EngineStore,
    KeepAwake,
    ResultFiles,
    Secrets,
    TaskActions,
)
from desktop_app.domain.retry import Draw
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import Banner, TaskFilter
from desktop_app.engine import banners as say
from desktop_app.engine.accounts import Accounts, Defaults, Line
from desktop_app.engine.breaker import Standing
from desktop_app.engine.completer import Completer
from desktop_app.engine.endings import Endings
from desktop_app.engine.feeder import Feeder
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.news import News
from desktop_app.engine.orphans import Orphans
from desktop_app.engine.outcomes import Outcomes
from desktop_app.engine.pool import Flight, Leave, Pool
from desktop_app.engine.upkeep import Pump, Upkeep
from desktop_app.engine.worker import Worker

_log = logging.getLogger(__name__)

ASIDE_S = 30.0
STOP_S = 3.0


class Engine:
    """Implements ``EngineControl``. Nothing runs before ``start``; nothing is sent before
    ``resume``. Everything is called on the loop that started it."""

    def __init__(
        self,
        *,
        store: EngineStore,
        actions: TaskActions,
        connections: ConnectionStore,
        adapters: Adapters,
        files: ResultFiles,
        secrets: Secrets,
        awake: KeepAwake,
        clock: Clock,
        bus: Bus,
        pump: Pump | None = None,
        defaults: Defaults = Defaults(),  # noqa: B008 - frozen
        draw: Draw = random.random,
    ) -> None:
        self._store = store
        self._actions = actions
        self._awake = awake
        self._clock = clock
        self._bus = bus
        self._is_awake = False
        self._draining = False
        self._stopping = False
        self._tasks: list[asyncio.Task[None]] = []
        self._closing: set[asyncio.Task[None]] = set()
        self._news = News(bus, clock)
        self._guard = LocalGuard(files, clock, self._fault_changed)
        self._completer = Completer(store, clock, draw, self._fault_changed)
        self._accounts = Accounts(
            store=store,
            connections=connections,
            adapters=adapters,
            secrets=secrets,
            clock=clock,
            draw=draw,
            defaults=defaults,
        )
        self._pool = Pool(clock, self._flight_ended)
        self._endings = Endings(store, bus, self._news)
        self._feeder = Feeder(
            store=store,
            accounts=self._accounts,
            pool=self._pool,
            guard=self._guard,
            endings=self._endings,
            clock=clock,
            is_open=self._is_open,
            launch=self._launch,
            set_aside=self._set_aside,
            on_round=self._round_done,
        )
        self._outcomes = Outcomes(
            actions=actions,
            completer=self._completer,
            guard=self._guard,
            accounts=self._accounts,
            news=self._news,
            clock=clock,
            draw=draw,
            nudge=self._feeder.nudge,
        )
        self._worker = Worker(
            store=store,
            files=files,
            outcomes=self._outcomes,
            guard=self._guard,
            clock=clock,
            may_send=self._may_send,
            on_broken=self._flight_broke,
        )
        self._upkeep = Upkeep(
            store=store,
            accounts=self._accounts,
            pool=self._pool,
            guard=self._guard,
            news=self._news,
            clock=clock,
            pump=pump,
            refresh=self._feeder.refresh,
        )
        self._orphans = Orphans(
            store=store,
            connections=connections,
            adapters=adapters,
            files=files,
            clock=clock,
            draw=draw,
        )

    # --- a person's levers -------------------------------------------------------------------

    async def start(self) -> None:
        """Pause what was unfinished, settle what was on its way, then wait for ``resume``."""
        for batch_id in await self._store.pause_all_unfinished(message("engine.restarted")):
            self._bus.publish(BatchChanged(batch_id))
        await self._orphans.settle()
        for work in (self._feeder.run(), self._upkeep.run(), self._news.run()):
            self._tasks.append(asyncio.ensure_future(work))

    async def resume(self, batch_id: int) -> None:
        """Let the batch run."""
        await self._store.set_run_state(batch_id, RunState.RUNNING)
        self._draining = False
        self._feeder.held.discard(batch_id)
        self._bus.publish(BatchChanged(batch_id))
        self.wake()

    async def pause(
        self, batch_id: int, *, now: bool = False, reason: Message | None = None
    ) -> None:
        """Claim no more; with ``now`` calls that have not begun are given back as well."""
        self._feeder.held.add(batch_id)
        if now:
            for flight in self._pool.flights(batch_id):
                flight.end_early(Leave.GIVE_BACK)
        await self._store.set_run_state(batch_id, RunState.PAUSED, reason)
        self._bus.publish(BatchChanged(batch_id))
        self.wake()

    async def cancel(self, which: TaskFilter) -> int:
        """Cancel waiting rows; of those in flight the unsent are cancelled too, the sent finish."""
        changed = await self._actions.cancel(which, self._clock.now())
        for flight in self._pool.flights(which.batch_id):
            if await self._store.cancel_requested(flight.claim.task_pk):
                flight.cancel_requested = True
                flight.end_early(Leave.GIVE_BACK)
        self.wake()
        return changed

    async def drain(self, timeout_s: float | None) -> int:
        """Claim nothing more and wait for the wire; returns how many are still out. ``resume``
        ends the draining."""
        self._draining = True
        await self._pool.empty(timeout_s)
        self._news.changed()
        return self._pool.count()

    async def stop(self) -> None:
        """End: the unsent are given back, answers that are in are kept, the rest stays RUNNING."""
        self._stopping = True
        self._feeder.end()
        for flight in self._pool.flights():
            flight.end_early(Leave.STOP)
        feeder, rest = self._tasks[:1], self._tasks[1:]
        if feeder:
            await asyncio.wait(feeder, timeout=STOP_S)
        await self._pool.empty(STOP_S)
        await self._pool.cancel()
        for task in (*feeder, *rest):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._tasks.clear()
        self._news.flush_dead()
        self._news.flush()
        await asyncio.gather(*self._closing)
        await self._accounts.close()
        self._keep_awake(False)

    def wake(self) -> None:
        """Something changed in the store: look again."""
        self._feeder.refresh()
        self._news.changed()

    async def retry_account(self, connection_id: int) -> bool:
        """ "Try again": the cheap test call; if it passes one other row goes next. Whether it
        passed. Raises OperatorError where the connection can't be opened."""
        line = await self._accounts.line(connection_id)
        if line.account.breaker.standing is Standing.NO_KEY:
            line = await self._accounts.reopen(connection_id)
            self.wake()
            if line.account.breaker.standing is Standing.NO_KEY:
                return False
        breaker = line.account.breaker
        breaker.probe_now()
        report = await line.adapter.test()
        if not report.ok:
            return False
        if line.stopped is not None:
            line.stopped = line.stopped_code = None
            line.first.again()
        if breaker.standing is Standing.PAUSED:
            breaker.prove()
            await self._accounts.persist(line.account)
        self._news.connections_changed()
        self.wake()
        return True

    async def connection_changed(self, connection_id: int) -> None:
        """Connection or key changed: open it anew and forget its troubles."""
        old = self._accounts.lines.get(connection_id)
        with contextlib.suppress(OperatorError):
            line = await self._accounts.reopen(connection_id)
            for account in {id(o.account): o.account for o in (old, line) if o}.values():
                if account.breaker.standing is not Standing.NO_KEY:
                    account.breaker.reset()
                    await self._accounts.persist(account)
        self._news.connections_changed()
        self.wake()

    # --- what is to be seen ------------------------------------------------------------------

    def in_flight(self, batch_id: int | None = None) -> int:
        """Claimed rows whose outcome is not committed yet."""
        return self._pool.count(batch_id)

    def account_states(self) -> Mapping[int, tuple[str, Message | None]]:
        """How each open connection stands: (AccountState word, why)."""
        return {id_: line.standing() for id_, line in self._accounts.lines.items()}

    def rates(self) -> Mapping[str, Any]:
        """See ``engine.banners.rates``; over the accounts of running batches."""
        return say.rates(self._feeder.accounts(), self._clock)

    def trouble(self) -> Message | None:
        """The local fault that holds the whole engine, or None."""
        if self._guard.said is not None:
            return self._guard.said
        return message("engine.store_trouble") if self._completer.owed else self._feeder.trouble

    def banners(self) -> tuple[Banner, ...]:
        """What the banner line has to say, the most serious first."""
        return say.banners(self._accounts.lines.values(), self.trouble(), self._clock)

    # --- how the parts meet ------------------------------------------------------------------

    def _is_open(self) -> bool:
        return not (
            self._draining or self._stopping or self._completer.owed or self._guard.said is not None
        )

    def _may_send(self, flight: Flight) -> bool:
        line = flight.line
        standing = line.account.breaker.standing
        return (
            self._is_open()
            and self._feeder.is_running(flight.claim.batch_id)
            and not line.retired
            and line.stopped is None
            and (standing is Standing.OPEN or flight.probe)
            and line.account.limiter.slowed_until is None
        )

    def _launch(self, claim: Claim, line: Line) -> None:
        flight = Flight(claim, line, self._clock.now(), probe=line.account.breaker.is_probing)
        if flight.probe:
            line.account.breaker.probe_starts()
        self._pool.start(flight, self._worker.run(flight))
        self._news.changed()

    def _set_aside(self, claim: Claim, line: Line) -> asyncio.Future[None]:
        flight = Flight(claim, line, self._clock.now(), landed=True)
        return asyncio.ensure_future(self._outcomes.give_back(flight, ASIDE_S))

    def _flight_broke(self, flight: Flight) -> None:
        flight.broken = True
        self._feeder.broke(flight.claim.batch_id)

    def _flight_ended(self, flight: Flight) -> None:
        if not flight.broken:
            self._feeder.worked(flight.claim.batch_id)
        self._feeder.stir(flight.claim.batch_id)
        self._news.changed()
        if flight.line.retired and flight.line.flights == 0:
            closing = asyncio.ensure_future(self._accounts.close_unused(flight.line))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _fault_changed(self) -> None:
        self._news.changed()
        self._feeder.nudge()

    def _round_done(self) -> None:
        self._keep_awake(self._pool.count() > 0 or self._feeder.has_work())

    def _keep_awake(self, on: bool) -> None:
        if on is self._is_awake:
            return
        self._is_awake = on
        if on:
            self._awake.hold()
        else:
            self._awake.release()
