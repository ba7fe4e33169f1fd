"""What a run may cost and how long it takes, said only where figures are known."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from desktop_app.domain.allowance import MINUTE_S
from desktop_app.domain.budget import results_asked, worst_case
from desktop_app.domain.connection import Connection, OnUnknown, RateUnit
from desktop_app.domain.limits import working
from desktop_app.domain.money import Money, PriceUnit, figure
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.rules import USUAL_TOKENS
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message, message

TYPICAL_PICTURE_S = 28.0
TYPICAL_TEXT_S = 8.0

_SPOKEN_MIN = 120
_SPOKEN_H = 48


def cost_of(
    connection: Connection,
    rows: int,
    results: int | None = None,
    *,
    worst: Decimal | None = None,
    budget: Decimal | None = None,
    calls: int | None = None,
) -> Message | None:
    """The whole run's price, or None where it is unknown; token prices depend on the answers.

    ``results`` is how many these rows ask for together, None one each; ``worst`` the most that
    their calls may cost if each is made once, where that is known, which is what they cost where
    models have prices of their own that no token counts. Where calls are sent again on
    an unknown outcome, the sentence also says the most that may be paid; never above ``budget``,
    nor what ``calls`` cost where no more are made, sent again or not.
    """
    price = connection.price
    if price is None:
        return message("services.cost_free") if connection.is_free else None
    if connection.is_free:
        return message("services.cost_free")
    if price.unit.tokens:
        return _cost_of_tokens(connection, worst, budget, _made(calls, rows))
    counted = rows if results is None or price.unit is PriceUnit.CALL else results
    once = worst if price.models and worst is not None else price.amount * counted
    total, most = (
        _held(once * times, once, _made(calls, rows)) for times in (1, _times(connection))
    )
    most = _capped(most, budget)
    said = {"total": _sum(total), "most": _sum(most), "currency": price.currency}
    if most < total:
        return message("services.cost_held", **said)
    if most > total:
        return message("services.cost_up_to", **said)
    return message("services.cost", total=_sum(total), currency=price.currency)


def _cost_of_tokens(
    connection: Connection, worst: Decimal | None, budget: Decimal | None, made: Decimal | None
) -> Message:
    price = connection.price
    assert price is not None
    least, dearest = min(price.amounts), max(price.amounts)
    spoken = figure(least) if least == dearest else f"{figure(least)}–{figure(dearest)}"
    said = {"price": spoken, "currency": price.currency, "count": price.unit.tokens}
    if worst is None and budget is None:
        return message("services.cost_tokens", **said)
    if worst is None:
        most = budget
    else:
        most = _capped(_held(worst * _times(connection), worst, made), budget)
    assert most is not None
    return message("services.cost_tokens_up_to", **said, most=_sum(most))


def _resends(connection: Connection) -> bool:
    """Whether a call whose outcome is unknown is sent again, and maybe paid for again."""
    policy, price = connection.unknown_policy, connection.price
    if policy is OnUnknown.RESEND_BELOW and price is not None:
        cheapest = min(price.amounts)
        if price.unit.tokens:
            cheapest = cheapest * USUAL_TOKENS / price.unit.tokens
        return connection.resend_below is not None and cheapest < connection.resend_below
    return policy is OnUnknown.RESEND


def _times(connection: Connection) -> int:
    """How often a row may be paid for."""
    return 1 + connection.retries * _resends(connection)


def _made(calls: int | None, rows: int) -> Decimal | None:
    """How many calls are made for each row at most; None: there is no cap."""
    return None if calls is None or rows <= 0 else Decimal(calls) / rows


def _held(cost: Decimal, once: Decimal, made: Decimal | None) -> Decimal:
    """A cost under a cap of calls, one of which costs what they do in the mean."""
    return cost if made is None else min(cost, once * made)


def _capped(most: Decimal, budget: Decimal | None) -> Decimal:
    return most if budget is None else min(most, budget)


def _sum(total: Decimal) -> str:
    return f"{total.quantize(Decimal('0.01'), ROUND_HALF_UP):,}"


def most_of(connection: Connection, requests: Iterable[Request]) -> Money | None:
    """The most that these requests may cost together; None where that is unknown."""
    total = Decimal(0)
    for request in requests:
        worst = worst_case(connection, request)
        if worst is None:
            return None
        total += worst
    price = connection.price
    return Money(total, price.currency) if price is not None else None


def by_models(connection: Connection, requests: Iterable[Request]) -> Decimal | None:
    """What these requests cost where their models may have prices of their own; else None."""
    if connection.price is None or not connection.price.models:
        return None
    most = most_of(connection, requests)
    return None if most is None else most.amount


def results_of(connection: Connection, requests: Iterable[Request]) -> int:
    """How many results these requests ask for together."""
    return sum(results_asked(connection, request) for request in requests)


def duration_of(
    connection: Connection,
    caps: Capabilities,
    rows: int,
    *,
    results: int | None = None,
    tokens: int = 0,
) -> Message | None:
    """How long ``rows`` take at the stated limits, by the typical time of one answer. ``results``:
    how many they ask for together, None one each; ``tokens``: about how many they take."""
    if rows <= 0 or connection.is_loopback:
        return None
    typical = TYPICAL_PICTURE_S if caps.makes == "picture" else TYPICAL_TEXT_S
    used = working(connection.limits, 4 if caps.makes == "picture" else 8)
    asked = rows if results is None else results
    by_image = connection.limits.rate_unit is RateUnit.IPM
    waits = [rows * typical / used.concurrency]
    if used.rate:
        waits.append((asked if by_image else rows) / used.rate)
    if used.images_per_minute:
        waits.append(asked / used.images_per_minute * MINUTE_S)
    if used.tokens_per_minute:
        waits.append(tokens / used.tokens_per_minute * MINUTE_S)
    seconds = max(waits)
    # Where nobody stated the calls at once, more than these few may be found out.
    is_found_out = connection.limits.concurrency is None and not connection.is_own_server
    how = "_few" if is_found_out and seconds == waits[0] else ""
    minutes = max(1, round(seconds / 60))
    if minutes < _SPOKEN_MIN:
        return message(f"services.duration{how}", minutes=minutes)
    hours = round(minutes / 60)
    if hours < _SPOKEN_H:
        return message(f"services.duration_hours{how}", hours=hours)
    return message(f"services.duration_days{how}", days=f"{round(hours / 24):,}")
