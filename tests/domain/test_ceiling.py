"""The number of calls in flight: never above the cap, never stuck low, and rarely refused."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.ceiling import Ceiling


def test_a_refusal_by_number_learns_what_the_provider_holds() -> None:
    slots = Ceiling(30)
    for _ in range(20):
        slots.refused(now=1.0, sent_at=0.0, in_flight=30)
    assert slots.allowed == 10


def test_the_ceiling_probes_rarely_and_ever_more_rarely() -> None:
    slots, now, probes = Ceiling(30), 1.0, []
    for _ in range(20):
        slots.refused(now, 0.0, 30)
    while now < 4000:
        now += 1
        slots.succeeded(now, now)
        if slots.allowed > 10:
            probes.append(now)
            slots.refused(now + 0.1, now + 0.05, 11)
            assert slots.allowed == 10
    gaps = [b - a for a, b in pairwise(probes)]
    assert gaps == sorted(gaps)
    assert len(probes) < 12


@given(st.integers(1, 64), st.lists(st.tuples(st.floats(0, 50), st.booleans()), max_size=150))
def test_the_ceiling_stays_between_one_and_the_cap(
    cap: int, steps: list[tuple[float, bool]]
) -> None:
    slots, now = Ceiling(cap), 0.0
    for step, good in steps:
        now += step
        slots.look(now)
        slots.taken(now, slots.allowed)
        if good:
            slots.succeeded(now, now)
        else:
            slots.refused(now, now, slots.allowed)
        assert 1 <= slots.allowed <= cap


@given(st.integers(2, 64))
def test_the_ceiling_is_never_stuck_low(cap: int) -> None:
    slots, now = Ceiling(cap), 0.0
    for _ in range(cap):
        slots.refused(1.0, 0.5, cap)
    assert slots.allowed == 1
    for _ in range(20_000):
        now += 1
        slots.succeeded(now + 1, now + 1)
    assert slots.allowed == cap


def test_a_new_cap_is_obeyed_at_once() -> None:
    slots = Ceiling(8)
    slots.recap(3)
    assert slots.allowed == 3
    slots.recap(6)
    assert slots.allowed == 6


def refused_down_to(held: int, usual: int) -> Ceiling:
    """At second 100, by number, where that many were answered before."""
    slots = Ceiling(usual)
    slots.succeeded(50.0, 20.0, usual)
    for _ in range(usual - held):
        slots.refused(100.0, 99.9, usual)
    assert slots.allowed == max(1, held)
    return slots


def seconds_until_back(slots: Ceiling, now: float) -> float:
    """With a call behind every slot, no answer meanwhile, and no refusal."""
    began = now
    while slots.allowed < slots.cap:
        slots.taken(now, slots.allowed)
        at = slots.looks_at(now)
        assert at is not None
        assert at >= now
        now = at
        slots.look(now)
    return now - began


@given(st.integers(2, 64), st.data())
def test_a_number_that_was_held_before_comes_back_within_a_minute(
    usual: int, data: st.DataObject
) -> None:
    slots = refused_down_to(data.draw(st.integers(0, usual - 1)), usual)
    assert seconds_until_back(slots, 100.0) <= 60


def test_where_not_one_was_held_from_the_start_all_come_back_by_time() -> None:
    slots = Ceiling(10)
    for _ in range(10):
        slots.refused(1.0, 0.5, 10)
    for second in range(2, 100):
        slots.refused(float(second), second - 0.1, 1)
    assert slots.allowed == 1
    assert seconds_until_back(slots, 100.0) <= 15


def test_a_number_that_was_never_held_before_is_climbed_to_once_it_is() -> None:
    slots, now = Ceiling(10), 1.0
    for _ in range(8):
        slots.refused(now, 0.5, 10)
    while slots.allowed == 2:
        now += 5
        slots.succeeded(now, now - 3, 2)
    assert now <= 60
    assert seconds_until_back(slots, now) <= 30


def test_while_others_hold_the_slots_each_half_minute_one_is_asked_for() -> None:
    slots, now, probes = refused_down_to(2, 10), 100.0, 0
    while now < 1900:
        now = slots.looks_at(now) or now + 1
        slots.look(now)
        assert slots.allowed == 3
        slots.taken(now, 3)
        slots.refused(now + 0.2, now + 0.1, 3)
        assert slots.allowed == 2
        probes += 1
    assert 55 <= probes <= 61
    assert seconds_until_back(slots, now) <= 60


def test_what_was_held_more_than_an_hour_ago_is_asked_for_ever_more_rarely() -> None:
    slots = refused_down_to(2, 10)
    assert slots.looks_at(3_000) is not None
    assert slots.looks_at(4_000) is None


def test_a_slot_that_was_never_taken_proves_nothing() -> None:
    slots = refused_down_to(0, 10)
    slots.taken(101.0, 0)
    assert slots.looks_at(200.0) is None
    slots.look(200.0)
    assert slots.allowed == 1
    slots.taken(200.0, 1)
    slots.look(202.0)
    assert slots.allowed == 2


def test_a_probe_at_the_moment_of_its_refusal_is_an_event_of_its_own() -> None:
    """Else its refusal would be counted to the last event, and lower what that one found."""
    slots, now = Ceiling(32), 1.0
    for _ in range(22):
        slots.refused(now, 0.5, 32)
    for _ in range(40):
        now += 4
        slots.succeeded(now, now - 2, slots.allowed)
        if slots.allowed > 10:
            slots.refused(now, now, slots.allowed)
        assert slots.allowed == 10


def test_what_nobody_stated_is_raised_while_what_is_out_is_held() -> None:
    slots, now = Ceiling(64, 4), 0.0
    assert (slots.allowed, slots.is_cut) == (4, False)
    slots.look(60.0)
    assert slots.allowed == 4  # nobody needs more
    tried = []
    while slots.allowed < 64:
        slots.taken(now, slots.allowed)
        now += 2.0
        slots.look(now)
        tried.append(slots.allowed)
    assert tried == [6, 9, 13, 19, 28, 42, 63, 64]
    assert not slots.is_cut


def test_the_first_refusal_ends_that() -> None:
    slots = Ceiling(64, 4)
    for now in (0.0, 2.0, 4.0, 6.0):
        slots.look(now)
        slots.taken(now, slots.allowed)
    assert slots.allowed == 13
    slots.refused(6.1, 6.0, 13)
    slots.refused(6.1, 6.0, 13)
    assert (slots.allowed, slots.is_cut) == (11, True)


def test_another_figure_begins_anew_where_nobody_refused() -> None:
    slots = Ceiling(64, 4)
    slots.recap(8, 8)
    assert (slots.cap, slots.allowed) == (8, 8)
    slots.recap(64, 4)
    assert (slots.cap, slots.allowed) == (64, 4)
