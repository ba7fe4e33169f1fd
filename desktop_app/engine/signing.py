"""With what a provider signs its calls may change while rows run, and is asked for seldom: whoever
sends bad calls must not make this program ask all the time."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import cast

from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import callback_entry
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import Secrets
from desktop_app.domain.ports.callbacks import CallbackAdapter, CallbackRule
from desktop_app.domain.text import OperatorError
from desktop_app.engine.lines import Line
from desktop_app.engine.waits import first

_log = logging.getLogger(__name__)

SECRET_S = 10.0
"""How long a row waits to learn with what its provider signs; then it is polled instead."""

AGAIN_S = 300.0
"""When a provider that did not say is asked again."""

KEPT_S = 86_400.0
"""How long what a provider said is believed."""

ANEW_S = 60.0
"""A call that nothing known fits has its provider asked again, at most so often."""


@dataclass(frozen=True, slots=True)
class Signing:
    """``secret``: with what a provider signs all its calls; None where each has its own, or none
    is signed. ``is_learned``: the provider said so, and may say otherwise later."""

    rule: CallbackRule
    secret: str | None = field(default=None, repr=False)
    is_learned: bool = False


class Signings:
    """What is known of it is kept with each ``Line``."""

    def __init__(self, secrets: Secrets, clock: Clock) -> None:
        self._secrets = secrets
        self._clock = clock

    async def of(self, line: Line) -> Signing | None:
        """How this line's provider signs; None where it can't be known now."""
        rule = cast("CallbackAdapter", line.adapter).callback_rule
        if not rule.is_signed:
            return Signing(rule)
        known: asyncio.Future[Signing | None] | None = line.signing
        if known is None or (known.done() and self._clock.monotonic() >= line.sign_again):
            known = self._ask(line, rule, None)
        if not known.done():
            await first(self._clock, SECRET_S, known)
        return known.result() if known.done() and not known.cancelled() else None

    async def anew(self, line: Line, used: str | None) -> str | None:
        """With what it signs now; None where that is still ``used``, where it was asked a moment
        ago, and where it does not say."""
        known: asyncio.Future[Signing | None] | None = line.signing
        is_settled = known is not None and known.done() and not known.cancelled()
        if is_settled and self._clock.monotonic() >= line.sign_asked + ANEW_S:
            assert known is not None
            rule = cast("CallbackAdapter", line.adapter).callback_rule
            self._ask(line, rule, known.result())
        signing = await self.of(line)
        secret = signing.secret if signing is not None else None
        return secret if secret != used else None

    def _ask(
        self, line: Line, rule: CallbackRule, before: Signing | None
    ) -> asyncio.Future[Signing | None]:
        line.sign_asked = self._clock.monotonic()
        asked = asyncio.ensure_future(self._learn(line, rule, before))
        line.signing = asked
        return asked

    async def _learn(
        self, line: Line, rule: CallbackRule, before: Signing | None
    ) -> Signing | None:
        """``before``: what stays in force where the provider can't be asked."""
        try:
            signing = await self._asked(line, rule)
        except ProviderFailure as error:
            why = error.failure.code
        except OperatorError as error:
            why = error.message.code
        except Exception as error:
            _log.exception("it can't be told with what a provider signs")
            why = type(error).__name__
        else:
            if signing is not None:
                # One of its own for each call, or one that a person entered, is nobody's to change.
                keep_s = KEPT_S if signing.is_learned else float("inf")
                line.sign_again = self._clock.monotonic() + keep_s
                return signing
            why = "nobody entered with what it signs"
        if before is not None:
            _log.warning("connection %d does not say with what it signs: %s", _id(line), why)
            return before
        _log.warning("connection %d is polled, it does not call: %s", _id(line), why)
        line.sign_again = self._clock.monotonic() + AGAIN_S
        return None

    async def _asked(self, line: Line, rule: CallbackRule) -> Signing | None:
        if line.capabilities.callback_secret_entered:
            entered = await self._secrets.get(callback_entry(line.connection.name))
            return Signing(rule, entered) if entered else None
        secret = await cast("CallbackAdapter", line.adapter).callback_secret()
        return Signing(rule, secret, is_learned=secret is not None)


def _id(line: Line) -> int:
    return line.connection.id
