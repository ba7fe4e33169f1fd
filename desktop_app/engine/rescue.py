"""Takes up what an earlier process, or an earlier flight, has sent: following it costs nothing, so
nobody has to press Resume for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from desktop_app.domain.attempt import Orphan
from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports import EngineStore
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.verdict import UNANSWERED, held
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.completer import Completer
from desktop_app.engine.completions import completion
from desktop_app.engine.lines import Line
from desktop_app.engine.pool import Flight, Pool

_log = logging.getLogger(__name__)

Work = Callable[[Flight, Failure], Coroutine[Any, Any, None]]


class Rescue:
    """Makes flights of RUNNING tasks that no flight holds. ``take_up`` carries one to its end;
    ``named``: a job that was heard of meanwhile, by its attempt."""

    def __init__(
        self,
        *,
        store: EngineStore,
        accounts: Accounts,
        completer: Completer,
        pool: Pool,
        clock: Clock,
        take_up: Work,
        named: Callable[[int], Job | None],
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._completer = completer
        self._pool = pool
        self._clock = clock
        self._take_up = take_up
        self._named = named
        self._opening: dict[asyncio.Task[None], None] = {}
        self._stopped = False

    def start(self, orphan: Orphan, failure: Failure | None = None) -> None:
        """Follow it from here on, without waiting: opening its connection may wait for the
        password store. ``failure`` is what it comes to if nobody can say more."""
        if self._stopped:
            return
        if failure is None:
            said = message("engine.ask_unanswered")
            failure = Failure(FailureClass.UNKNOWN, UNANSWERED, said)
        task = asyncio.ensure_future(self._start(orphan, failure))
        self._opening[task] = None
        task.add_done_callback(self._opening.pop)

    async def opened(self) -> None:
        """Wait until all that were started are flights."""
        while self._opening:
            await asyncio.wait(set(self._opening))

    async def stop(self) -> None:
        """Start no more; what was not started is found again at the next start."""
        self._stopped = True
        for task in self._opening:
            task.cancel()
        await self.opened()

    async def _start(self, orphan: Orphan, failure: Failure) -> None:
        try:
            line = await self._line(orphan)
            cancelled = await self._store.cancel_requested(orphan.claim.task_pk)
        except OperatorError as error:
            await self._give_up(orphan, error)
            return
        except Exception:
            _log.exception("attempt %d could not be taken up", orphan.claim.attempt_pk)
            return
        flight = Flight(
            orphan.claim,
            line,
            claimed_at=orphan.started_at,
            cancel_requested=cancelled,
            job=orphan.job or self._named(orphan.claim.attempt_pk),
            taken_up=True,
            part=orphan.part,
            held=orphan.held,
            decided=orphan.decided,
            called=orphan.called,
        )
        line.account.limiter.hold()
        self._pool.start(flight, self._take_up(flight, failure))

    async def _line(self, orphan: Orphan) -> Line:
        batch = await self._store.batch(orphan.claim.batch_id)
        if batch is None:
            raise OperatorError(message("engine.no_connection"))
        return await self._accounts.line(batch.connection_id)

    async def _give_up(self, orphan: Orphan, error: OperatorError) -> None:
        failure = Failure(FailureClass.UNKNOWN, "no_connection", error.message)
        now = self._clock.now()
        await self._completer.finish(completion(orphan.claim, held(failure), now=now, price=None))
