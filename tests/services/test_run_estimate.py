"""Money and time are said where they are known, and never made up."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.domain.connection import Connection, Limits, OnUnknown, RateUnit
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message, Translator
from desktop_app.services.run_estimate import by_models, cost_of, duration_of, results_of
from tests.services.services_kit import PICTURES, TEXTS

PAID = Connection("shop", "pictures", "https://shop.example/v1", "m")
CENTS = Price(Decimal("0.039"), PriceUnit.IMAGE, "USD")


@pytest.mark.parametrize(
    ("price", "policy", "code", "values"),
    [
        (None, None, None, {}),
        (Price(Decimal(0), PriceUnit.CALL, "USD"), None, "services.cost_free", {}),
        (CENTS, None, "services.cost", {"total": "7.80", "currency": "USD"}),
        (
            CENTS,
            OnUnknown.RESEND,
            "services.cost_up_to",
            {"total": "7.80", "most": "31.20", "currency": "USD"},  # sent 1 + 3 times at most
        ),
        (
            Price(Decimal("0.002"), PriceUnit.KTOKENS, "CNY"),
            None,
            "services.cost_tokens",
            {"price": "0.002", "currency": "CNY", "count": 1000},
        ),
    ],
)
def test_the_cost_of_two_hundred_rows(
    price: Price | None, policy: OnUnknown | None, code: str | None, values: dict[str, Any]
) -> None:
    connection = Connection(
        "shop", "pictures", "https://shop.example/v1", "m", price=price, on_unknown=policy
    )
    said = cost_of(connection, 200)
    assert (said.code if said else None) == code
    assert dict(said.values if said else {}) == values


@pytest.mark.parametrize(
    ("policy", "calls", "budget", "said"),
    [
        (None, 50, None, "About 1.95 USD"),
        (None, 500, None, "About 7.80 USD"),
        (None, None, "0.20", "About 7.80 USD; the cap stops it at 0.20 USD"),
        (None, None, "9", "About 7.80 USD"),
        (None, 50, "1", "About 1.95 USD; the cap stops it at 1.00 USD"),
        (OnUnknown.RESEND, 50, None, "About 1.95 USD"),  # sent again or not: 50 calls
        (OnUnknown.RESEND, 300, None, "About 7.80 USD; may pay twice, up to 11.70 USD"),
        (OnUnknown.RESEND, None, "0.20", "About 7.80 USD; the cap stops it at 0.20 USD"),
        (OnUnknown.RESEND, None, "10", "About 7.80 USD; may pay twice, up to 10.00 USD"),
    ],
)
def test_a_cap_holds_what_is_said_of_the_cost(
    policy: OnUnknown | None, calls: int | None, budget: str | None, said: str
) -> None:
    connection = replace(PAID, price=CENTS, on_unknown=policy)
    found = cost_of(
        connection, 200, calls=calls, budget=None if budget is None else Decimal(budget)
    )
    assert found is not None
    assert Translator().say(found) == said


def test_a_cap_of_calls_counts_the_results_of_each() -> None:
    found = cost_of(replace(PAID, price=CENTS), 200, 400, calls=50)
    assert found is not None
    assert found.values["total"] == "3.90"


def test_a_cap_of_calls_holds_the_most_that_tokens_cost() -> None:
    tokens = replace(PAID, price=Price(Decimal("0.002"), PriceUnit.KTOKENS, "CNY"))
    found = cost_of(tokens, 200, worst=Decimal(8), calls=50)
    assert found is not None
    assert found.values["most"] == "2.00"


def test_a_server_on_this_machine_is_free() -> None:
    said = cost_of(Connection("here", "pictures", "http://127.0.0.1:1/v1", "m"), 200)
    assert said is not None
    assert said.code == "services.cost_free"


@pytest.mark.parametrize(
    ("limits", "minutes"),
    [
        (Limits(), 28),  # 240 rows x 28 s / (4 x 0.8)
        (Limits(concurrency=10, headroom=1.0), 11),
        (Limits(concurrency=100, rate=6.0, rate_unit=RateUnit.RPM, headroom=1.0), 40),
        (Limits(concurrency=1), 112),  # headroom never goes below one call
    ],
)
def test_the_time_of_240_pictures(limits: Limits, minutes: int) -> None:
    said = duration_of(Connection("s", "p", "https://s.example", "m", limits=limits), PICTURES, 240)
    assert said is not None
    assert said.values == {"minutes": minutes}


@pytest.mark.parametrize(
    ("limits", "results", "tokens", "minutes"),
    [
        (Limits(rate=10, rate_unit=RateUnit.IPM, headroom=1.0), 720, 0, 72),
        (Limits(rate=600, rate_unit=RateUnit.RPM, images_per_minute=10), 720, 0, 90),
        (Limits(tokens_per_minute=1000, headroom=1.0), 240, 100_000, 100),
        (Limits(tokens_per_minute=1_000_000, headroom=1.0), 240, 240_000, 28),
    ],
)
def test_the_time_counts_images_and_tokens_where_a_limit_does(
    limits: Limits, results: int, tokens: int, minutes: int
) -> None:
    shop = Connection("s", "p", "https://s.example", "m", limits=limits)
    said = duration_of(shop, PICTURES, 240, results=results, tokens=tokens)
    assert said is not None
    assert said.values == {"minutes": minutes}


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(), "About 28 min, less where more calls at once are taken"),
        (Limits(rate=6, rate_unit=RateUnit.RPM, headroom=1.0), "About 40 min at these limits"),
        (Limits(concurrency=5), "About 28 min at these limits"),
    ],
)
def test_more_calls_at_once_shorten_the_time_only_where_nobody_stated_them(
    limits: Limits, said: str
) -> None:
    shop = Connection("s", "p", "https://s.example", "m", limits=limits)
    found = duration_of(shop, PICTURES, 240)
    assert found is not None
    assert Translator().say(found) == said


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (1_000, "About 117 min at these limits"),
        (10_000, "About 19 h at these limits"),
        (1_000_000, "About 81 days at these limits"),
    ],
)
def test_a_long_time_is_said_in_hours_and_days(rows: int, said: str) -> None:
    shop = Connection("s", "p", "https://s.example", "m", limits=Limits(concurrency=5))
    found = duration_of(shop, PICTURES, rows)
    assert found is not None
    assert Translator().say(found) == said


def test_no_time_is_made_up() -> None:
    assert duration_of(PAID, TEXTS, 0) is None
    assert duration_of(Connection("h", "p", "http://localhost:1", "m"), TEXTS, 9) is None


@pytest.mark.parametrize(("unit", "total"), [(PriceUnit.IMAGE, "0.60"), (PriceUnit.CALL, "0.20")])
def test_several_results_a_row_cost_each_where_the_price_is_for_one(
    unit: PriceUnit, total: str
) -> None:
    price = Price(Decimal("0.10"), unit, "USD")
    paid = Connection("s", "p", "https://s.example", "m", price=price, params={"n": 2})
    rows = [Request("a"), Request("b", {"n": 4})]
    said = cost_of(paid, 2, results_of(paid, rows))
    assert said is not None
    assert said.values["total"] == total


def test_what_may_be_paid_twice_ends_at_the_cap_and_at_the_price_it_is_allowed_for() -> None:
    def said(**changes: Any) -> str:
        values = {"price": CENTS, "on_unknown": OnUnknown.RESEND, **changes}
        cost = cost_of(
            Connection("s", "p", "https://s.example", "m", **values), 200, budget=Decimal(10)
        )
        return Translator().say(cost) if cost else ""

    assert said() == "About 7.80 USD; may pay twice, up to 10.00 USD"
    assert said(retries=0) == "About 7.80 USD"  # sent again no time
    below = {"on_unknown": OnUnknown.RESEND_BELOW}
    assert said(**below, resend_below=Decimal("0.03")) == "About 7.80 USD"
    assert said(**below, resend_below=Decimal("0.05")).endswith("up to 10.00 USD")


def test_tokens_have_a_most_where_answers_are_bounded() -> None:
    price = Price(Decimal("0.002"), PriceUnit.KTOKENS, "CNY")
    paid = Connection("s", "p", "https://s.example", "m", price=price)
    said = cost_of(paid, 200, worst=Decimal("1.25"))
    assert said is not None
    assert Translator().say(said) == "0.002 CNY per 1,000 tokens, up to 1.25 CNY in all"
    by_million = replace(paid, price=replace(price, amount=Decimal(2), unit=PriceUnit.MTOKENS))
    said = cost_of(by_million, 200)
    assert said is not None
    assert Translator().say(said) == "2.00 CNY per 1,000,000 tokens"


@pytest.mark.parametrize(
    ("amount", "unit"),
    [(Decimal("0.002"), PriceUnit.KTOKENS), (Decimal(2), PriceUnit.MTOKENS)],
)
def test_whether_a_call_is_sent_again_is_a_matter_of_its_own_price(
    amount: Decimal, unit: PriceUnit
) -> None:
    price = Price(amount, unit, "CNY")
    paid = Connection(
        "s", "p", "https://s.example", "m", price=price, on_unknown=OnUnknown.RESEND_BELOW
    )
    for below, most in ((Decimal("0.001"), "1.25"), (Decimal("0.01"), "5.00")):
        said = cost_of(replace(paid, resend_below=below), 200, worst=Decimal("1.25"))
        assert said is not None
        assert f"up to {most} CNY" in Translator().say(said)


def test_models_with_prices_of_their_own_cost_what_their_rows_do() -> None:
    price = Price(Decimal("0.04"), PriceUnit.IMAGE, "USD", (("big", Decimal("0.20")),))
    shop = Connection("shop", "pictures", "https://shop.example/v1", "m", price=price)
    rows = [Request("a"), Request("b", {"model": "big", "n": 2}), Request("c", {"model": "m"})]
    worst = by_models(shop, rows)
    assert worst == Decimal("0.48")
    say = Translator().say
    assert say(told(cost_of(shop, 3, 4, worst=worst))) == "About 0.48 USD"
    capped = cost_of(shop, 3, 4, worst=worst, budget=Decimal("0.30"))
    assert say(told(capped)) == "About 0.48 USD; the cap stops it at 0.30 USD"
    by_tokens = replace(shop, price=replace(price, unit=PriceUnit.KTOKENS))
    assert "0.04–0.20 USD" in say(told(cost_of(by_tokens, 3)))
    assert by_models(replace(shop, price=replace(price, models=())), rows) is None


def told(said: Message | None) -> Message:
    assert said is not None
    return said
