"""What a connection and its adapter say about sending again."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from desktop_app.domain.connection import Connection, OnUnknown
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.rules import Rules
from desktop_app.domain.task import Request


def test_rules_read_prices_of_every_unit() -> None:
    caps = Capabilities("text", 300.0)

    def cost(price: Price | None, **params: Any) -> Decimal | None:
        connection = Connection("c", "a", "https://x.example", "m", price=price)
        return Rules.of(connection, caps, Request("p", params)).expected_cost

    assert cost(None) is None
    assert cost(Price(Decimal(2), PriceUnit.CALL, "CNY")) == 2
    assert cost(Price(Decimal(2), PriceUnit.IMAGE, "CNY"), n=3) == 6
    assert cost(Price(Decimal(2), PriceUnit.KTOKENS, "CNY")) == 2
    assert cost(Price(Decimal(2), PriceUnit.KTOKENS, "CNY"), max_tokens=500) == 1
    assert cost(Price(Decimal(2), PriceUnit.MTOKENS, "CNY"), max_tokens=500_000) == 1
    assert cost(Price(Decimal(2), PriceUnit.MTOKENS, "CNY")) == Decimal("0.002")
    local = Connection("c", "a", "http://127.0.0.1:8080", "m")
    assert Rules.of(local, caps, Request("p")).policy is OnUnknown.RESEND
