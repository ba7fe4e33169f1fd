"""The engine as the house sees it, with a lever for all that a person may want of it."""

from __future__ import annotations

import asyncio
import random

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
from desktop_app.domain.ports.callbacks import Addressee, CallbackAddresses, Caller, Heard
from desktop_app.domain.retry import Draw
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import TaskFilter
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.defaults import Defaults
from desktop_app.engine.mending import Mending
from desktop_app.engine.orphans import Orphans
from desktop_app.engine.parts import Parts
from desktop_app.engine.pool import Leave
from desktop_app.engine.processing import Processing
from desktop_app.engine.sights import Sights
from desktop_app.engine.upkeep import Pump, Upkeep

STOP_S = 3.0


class Engine(Sights):
    """Implements ``EngineControl`` and ``CallbackDesk``. Nothing runs before ``start``; nothing is
    sent before ``resume``. Everything is called on the loop that started it."""

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
        addresses: CallbackAddresses | None = None,
        defaults: Defaults = Defaults(),  # noqa: B008 - frozen
        draw: Draw = random.random,
    ) -> None:
        self._store = store
        self._files = files
        self._actions = actions
        self._bus = bus
        self._tasks: list[asyncio.Task[None]] = []
        self._begun = asyncio.Event()
        self._begun.set()
        accounts = Accounts(
            store=store,
            connections=connections,
            adapters=adapters,
            secrets=secrets,
            clock=clock,
            draw=draw,
            defaults=defaults,
        )
        processing = Processing(store)
        parts = Parts(
            store=store,
            actions=actions,
            accounts=accounts,
            files=files,
            processing=processing,
            awake=awake,
            clock=clock,
            bus=bus,
            draw=draw,
            secrets=secrets,
            addresses=addresses,
            begun=self._begun.wait,
        )
        super().__init__(parts, clock)
        self._orphans = Orphans(
            store=store,
            connections=connections,
            adapters=adapters,
            files=files,
            processing=processing,
            clock=clock,
            draw=draw,
            follow=parts.rescue.start,
            named=parts.callbacks.named,
        )
        self._upkeep = Upkeep(
            store=store,
            accounts=accounts,
            guard=parts.guard,
            orphans=self._orphans,
            endings=parts.endings,
            poller=parts.poller,
            news=parts.news,
            clock=clock,
            pump=pump,
            refresh=parts.feeder.refresh,
        )
        self._mending = Mending(accounts=accounts, news=parts.news, clock=clock, wake=self.wake)

    def hold(self) -> None:
        """A person may press buttons before ``start`` could be called: let all that sends wait
        for it."""
        self._begun.clear()

    async def start(self) -> None:
        """Pause what was unfinished, settle what was on its way, then wait for ``resume``."""
        self.hold()
        await self.settle()
        for batch_id in await self._store.leave_to_person(message("engine.restarted")):
            self._bus.publish(BatchChanged(batch_id))
        await self._store.spread_due(self._clock.now())
        for work in (self._parts.feeder.run(), self._upkeep.run(), self._parts.news.run()):
            self._tasks.append(asyncio.ensure_future(work))
        self._begun.set()

    async def settle(self) -> None:
        """The first half of ``start``, for whoever runs nothing."""
        for batch_id in await self._store.pause_all_unfinished(message("engine.restarted")):
            self._bus.publish(BatchChanged(batch_id))
        await self._orphans.settle()

    async def resume(self, batch_id: int) -> None:
        """Let the batch run."""
        await self._begun.wait()
        batch = await self._store.batch(batch_id)
        if batch is not None:
            if (await self._store.ledger(batch_id)).success:
                self._files.expect(batch.out_dir)
            await self._orphans.tidy(batch.out_dir)
        await self._store.set_run_state(batch_id, RunState.RUNNING)
        self._parts.draining = False
        self._parts.roster.held.discard(batch_id)
        self._parts.roster.watch(batch_id)
        self._bus.publish(BatchChanged(batch_id))
        self.wake()

    async def pause(
        self, batch_id: int, *, now: bool = False, reason: Message | None = None
    ) -> None:
        """Claim no more; with ``now`` calls that have not begun are given back as well."""
        self._parts.roster.held.add(batch_id)
        if now:
            for flight in self._parts.pool.flights(batch_id):
                flight.end_early(Leave.GIVE_BACK)
        await self._store.set_run_state(batch_id, RunState.PAUSED, reason)
        self._bus.publish(BatchChanged(batch_id))
        self.wake()

    async def cancel(self, which: TaskFilter) -> int:
        """Cancel waiting rows; of those in flight the unsent are cancelled too, the sent finish."""
        changed = await self._actions.cancel(which, self._clock.now())
        for flight in self._parts.pool.flights(which.batch_id):
            if await self._store.cancel_requested(flight.claim.task_pk):
                flight.cancel_requested = True
                flight.end_early(Leave.GIVE_BACK)
                self._parts.poller.cancel(flight)
        self.wake()
        return changed

    async def ask(self, task_pk: int) -> bool:
        """Ask the provider again what became of an UNCERTAIN row: by its job, or by its key. It
        runs until that is known. False where nothing of it is in doubt any more."""
        await self._begun.wait()
        orphan = await self._store.reopen(task_pk)
        if orphan is None:
            return False
        self._parts.rescue.start(orphan)
        await self._parts.rescue.opened()
        return True

    async def caller(self, whose: Addressee) -> Caller | None:
        """See ``CallbackDesk``."""
        return await self._parts.callbacks.caller(whose)

    async def called(self, whose: Addressee, job_id: str | None) -> Heard:
        """See ``CallbackDesk``."""
        return await self._parts.callbacks.called(whose, job_id)

    async def drain(self, timeout_s: float | None) -> int:
        """Claim nothing more and wait for the wire; returns how many are still out. ``resume``
        ends the draining."""
        self._parts.draining = True
        await self._parts.pool.empty(timeout_s)
        self._parts.news.changed()
        return self._parts.pool.count()

    async def stop(self) -> None:
        """End: the unsent are given back, answers that are in are kept, the rest stays RUNNING."""
        self._parts.stopping = True
        self._parts.feeder.end()
        for flight in self._parts.pool.flights():
            flight.end_early(Leave.STOP)
        await self._parts.rescue.stop()
        feeder, rest = self._tasks[:1], self._tasks[1:]
        if feeder:
            await asyncio.wait(feeder, timeout=STOP_S)
        await self._parts.pool.empty(STOP_S)
        await self._parts.pool.cancel()
        await self._parts.poller.stop()
        for task in (*feeder, *rest):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._tasks.clear()
        self._parts.news.flush_dead()
        self._parts.news.flush()
        await self._parts.closed(STOP_S)
        await self._parts.accounts.close()
        self._parts.awake.turn(False)

    def wake(self) -> None:
        """Something changed in the store: look again."""
        self._parts.feeder.refresh()
        self._parts.news.changed()

    async def look_again(self) -> None:
        """A person says try again: see at once whether this machine's own trouble is mended."""
        await self._parts.guard.look_again(by_person=True)

    async def retry_account(self, connection_id: int) -> bool:
        """See ``Mending.retry``."""
        return await self._mending.retry(connection_id)

    async def connection_changed(self, connection_id: int) -> None:
        """See ``Mending.changed``."""
        await self._mending.changed(connection_id)
