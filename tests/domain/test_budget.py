"""What a call may cost at most: every result of it, and every token of every result."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from desktop_app.domain.budget import likely_tokens, most_tokens, worst_case
from desktop_app.domain.connection import Connection, OnUnknown
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.rules import Rules
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
    thousand = worst_case(connection(PriceUnit.MTOKENS, max_tokens=1000), Request("hi", {}, {}))
    assert thousand == one / 1000


def test_each_of_several_pictures_counts() -> None:
    paid = connection(PriceUnit.IMAGE)
    assert worst_case(paid, Request("hi", {"n": 3}, {})) == 3
    assert worst_case(paid, Request("hi", {"n": 3}, {"n": 2})) == 3


OTHERS = (("big", Decimal(5)), ("free", Decimal(0)))


def test_a_row_s_own_model_has_its_own_price() -> None:
    usual = connection(PriceUnit.IMAGE)
    price = Price(Decimal(1), PriceUnit.IMAGE, "USD", OTHERS)
    paid = replace(usual, price=price)
    for model, most in ((" big ", 10), ("free", 0), ("m", 2), ("unknown", 2), ("", 2), (None, 2)):
        assert worst_case(paid, Request("hi", {"n": 2, "model": model}, {})) == most
        assert worst_case(usual, Request("hi", {"n": 2, "model": model}, {})) == 2
    tokens = replace(paid, price=replace(price, unit=PriceUnit.KTOKENS))
    assert worst_case(tokens, Request("hi", {"model": "big"}, {})) is None
    small, large = (
        worst_case(tokens, Request("hi", {"model": model, "max_tokens": 1000}, {}))
        for model in ("m", "big")
    )
    assert small is not None
    assert large is not None
    assert 4 * small < large < 6 * small


def test_what_is_free_but_for_one_model_is_not_free() -> None:
    free = replace(connection(PriceUnit.CALL), price=Price(Decimal(0), PriceUnit.CALL, "USD"))
    assert (free.is_free, free.unknown_policy) == (True, OnUnknown.RESEND)
    mixed = replace(free, price=Price(Decimal(0), PriceUnit.CALL, "USD", OTHERS))
    assert (mixed.is_free, mixed.unknown_policy) == (False, OnUnknown.HOLD)
    assert replace(free, price=Price(Decimal(0), PriceUnit.CALL, "USD", OTHERS[1:])).is_free


def test_a_dear_model_is_not_sent_again_where_only_cheap_calls_are() -> None:
    cheap = replace(
        connection(PriceUnit.CALL),
        price=Price(Decimal("0.01"), PriceUnit.CALL, "USD", OTHERS),
        on_unknown=OnUnknown.RESEND_BELOW,
        resend_below=Decimal("0.05"),
    )
    caps = Capabilities("picture", 60.0)
    assert Rules.of(cheap, caps, Request("hi")).may_resend(0)
    assert not Rules.of(cheap, caps, Request("hi", {"model": "big"})).may_resend(0)


def test_the_most_tokens_of_a_call_whose_answer_nobody_caps_are_told_where_one_stands_in() -> None:
    free = connection(PriceUnit.CALL)
    assert most_tokens(free, Request("hi", {}, {})) is None
    assert most_tokens(free, Request("hi", {}, {}), 1000) == 1000 + 2 + 64
    capped = Request("hi", {}, {"max_tokens": 500})
    assert most_tokens(free, capped, 1000) == 500 + 2 + 3 + 64


def test_likely_tokens_are_those_of_a_usual_text_and_no_more_than_may_be_written() -> None:
    free = connection(PriceUnit.CALL)
    assert likely_tokens(free, Request("x" * 400, {}, {})) == 600
    assert likely_tokens(free, Request("x" * 400, {"max_tokens": 50, "n": 2}, {})) == 200
