"""Opens connections, and gives those on one host and key one account to share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping

from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import Connection, account_key, spoken_name
from desktop_app.domain.limits import Working, working
from desktop_app.domain.ports import (
    Adapter,
    Adapters,
    Capabilities,
    ConnectionStore,
    EngineStore,
    Secrets,
)
from desktop_app.domain.retry import Draw
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.engine.breaker import Breaker, Standing
from desktop_app.engine.defaults import Defaults
from desktop_app.engine.limiter import Limiter
from desktop_app.engine.lines import Account, Line

_log = logging.getLogger(__name__)


class Accounts:
    """Lines by connection, accounts by key. Secrets are read when a line is opened, and are held
    by nobody but its adapter."""

    def __init__(
        self,
        *,
        store: EngineStore,
        connections: ConnectionStore,
        adapters: Adapters,
        secrets: Secrets,
        clock: Clock,
        draw: Draw,
        defaults: Defaults,
    ) -> None:
        self._store = store
        self._connections = connections
        self._adapters = adapters
        self._secrets = secrets
        self._clock = clock
        self._draw = draw
        self._defaults = defaults
        self._accounts: dict[str, Account] = {}
        self._lines: dict[int, Line] = {}
        self._lock = asyncio.Lock()

    @property
    def lines(self) -> Mapping[int, Line]:
        """Open lines by connection id."""
        return self._lines

    @property
    def accounts(self) -> Iterable[Account]:
        """Accounts of open lines."""
        return {line.account.key: line.account for line in self._lines.values()}.values()

    async def line(self, connection_id: int) -> Line:
        """The open line of a connection. Raises OperatorError where it cannot be opened."""
        async with self._lock:
            line = self._lines.get(connection_id)
            if line is None:
                line = await self._open(connection_id)
                self._lines[connection_id] = line
                sharing = self.of_account(line.account)
                line.account.limiter.configure([one.limits for one in sharing])
            return line

    def current(self, line: Line) -> Line:
        """The line to ask about what an older one has sent: a key that was entered since may work
        where the old one no longer does, though never at another host."""
        now = self._lines.get(line.connection.id, line)
        same = (now.connection.host, now.connection.adapter) == (
            line.connection.host,
            line.connection.adapter,
        )
        return now if same else line

    async def reopen(self, connection_id: int) -> Line:
        """Read connection and key again; calls on the wire finish on the old line."""
        async with self._lock:
            old = self._lines.pop(connection_id, None)
            if old is not None:
                old.retired = True
                await self.close_unused(old)
        return await self.line(connection_id)

    async def close_unused(self, line: Line) -> None:
        """Close a retired line once nothing is on it."""
        if line.retired and line.flights == 0:
            if line.signing is not None:
                line.signing.cancel()
            try:
                await line.adapter.close()
            except Exception:
                _log.exception("a connection could not be closed")

    async def close(self) -> None:
        """Close every line."""
        lines, self._lines = self._lines, {}
        for line in lines.values():
            line.retired = True
            line.flights = 0
            await self.close_unused(line)

    def of_account(self, account: Account) -> list[Line]:
        """The open lines that share an account."""
        return [line for line in self._lines.values() if line.account is account]

    async def persist(self, account: Account) -> None:
        """Write down a pause, or that there is none, so that a restart knows it."""
        breaker = account.breaker
        reason = None
        if breaker.standing is Standing.PAUSED and breaker.reason is not None:
            values = dict(breaker.reason.values)
            if breaker.until is not None:
                values["until"], values["wait_s"] = breaker.until, breaker.wait_s
            reason = Message(breaker.reason.code, values)
        await self._store.set_account_pause(account.key, reason)

    async def _open(self, connection_id: int) -> Line:
        connection = await self._connections.get(connection_id)
        if connection is None:
            raise OperatorError(message("engine.no_connection"))
        trouble: Message | None = None
        secret: str | None = None
        try:
            secret = await self._secrets.get(connection.name) or None
        except OperatorError as error:
            trouble = error.message
        capabilities, adapter = self._adapter(connection, secret)
        default = self._defaults.concurrency(connection, capabilities)
        limits = working(connection.limits, default, self._defaults.most_of(connection))
        key = account_key(connection.host, secret)
        account = await self._account(key, limits, connection.id)
        if secret is None and self._needs_key(connection, readable=trouble is None):
            said = trouble or message("engine.no_key", name=spoken_name(connection.name))
            account.breaker.pause(said, no_key=True)
        elif account.breaker.standing is Standing.NO_KEY:
            account.breaker.reset()
        return Line(connection, adapter, capabilities, account, limits)

    def _adapter(self, connection: Connection, secret: str | None) -> tuple[Capabilities, Adapter]:
        try:
            capabilities = self._adapters.capabilities(connection.adapter, connection)
            return capabilities, self._adapters.open(connection, secret)
        except OperatorError:
            raise
        except Exception as error:
            _log.exception("a connection could not be opened")
            raise OperatorError(message("engine.connection_unusable")) from error

    async def _account(self, key: str, limits: Working, connection_id: int) -> Account:
        account = self._accounts.get(key)
        if account is None:
            limiter = Limiter(self._clock, self._draw, limits)
            account = Account(key, limiter, Breaker(self._clock, self._draw))
            reason = await self._store.account_pause(key)
            if reason is not None:
                until, wait_s = reason.values.get("until"), reason.values.get("wait_s")
                account.breaker.pause(reason, until=until, wait_s=wait_s)
            held = await self._store.held_back(connection_id, self._clock.now())
            if held is not None:
                limiter.goes_on_waiting(held[0] - self._clock.now(), held[1])
            self._accounts[key] = account
        return account

    def _needs_key(self, connection: Connection, *, readable: bool) -> bool:
        """Whether nothing may be sent without a key. Where no preset tells and the key could not
        be read (``readable`` False), only a server on this machine may do without."""
        for preset in self._adapters.presets():
            if preset.id == connection.preset:
                return preset.needs_key
        return not readable and not connection.is_loopback
