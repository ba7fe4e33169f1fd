"""The parts that run flights, and how they meet: who may send, what follows a flight's end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from desktop_app.domain.attempt import Claim, Orphan
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.ports import EngineStore, KeepAwake, ResultFiles, Secrets, TaskActions
from desktop_app.domain.ports.callbacks import CallbackAddresses
from desktop_app.domain.retry import Draw
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.admission import Admission
from desktop_app.engine.breaker import Standing
from desktop_app.engine.callbacks import Callbacks
from desktop_app.engine.claims import Claims
from desktop_app.engine.completer import Completer
from desktop_app.engine.consequences import Consequences
from desktop_app.engine.doubts import Doubts
from desktop_app.engine.endings import Endings
from desktop_app.engine.feeder import Feeder
from desktop_app.engine.holds import Holds
from desktop_app.engine.jobs import Jobs
from desktop_app.engine.keeper import Keeper
from desktop_app.engine.late_answers import LateAnswers
from desktop_app.engine.late_jobs import LateJobs
from desktop_app.engine.lines import Line
from desktop_app.engine.local_trouble import LocalGuard
from desktop_app.engine.news import News
from desktop_app.engine.outcomes import Outcomes
from desktop_app.engine.poller import Poller
from desktop_app.engine.pool import Flight, Pool
from desktop_app.engine.processing import Processing
from desktop_app.engine.rescue import Rescue
from desktop_app.engine.roster import Roster
from desktop_app.engine.staying_awake import StayingAwake
from desktop_app.engine.worker import Worker

ASIDE_S = 30.0


class Parts:
    """Built once by the engine. ``draining`` and ``stopping`` close the way to the wire."""

    def __init__(
        self,
        *,
        store: EngineStore,
        actions: TaskActions,
        accounts: Accounts,
        files: ResultFiles,
        processing: Processing,
        awake: KeepAwake,
        clock: Clock,
        bus: Bus,
        draw: Draw,
        secrets: Secrets,
        addresses: CallbackAddresses | None,
        begun: Callable[[], Awaitable[object]],
    ) -> None:
        self._clock = clock
        self.awake = StayingAwake(awake)
        self.draining = False
        self.stopping = False
        self.closing: set[asyncio.Task[None]] = set()
        self.accounts = accounts
        self.news = News(bus, clock)
        self.guard = LocalGuard(files, clock, self._fault_changed)
        self.completer = Completer(store, clock, draw, self._fault_changed, self._goes_on)
        self.pool = Pool(clock, self._flight_ended)
        self.endings = Endings(store, bus, self.news)
        self.roster = Roster(store, accounts, self.endings)
        self.feeder = Feeder(
            store=store,
            roster=self.roster,
            pool=self.pool,
            guard=self.guard,
            endings=self.endings,
            clock=clock,
            is_open=self._is_open,
            claims=Claims(
                store=store,
                endings=self.endings,
                clock=clock,
                launch=self._launch,
                set_aside=self._set_aside,
            ),
            on_round=self._round_done,
        )
        consequences = Consequences(
            accounts=accounts, guard=self.guard, news=self.news, clock=clock
        )
        self._outcomes = Outcomes(
            store=store,
            actions=actions,
            completer=self.completer,
            consequences=consequences,
            accounts=accounts,
            news=self.news,
            clock=clock,
            draw=draw,
            nudge=self.feeder.nudge,
            handed=self.feeder.handed,
        )
        keeper = Keeper(
            files=files, outcomes=self._outcomes, guard=self.guard, processing=processing
        )
        self.poller = Poller(
            accounts=accounts, clock=clock, draw=draw, refused=consequences.poll_refused
        )
        jobs = Jobs(
            accounts=accounts,
            completer=self.completer,
            outcomes=self._outcomes,
            poller=self.poller,
            keeper=keeper,
            clock=clock,
            draw=draw,
        )
        self._holds = Holds(self.pool, self.feeder.nudge)
        self._late_jobs = LateJobs(
            completer=self.completer,
            holds=self._holds,
            clock=clock,
            begun=begun,
        )
        self.callbacks = Callbacks(
            store=store,
            accounts=accounts,
            secrets=secrets,
            pool=self.pool,
            poller=self.poller,
            clock=clock,
            late_jobs=self._late_jobs,
            holds=self._holds,
            follow=self._goes_on,
            addresses=addresses,
        )
        self._late_answers = LateAnswers(
            keeper=keeper,
            late_jobs=self._late_jobs,
            holds=self._holds,
            processing=processing,
            clock=clock,
            on_late=lambda flight: self.feeder.stir(flight.claim.batch_id),
        )
        self._admission = Admission(clock, self._may_send, self.feeder.nudge)
        self._worker = Worker(
            store=store,
            outcomes=self._outcomes,
            doubts=Doubts(
                accounts=accounts, outcomes=self._outcomes, jobs=jobs, clock=clock, draw=draw
            ),
            jobs=jobs,
            late_answers=self._late_answers,
            keeper=keeper,
            processing=processing,
            callbacks=self.callbacks,
            admission=self._admission,
            clock=clock,
            may_send=self._may_send,
            on_broken=self._flight_broke,
        )
        self.rescue = Rescue(
            store=store,
            accounts=accounts,
            completer=self.completer,
            pool=self.pool,
            clock=clock,
            take_up=self._worker.take_up,
            named=self.callbacks.named,
        )

    def _is_open(self) -> bool:
        return not (
            self.draining
            or self.stopping
            or self.completer.owed
            or self._holds.any
            or self.guard.said is not None
        )

    def _may_send(self, flight: Flight) -> bool:
        line = flight.line
        standing = line.account.breaker.standing
        return (
            self._is_open()
            and self.roster.is_running(flight.claim.batch_id)
            and not line.retired
            and line.stopped is None
            and (standing is Standing.OPEN or flight.probe > 0)
            and line.account.limiter.slowed_until is None
        )

    def _launch(self, claim: Claim, line: Line) -> None:
        flight = Flight(claim, line, self._clock.now())
        if line.account.breaker.is_probing:
            flight.probe = line.account.breaker.probe_starts()
        if line.account.limiter.allowances.is_stated:
            self._admission.weigh(flight)
        self.pool.start(flight, self._worker.run(flight))
        self.news.changed()

    def _set_aside(self, claim: Claim, line: Line) -> asyncio.Future[None]:
        flight = Flight(claim, line, self._clock.now(), landed=True)
        return asyncio.ensure_future(self._outcomes.give_back(flight, ASIDE_S))

    def _flight_broke(self, flight: Flight) -> None:
        flight.broken = True
        self.feeder.feeding.broke(flight.claim.batch_id)

    def _flight_ended(self, flight: Flight) -> None:
        if not flight.broken:
            self.feeder.feeding.worked(flight.claim.batch_id)
        self.feeder.stir(flight.claim.batch_id)
        self.news.changed()
        if flight.named is not None and not self.stopping:
            self._see_to(self._late_jobs.ended(flight))
        if flight.line.retired and flight.line.flights == 0:
            self._see_to(self.accounts.close_unused(flight.line))

    def _see_to(self, work: Coroutine[Any, Any, None]) -> None:
        closing = asyncio.ensure_future(work)
        self.closing.add(closing)
        closing.add_done_callback(self.closing.discard)

    async def closed(self, timeout_s: float) -> None:
        """Let go of calls that were given up, and wait for what follows of flights that have ended,
        at most ``timeout_s``: a disk that is full may keep it from ever coming to an end."""
        await self._late_answers.stop()
        await self._late_jobs.stop(timeout_s)
        if not self.closing:
            return
        _, left = await asyncio.wait(self.closing, timeout=timeout_s)
        for task in left:
            task.cancel()

    def _goes_on(self, orphan: Orphan) -> None:
        self.rescue.start(orphan)

    def _fault_changed(self) -> None:
        self.news.changed()
        self.feeder.nudge()

    def _round_done(self) -> None:
        self.awake.turn(self.pool.count() > 0 or self.roster.has_work())
