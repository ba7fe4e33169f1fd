"""Start, pause, resume, cancel: the engine's levers as an operator means them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from desktop_app.domain.batch import RunState
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock
from desktop_app.domain.events import BatchChanged, EngineChanged
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import (
    AccountState,
    Banner,
    BannerAction,
    BatchSummary,
    EngineStatus,
    TaskFilter,
)
from desktop_app.services.batch_priority import goes_after
from desktop_app.services.budgets import budget_of, check_budgets, is_cap_held
from desktop_app.services.connections import Connections
from desktop_app.services.notices import Notices
from desktop_app.services.run_banners import run_banners
from desktop_app.services.time_left import TimeLeft

if TYPE_CHECKING:
    from desktop_app.domain.ports import EngineControl, EngineStore, Pages, Preview

_STANDS = frozenset({AccountState.PAUSED, AccountState.WAITING, AccountState.NO_KEY})
NEWS_S = 600.0  # what finished so long before this program began is told at its start


class RunControl:
    """``batch_id`` None acts on every unfinished batch."""

    def __init__(
        self,
        *,
        engine: EngineControl,
        store: EngineStore,
        pages: Pages,
        connections: Connections,
        clock: Clock,
        bus: Bus,
        notices: Notices,
    ) -> None:
        self._engine = engine
        self._notices = notices
        self._store = store
        self._pages = pages
        self._connections = connections
        self._bus = bus
        self._time_left = TimeLeft(clock)
        self._stay_paused = False
        self._news_since = clock.now() - NEWS_S

    async def start(self, batch_id: int | None) -> None:
        """Run (or resume) the batch; opens nothing beyond its row gate. Raises OperatorError."""
        for summary in await self._wanted(batch_id):
            if summary.ledger.unfinished:
                await self._connections.ready(summary.batch.connection_id)
                await self._check_budgets(summary)
                await self._engine.resume(summary.batch.id)
        self._bus.publish(EngineChanged())

    async def run_rest(self, batch_id: int) -> None:
        """After a trial: open the gate and run; rows already done are not run again."""
        await self._store.open_gate(batch_id)
        await self.start(batch_id)

    async def try_rows(self, batch_id: int, rows: Sequence[int]) -> None:
        """Of a batch whose rest has not been let loose: these rows alone (numbers) run next.
        Raises OperatorError."""
        await self._wanted(batch_id)
        if not await self._store.set_gate(batch_id, rows):
            raise OperatorError(message("services.trial_late", batch=batch_id))

    async def widen(
        self, batch_id: int, *, max_calls: int | None = None, budget: Decimal | None = None
    ) -> None:
        """Before a run of the whole sheet: no trial's gate, and caps where they are given (what
        was done already counts). Raises OperatorError."""
        await self._wanted(batch_id)
        await self._store.open_gate(batch_id)
        await self.cap(batch_id, max_calls, budget)

    async def cap(
        self, batch_id: int, max_calls: int | None, budget: Decimal | None = None
    ) -> None:
        """Never more calls of this batch than these, and never more money (in the currency of
        the connection's price), past ones included; None changes nothing. Raises OperatorError."""
        if max_calls is not None:
            await self._store.set_max_calls(batch_id, max_calls)
        if budget is not None:
            (summary,) = await self._wanted(batch_id)
            connection = await self._connections.get(summary.batch.connection_id)
            if connection is None:
                raise OperatorError(message("services.no_connection"))
            await self._store.set_budget(batch_id, budget_of(budget, connection))

    async def pause(self, batch_id: int | None, *, now: bool = False) -> None:
        """Stop claiming; ``now`` also gives back what has not begun."""
        for summary in await self._wanted(batch_id):
            if summary.ledger.unfinished:
                await self._engine.pause(
                    summary.batch.id, now=now, reason=message("services.paused_by_you")
                )
        self._bus.publish(EngineChanged())

    async def cancel(self, which: TaskFilter) -> int:
        """Cancel waiting tasks; running ones are asked to stop by the rules. Returns how many are
        cancelled now: what was sent goes on. Raises OperatorError for an unknown batch."""
        if which.batch_id is not None:
            await self._wanted(which.batch_id)
        over = replace(which, states=frozenset({TaskState.CANCELLED}))
        before = await self._pages.count(over)
        await self._engine.cancel(which)
        if which.batch_id is not None:
            self._bus.publish(BatchChanged(which.batch_id))
        return max(0, await self._pages.count(over) - before)

    async def status(self, batch_id: int | None) -> EngineStatus:
        """The engine at a glance, with banners, for the batch or all."""
        summaries = await self._wanted(batch_id)
        rates = self._engine.rates()
        running = [s for s in summaries if s.batch.run_state is RunState.RUNNING]
        return EngineStatus(
            active=any(s.ledger.unfinished for s in running),
            in_flight=self._engine.in_flight(batch_id),
            rate=float(rates.get("rate") or 0.0),
            allowed_rate=rates.get("allowed_rate"),
            concurrency=rates.get("concurrency"),
            slowed_until=rates.get("slowed_until"),
            slowed_rate=rates.get("slowed_rate"),
            slowed_number=rates.get("slowed_number"),
            slowed_why=rates.get("throttle_reason"),
            waits_for=rates.get("waits_for") or await self._waits_for(batch_id, running),
            eta_s=self._time_left.estimate_s(batch_id, running, stands=self._stand(running)),
            oldest_s=self._engine.oldest_s(batch_id),
            banners=(
                *self._engine.banners(),
                *self._notices.banners(),
                *self._own_banners(summaries),
            ),
        )

    def _stand(self, running: Sequence[BatchSummary]) -> bool:
        states = self._engine.account_states()
        return bool(running) and all(
            states.get(each.batch.connection_id, ("", None))[0] in _STANDS or is_cap_held(each)
            for each in running
        )

    def in_flight(self) -> int:
        """Calls on the wire now."""
        return self._engine.in_flight(None)

    def preview(self, task_pk: int) -> Preview | None:
        """What has come so far of the answer to this row, where one is coming and can be heard.
        Cheap enough to be asked ten times a second about the row that somebody looks at."""
        return self._engine.preview(task_pk)

    async def finish_estimate_s(self) -> float | None:
        """How long the calls on the wire will still take, about."""
        typical = self._engine.rates().get("typical_s")
        return float(typical) if typical is not None else None

    async def drain(self, timeout_s: float | None) -> int:
        """Claim nothing more, wait for the wire; returns how many are still out."""
        return await self._engine.drain(timeout_s)

    async def stay_paused(self) -> None:
        """Dismiss the start banner; nothing is sent."""
        self._stay_paused = True
        self._bus.publish(EngineChanged())

    async def look_again(self) -> None:
        """Try again after this machine's own trouble. Raises OperatorError while it lasts."""
        await self._engine.look_again()
        if (said := self._engine.trouble()) is not None:
            raise OperatorError(said)

    async def retry_account(self, connection_id: int) -> Message | None:
        """Try again: the cheap test call, then one row. None when it works, else why not."""
        await self._connections.ready(connection_id)
        if await self._engine.retry_account(connection_id):
            return None
        _, said = self._engine.account_states().get(connection_id, ("", None))
        return said or message("services.still_refused")

    async def _check_budgets(self, summary: BatchSummary) -> None:
        batch = summary.batch
        connection = await self._connections.get(batch.connection_id)
        if connection is not None:
            check_budgets(connection, batch.budget, batch.mapping.params)

    async def _wanted(self, batch_id: int | None) -> list[BatchSummary]:
        if batch_id is None:
            return await self._pages.batches()
        found = await self._pages.batch_summary(batch_id)
        if found is None:
            raise OperatorError(message("services.no_batch", batch=batch_id))
        return [found]

    async def _waits_for(self, batch_id: int | None, running: list[BatchSummary]) -> Message | None:
        """Of one batch that stands while it runs: what it waits for."""
        if batch_id is None or not running:
            return None
        if is_cap_held(running[0]):
            return message("services.waits_cap")
        if running[0].ledger.running:
            return None
        return goes_after(running[0], await self._pages.batches())

    def _own_banners(self, summaries: list[BatchSummary]) -> tuple[Banner, ...]:
        shown = run_banners(summaries, self._news_since)
        if not self._stay_paused:
            return shown
        return tuple(
            replace(b, actions=(BannerAction.RESUME,), severity="info")
            if BannerAction.STAY_PAUSED in b.actions
            else b
            for b in shown
        )
