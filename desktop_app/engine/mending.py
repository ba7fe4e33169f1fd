"""What a person mends at a connection is believed only as far as the provider bears it out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from desktop_app.domain.clock import Clock
from desktop_app.domain.text import OperatorError
from desktop_app.engine.accounts import Accounts
from desktop_app.engine.breaker import Standing
from desktop_app.engine.news import News


class Mending:
    """A person's levers on connections that stand still. ``wake``: look again at once."""

    def __init__(
        self, *, accounts: Accounts, news: News, clock: Clock, wake: Callable[[], None]
    ) -> None:
        self._accounts = accounts
        self._news = news
        self._clock = clock
        self._wake = wake

    async def retry(self, connection_id: int) -> bool:
        """ "Try again": the cheap test call; if it passes one other row goes next. Whether it
        passed, and no row was refused meanwhile: that is the newer word. Raises OperatorError
        where the connection can't be opened."""
        line = await self._accounts.line(connection_id)
        if line.account.breaker.standing is Standing.NO_KEY:
            line = await self._accounts.reopen(connection_id)
            self._wake()
            if line.account.breaker.standing is Standing.NO_KEY:
                return False
        breaker = line.account.breaker
        breaker.probe_now()
        asked_at, stopped = self._clock.monotonic(), line.stopped
        report = await line.adapter.test()
        if not report.ok:
            if breaker.standing is Standing.PAUSED and report.said:
                breaker.reason = report.said[-1]
            self._news.connections_changed()
            return False
        if stopped is not None:
            line.stopped = line.stopped_code = None
            line.first.again()
        refused = breaker.standing is Standing.PAUSED and breaker.paused_at > asked_at
        if breaker.standing is Standing.PAUSED and not refused:
            breaker.prove()
            try:
                await self._accounts.persist(line.account)
            finally:
                self._wake()
        self._news.connections_changed()
        self._wake()
        return not refused and line.stopped is None

    async def changed(self, connection_id: int) -> None:
        """Connection or key changed: open it anew and forget its troubles."""
        old = self._accounts.lines.get(connection_id)
        try:
            with contextlib.suppress(OperatorError):
                line = await self._accounts.reopen(connection_id)
                for account in {id(o.account): o.account for o in (old, line) if o}.values():
                    if account.breaker.standing is not Standing.NO_KEY:
                        account.breaker.reset()
                        await self._accounts.persist(account)
        finally:  # also where the disk took no note of it: the old line takes no calls any more
            self._news.connections_changed()
            self._wake()
