"""What is known of calls that left lately is the same whether few or thousands did."""

from __future__ import annotations

import math
import random

import pytest

from desktop_app.engine.departures import FEW, SHORT_S, THROUGH_S, WINDOW_S, Departures


def test_a_call_goes_through_once_it_was_out_for_a_while_since_the_cut() -> None:
    sent = Departures()
    sent.add(10.0)
    assert not sent.goes_through(10.0, cut_at=5.0)
    assert not sent.goes_through(10.0 + THROUGH_S - 0.01, cut_at=5.0)
    assert sent.goes_through(10.0 + THROUGH_S, cut_at=5.0)
    # Another cut: what was sent before it proves nothing.
    sent.cut()
    assert not sent.goes_through(13.0, cut_at=12.5)
    sent.add(13.0)
    assert not sent.goes_through(13.0 + THROUGH_S - 0.01, cut_at=12.5)
    assert sent.goes_through(13.0 + THROUGH_S, cut_at=12.5)


def test_a_call_that_was_refused_proves_nothing() -> None:
    sent = Departures()
    sent.add(1.0)
    sent.add(2.0)
    assert not sent.goes_through(2.0, cut_at=-math.inf)
    sent.take_out(1.0)
    assert not sent.goes_through(1.0 + THROUGH_S, cut_at=-math.inf)
    assert sent.goes_through(2.0 + THROUGH_S, cut_at=-math.inf)


def test_it_is_what_a_look_at_every_call_would_find() -> None:
    dice = random.Random(4)
    for _ in range(200):
        sent, plain = Departures(), list[float]()
        now, cut_at, known = 0.0, -math.inf, False
        for _ in range(60):
            now += dice.choice((0.0, 0.125, 0.5, 1.5, 9.0))
            what = dice.random()
            if what < 0.1:
                cut_at, known = now, False
                sent.cut()
            elif what < 0.2 and plain:
                gone = plain.pop(dice.randrange(len(plain)))
                sent.take_out(gone)
            else:
                plain.append(now)
                sent.add(now)
            known = known or any(
                max(cut_at, now - WINDOW_S) < at <= now - THROUGH_S for at in plain
            )
            assert sent.goes_through(now, cut_at) is known


def test_the_rate_is_that_of_the_last_seconds() -> None:
    sent = Departures()
    for tenth in range(300):
        sent.add(tenth / 10)
    assert sent.rate(29.9) == 10.0
    assert sent.lately(29.9) == 30


@pytest.mark.parametrize(
    ("calls", "over_s", "rate", "tells"),
    [
        (0, 0.0, None, False),
        (FEW - 1, 30.0, None, False),
        (FEW - 1, 30.0, 2.0, True),
        (FEW, SHORT_S, None, True),
        (FEW, SHORT_S / 2, None, False),
        (200, SHORT_S / 2, 100.0, False),
        (200, SHORT_S, 100.0, True),
    ],
)
def test_the_first_few_calls_tell_of_no_rate(
    calls: int, over_s: float, rate: float | None, *, tells: bool
) -> None:
    sent = Departures()
    for nth in range(calls):
        sent.add(100.0 + over_s * nth / calls)
    assert sent.tells(100.0 + over_s, rate) is tells


@pytest.mark.parametrize(
    ("sent_at", "now", "passed"),
    [([0.0], 0.1, 2.0), ([0.0, 2.0, 4.0], 8.0, 0.5), ([0.0, 1.0, 2.0, 3.0, 4.0], 5.0, 1.0)],
)
def test_of_a_few_calls_no_more_passed_than_one_more_would_make(
    sent_at: list[float], now: float, passed: float
) -> None:
    sent = Departures()
    for at in sent_at:
        sent.add(at)
    assert sent.passed(now, -math.inf, None) == pytest.approx(passed)


def test_what_passed_by_then_counts_no_later_call() -> None:
    sent = Departures()
    for at in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        sent.add(at)
    sent.take_out(0.2)
    sent.take_out(0.3)
    assert sent.passed(0.45, -math.inf, None) == pytest.approx(4.0)
    assert sent.passed(0.45, 0.4, 7.0) is None


def test_a_call_is_let_in_when_it_was_not_refused_at_once() -> None:
    sent = Departures()
    sent.add(1.0)
    assert not sent.let_in(0.0, 1.0 + THROUGH_S - 0.01)
    assert sent.let_in(0.0, 1.0 + THROUGH_S)
    assert not sent.let_in(1.0, 1.0 + THROUGH_S)
