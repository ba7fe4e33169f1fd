"""What the connections on one host and key share, and what each of them has for itself."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from desktop_app.domain.allowance import Weight
from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.budget import most_tokens, results_asked
from desktop_app.domain.connection import Connection, RateUnit
from desktop_app.domain.limits import Working
from desktop_app.domain.ports import Adapter, Capabilities
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message
from desktop_app.domain.views import AccountState
from desktop_app.engine.breaker import Breaker, Standing
from desktop_app.engine.first_answers import FirstAnswers
from desktop_app.engine.histories import Histories
from desktop_app.engine.limiter import Limiter

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
