"""What the model found of keys that make a resend safe, each as its smallest schedule."""

from __future__ import annotations

import pytest

from desktop_app.domain.task import TaskState
from tests.model.conftest import Make

S = TaskState


def test_a_cancelled_row_is_asked_about_though_its_key_would_make_a_resend_safe(
    make: Make,
) -> None:
    world = make(rows=1, behaviours=["slow"], jobs=True, askable=True, idempotent_s=1e9)
    world.live(0.5)
    world.people.cancel(1)
    world.end()
    world.begin()
    world.live(400)
    world.check()
    assert world.states == {1: S.CANCELLED}
    assert [s.billed for s in world.shop.sent] == [False]  # its job was cancelled too


def test_a_key_is_no_younger_because_the_clock_was_set_back(make: Make) -> None:
    world = make(rows=1, behaviours=["brink"], idempotent_s=60.0)
    world.live(100)
    world.jump(-86_400.0)
    world.end()
    world.begin()
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    assert len(world.shop.sent) == 1


def test_a_key_that_waits_is_no_younger_because_the_clock_was_set_back(make: Make) -> None:
    world = make(rows=1, behaviours=["brink"], idempotent_s=60.0)
    world.live(2)
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.RETRYING}
    world.jump(-3600.0)
    world.live(3600)
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    assert len(world.shop.sent) == 1


def test_a_key_outlives_a_failure_after_a_call_that_may_have_been_billed(make: Make) -> None:
    world = make(rows=1, behaviours=["lost", "fail", "ok"], idempotent_s=1e9)
    world.live(60)
    world.check()
    assert world.states == {1: S.SUCCESS}
    assert [s.billed for s in world.shop.sent] == [True, False, False]
    assert len({s.key for s in world.shop.sent}) == 1


def test_a_key_is_no_younger_where_the_clock_was_set_back_before_the_start(make: Make) -> None:
    world = make(rows=1, behaviours=["brink"], idempotent_s=60.0)
    world.live(2)
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.RETRYING}
    world.jump(-3600.0)
    world.end()
    world.begin()
    world.live(120)
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    assert len(world.shop.sent) == 1


@pytest.mark.parametrize(("waits_s", "rests_s"), [(0.0, 120.0), (40.0, 20.0)])
def test_a_key_counts_from_its_first_call_though_a_later_one_was_dated_earlier(
    make: Make, waits_s: float, rests_s: float
) -> None:
    """Sent again by a clock set back: it is too old at once, and with what it waited before."""
    world = make(rows=1, behaviours=["slow", "slow"], idempotent_s=60.0)
    world.live(2)
    world.end()
    world.begin()
    world.jump(-3600.0)
    world.live(waits_s)
    world.people.resume()
    world.live(5)
    world.check()
    assert len(world.shop.sent) == 2
    world.end()
    world.begin()
    world.live(rests_s)
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    assert len(world.shop.sent) == 2


def test_what_waits_for_a_resend_counts_from_its_keys_first_call_whatever_its_date(
    make: Make,
) -> None:
    world = make(rows=1, behaviours=["slow", "lost"], idempotent_s=60.0)
    world.live(2)
    world.end()
    world.begin()
    world.jump(-3600.0)
    world.live(40)
    world.people.resume()
    world.until(lambda: len(world.rules.sql("SELECT 1 FROM attempt WHERE outcome='unknown'")) == 2)
    world.end()
    world.begin()
    world.check()
    assert world.states == {1: S.RETRYING}
    world.live(20)
    world.people.resume()
    world.live(60)
    world.check()
    assert world.states == {1: S.UNCERTAIN}
    assert len(world.shop.sent) == 2
