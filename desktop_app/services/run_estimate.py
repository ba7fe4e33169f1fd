"""What a run may cost and how long it takes, said only where figures are known."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from desktop_app.domain.budget import results_asked, worst_case
from desktop_app.domain.connection import Connection, OnUnknown
from desktop_app.domain.limits import working
from desktop_app.domain.money import Money, PriceUnit, figure
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message, message

TYPICAL_PICTURE_S = 28.0
TYPICAL_TEXT_S = 8.0


def cost_of(connection: Connection, rows: int, results: int | None = None) -> Message | None:
    """The whole run's price, or None where it is unknown; token prices depend on the answers.
    ``results`` is how many these rows ask for together, None one each."""
    price = connection.price
    if price is None:
        return message("services.cost_free") if connection.is_free else None
    if price.amount == 0:
        return message("services.cost_free")
    if price.unit is PriceUnit.KTOKENS:
        return message("services.cost_tokens", price=figure(price.amount), currency=price.currency)
    counted = rows if results is None or price.unit is PriceUnit.CALL else results
    total = price.amount * counted
    shown = f"{total.quantize(Decimal('0.01')):,}"
    if connection.unknown_policy is OnUnknown.HOLD:
        return message("services.cost", total=shown, currency=price.currency)
    return message("services.cost_up_to", total=shown, currency=price.currency)


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


def results_of(connection: Connection, requests: Iterable[Request]) -> int:
    """How many results these requests ask for together."""
    return sum(results_asked(connection, request) for request in requests)


def duration_of(connection: Connection, caps: Capabilities, rows: int) -> Message | None:
    """How long ``rows`` take at the stated limits, by the typical time of one answer."""
    if rows <= 0 or connection.is_loopback:
        return None
    typical = TYPICAL_PICTURE_S if caps.makes == "picture" else TYPICAL_TEXT_S
    used = working(connection.limits, 4 if caps.makes == "picture" else 8)
    seconds = rows * typical / used.concurrency
    if used.rate:
        seconds = max(seconds, rows / used.rate)
    return message("services.duration", minutes=max(1, round(seconds / 60)))
