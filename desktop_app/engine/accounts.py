"""Opens connections, and gives those on one host and key one account to share."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop_app.domain.allowance import Weight
from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.budget import most_tokens, results_asked
from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import Connection, RateUnit, account_key, spoken_name
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
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import AccountState
from desktop_app.engine.breaker import Breaker, Standing
from desktop_app.engine.defaults import Defaults
from desktop_app.engine.first_answers import FirstAnswers
from desktop_app.engine.histories import Histories
from desktop_app.engine.limiter import Limiter

_log = logging.getLogger(__name__)

DEADLINE_GRACE_S = 90.0
"""Adapters count ``timeout_s`` from the first byte sent, and may need 25 s before it to connect
and 60 s after it to download a result that came as a URL."""

LATENCIES = 50

ANSWER_TOKENS = 1000
"""What an answer counts for that nobody caps, until its own figures are in."""


@dataclass(slots=True, eq=False)
class Account:
    """What connections on one host and key share. ``turns``: by priority, the batch served last;
    ``latencies`` are those of the last answers, seconds."""

    key: str
    limiter: Limiter
    breaker: Breaker
    histories: Histories = field(default_factory=Histories)
    turns: dict[BatchPriority, int] = field(default_factory=dict)
    latencies: deque[float] = field(default_factory=lambda: deque(maxlen=LATENCIES))


@dataclass(slots=True, eq=False)
class Line:
    """An open connection. ``stopped`` says why this connection alone takes no calls;
    a ``retired`` line was replaced, and is closed when its last call is back. ``signing``,
    ``sign_asked`` and ``sign_again``: how its provider signs calls, see ``Signings``."""

    connection: Connection
    adapter: Adapter
    capabilities: Capabilities
    account: Account
    limits: Working
    first: FirstAnswers = field(default_factory=FirstAnswers)
    stopped: Message | None = None
    stopped_code: str | None = None
    retired: bool = False
    flights: int = 0
    signing: asyncio.Future[Any] | None = None
    sign_asked: float = 0.0
    sign_again: float = 0.0

    def tokens(self, request: Request) -> int:
        """How many tokens of the rate this call takes: a rate of images counts images."""
        if self.connection.limits.rate_unit is not RateUnit.IPM:
            return 1
        return results_asked(self.connection, request)

    def weight(self, request: Request) -> Weight:
        """What this call takes of what the account allows by the minute, the most it may be."""
        most = most_tokens(self.connection, request, ANSWER_TOKENS)
        return Weight(most or 0, results_asked(self.connection, request))

    @property
    def timeout_s(self) -> float:
        """The hard read deadline of one call."""
        return self.connection.timeout_s or self.capabilities.default_timeout_s

    @property
    def deadline_s(self) -> float:
        """When the engine itself ends a call that its adapter did not, counted from its start: a
        paid picture that is still being downloaded must not be lost."""
        return self.timeout_s + DEADLINE_GRACE_S

    def standing(self) -> tuple[AccountState, Message | None]:
        """How the connection stands, for the sidebar."""
        breaker = self.account.breaker
        if breaker.standing is Standing.NO_KEY:
            return AccountState.NO_KEY, breaker.reason
        if breaker.standing is Standing.PAUSED:
            return AccountState.PAUSED, breaker.reason
        if self.stopped is not None:
            return AccountState.PAUSED, self.stopped
        if breaker.is_probing:
            return AccountState.WAITING, breaker.reason
        if self.account.limiter.is_slowed:
            return AccountState.SLOWED, self.account.limiter.reason
        return AccountState.OK, None


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
