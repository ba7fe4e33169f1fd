"""What is free has no second bill."""

from __future__ import annotations

from decimal import Decimal

import pytest

from desktop_app.domain.money import Money, Price, PriceUnit, costs_nothing


@pytest.mark.parametrize(
    ("spent", "reserved", "unpriced", "free"),
    [
        (("0",), (), 0, True),
        (("0",), ("0",), 0, True),
        ((), (), 0, False),  # nobody knows yet
        (("0",), (), 1, False),
        (("0", "0.04"), (), 0, False),
        (("0",), ("0.04",), 0, False),
    ],
)
def test_free_calls_cannot_be_paid_twice(
    spent: tuple[str, ...], reserved: tuple[str, ...], unpriced: int, free: bool
) -> None:
    def money(figures: tuple[str, ...]) -> list[Money]:
        return [Money(Decimal(figure), "USD") for figure in figures]

    assert costs_nothing(money(spent), money(reserved), unpriced) is free


def test_a_million_tokens_are_a_thousand_times_a_thousand() -> None:
    by_thousand = Price(Decimal("0.0025"), PriceUnit.KTOKENS, "USD")
    by_million = Price(Decimal("2.5"), PriceUnit.MTOKENS, "USD")
    for tokens in (0, 1, 999, 1_234_567):
        assert by_thousand.cost(tokens=tokens) == by_million.cost(tokens=tokens)
    assert by_million.cost(tokens=None) is None
    assert [unit for unit in PriceUnit if unit.tokens] == [PriceUnit.KTOKENS, PriceUnit.MTOKENS]
