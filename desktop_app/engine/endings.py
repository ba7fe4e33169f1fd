"""Notices when a batch has come to its end, or can go no further without a person."""

from __future__ import annotations

from collections.abc import Callable

from desktop_app.domain.batch import Batch, LaneOnDead, RunState
from desktop_app.domain.bus import Bus
from desktop_app.domain.events import Alert, AlertKind, BatchChanged, BatchFinished
from desktop_app.domain.ports import EngineStore
from desktop_app.domain.text import Message, message
from desktop_app.engine.news import News


class Endings:
    """Asked when a running batch has nothing in flight, nothing to claim and nothing due."""

    def __init__(self, store: EngineStore, bus: Bus, news: News) -> None:
        self._store = store
        self._bus = bus
        self._news = news
        self._finished: set[int] = set()

    def is_finished(self, batch_id: int) -> bool:
        """Whether the end was announced and nothing came after it."""
        return batch_id in self._finished

    def goes_on(self, batch_id: int) -> None:
        """The batch has work again."""
        self._finished.discard(batch_id)

    async def announce(self, batch: Batch) -> bool:
        """Publish the end, once, if no row has work to come. Whether it has ended."""
        ledger = await self._store.ledger(batch.id)
        if ledger.unfinished:
            return False
        if batch.id not in self._finished:
            self._finished.add(batch.id)
            self._news.flush_dead()
            self._bus.publish(BatchFinished(batch.id))
            said = message(
                "engine.alert_finished",
                batch=batch.name,
                done=ledger.success,
                needs=ledger.dead_letters,
            )
            self._news.alert(Alert(said, batch.id, AlertKind.FINISHED))
        return True

    async def stuck(self, batch_id: int, now: float, runs: Callable[[int], bool]) -> bool:
        """Rows are left that nobody may claim (``now``: epoch s): pause with the reason, unless a
        person was quicker and it no longer ``runs``. Whether it is paused."""
        batch = await self._store.batch(batch_id)
        if batch is None or batch.run_state is not RunState.RUNNING:
            return True
        said = await self._store.over_budget(batch_id, now)
        if not runs(batch_id):
            return True
        if said is not None:
            await self.pause(batch_id, said)
        elif batch.row_gate is not None:
            await self.pause(batch_id, message("engine.trial_done"))
        elif batch.lane_on_dead is LaneOnDead.STOP:
            await self.pause(batch_id, message("engine.lanes_stopped"))
        else:
            return False
        return True

    async def next_day(self, now: float) -> bool:
        """Let go on what only an earlier day's cap held (``now``: epoch s). Whether any did."""
        found = await self._store.next_day(now)
        for batch_id in found:
            self._bus.publish(BatchChanged(batch_id))
        if found:
            self._news.changed()
        return bool(found)

    async def pause(self, batch_id: int, reason: Message) -> None:
        """The engine itself pauses a batch."""
        await self._store.set_run_state(batch_id, RunState.PAUSED, reason)
        self._bus.publish(BatchChanged(batch_id))
        self._news.alert(Alert(reason, batch_id, AlertKind.STOPPED))
        self._news.changed()
