"""What one call may cost at most, so that a cap can be kept before a call and not after it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Money
from desktop_app.domain.task import Request

_MOST_TOKENS = ("max_tokens", "max_completion_tokens")
_FRAME_TOKENS = 64
"""What a chat's own markup around system text and prompt may take."""


_TOKEN_BYTES = 4
_USUAL_TOKENS = 500
"""What a token is of running text in the mean, and what an answer often has."""


class NoBudget(StrEnum):
    """Why a cap can't be kept, so that nothing is sent under it."""

    NO_PRICE = "no_price"
    NO_MAX_TOKENS = "no_max_tokens"
    OTHER_CURRENCY = "other_currency"


def worst_case(connection: Connection, request: Request) -> Decimal | None:
    """The most that this call may cost, in the price's currency; None where that is unknown.

    A token never takes less than a byte, so the bytes that are sent bound the tokens that are
    read; ``max_tokens`` bounds those that are written for each of ``n`` results.
    """
    price = connection.price
    if price is None:
        return Decimal(0) if connection.is_free else None
    price = price.of(request.model)
    if price.amount == 0:
        return Decimal(0)
    if price.unit.tokens:
        most = most_tokens(connection, request)
        return None if most is None else price.cost(tokens=most)
    return price.cost(images=_results(request.params, _in_force(connection, request)))


def most_tokens(connection: Connection, request: Request, unsaid: int | None = None) -> int | None:
    """The most tokens that this call reads and writes. ``unsaid``: so many stand for an answer
    that nobody has capped; None: then nobody knows."""
    said = _in_force(connection, request)
    most = _most_tokens(said) or unsaid
    if most is None:
        return None
    written = most * _results(request.params, said)
    return written + _bytes(request.prompt, said) + _FRAME_TOKENS


def likely_tokens(connection: Connection, request: Request) -> int:
    """About how many tokens this call reads and writes, as texts go; for an estimate of time."""
    said = _in_force(connection, request)
    written = min(_most_tokens(said) or _USUAL_TOKENS, _USUAL_TOKENS)
    read = len(request.prompt.encode("utf-8", "replace")) // _TOKEN_BYTES
    return written * _results(request.params, said) + read


def results_asked(connection: Connection, request: Request) -> int:
    """How many results this call asks for, by what is in force when it is sent: at least one."""
    for fields in (request.extra, connection.extra, request.params, connection.params):
        if "n" in fields:
            return max(1, _whole(fields["n"]) or 1)
    return 1


def refusal(
    connection: Connection, caps: tuple[Money, ...], params: Mapping[str, Any]
) -> NoBudget | None:
    """Why these caps can't be kept on this connection; ``params`` are those every row has."""
    if not caps or connection.is_free:
        return None
    price = connection.price
    if price is None:
        return NoBudget.NO_PRICE
    if any(cap.currency != price.currency for cap in caps):
        return NoBudget.OTHER_CURRENCY
    said = {**connection.params, **params, **connection.extra}
    if price.unit.tokens and not any(said.get(name) for name in _MOST_TOKENS):
        return NoBudget.NO_MAX_TOKENS
    return None


def day_of(now: float) -> str:
    """The local date of a time (epoch s): the day on which it counts."""
    return date.fromtimestamp(now).isoformat()  # noqa: DTZ012 - the operator's own day is meant


def _in_force(connection: Connection, request: Request) -> Mapping[str, Any]:
    return {**connection.params, **request.params, **connection.extra, **request.extra}


def _most_tokens(said: Mapping[str, Any]) -> int | None:
    stated = [_whole(said.get(name)) for name in _MOST_TOKENS]
    return max((most for most in stated if most), default=None)


def _results(*said: Mapping[str, Any]) -> int:
    return max(_whole(values.get("n")) or 1 for values in said)


def _whole(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def _bytes(prompt: str, said: Mapping[str, Any]) -> int:
    texts = (prompt, *(value if isinstance(value, str) else str(value) for value in said.values()))
    return sum(len(text.encode("utf-8", "replace")) for text in texts)
