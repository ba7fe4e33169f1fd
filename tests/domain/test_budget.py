"""What a call may cost at most: every result of it, and every token of every result."""

from __future__ import annotations

from decimal import Decimal

from desktop_app.domain.budget import worst_case
from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.task import Request


def connection(unit: PriceUnit, **extra: object) -> Connection:
    return Connection(
        name="c",
        adapter="openai-chat",
        base_url="https://api.example.com/v1",
        model="m",
        price=Price(amount=Decimal(1), currency="USD", unit=unit),
        extra=extra,
    )


def test_each_of_several_answers_may_take_all_its_tokens() -> None:
    one = worst_case(connection(PriceUnit.KTOKENS, max_tokens=1000), Request("hi", {}, {}))
    four = worst_case(connection(PriceUnit.KTOKENS, max_tokens=1000, n=4), Request("hi", {}, {}))
    assert one is not None
    assert four is not None
    assert Decimal(1) <= one < Decimal("1.1")
    assert Decimal(4) <= four < Decimal("4.1")


def test_each_of_several_pictures_counts() -> None:
    paid = connection(PriceUnit.IMAGE)
    assert worst_case(paid, Request("hi", {"n": 3}, {})) == 3
    assert worst_case(paid, Request("hi", {"n": 3}, {"n": 2})) == 3
