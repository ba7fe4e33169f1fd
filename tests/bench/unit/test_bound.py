"""The bound is a bound: held against every schedule of small cases."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.bench._bound import (
    Calls,
    Limits,
    area_bound,
    chain_bound,
    crowd_bound,
    list_schedule,
    lower_bound,
    rate_bound,
)

FREE = Limits(machines=2, rate=0, burst=1)


def _optimum(calls: Calls, limits: Limits) -> float:
    """The best makespan over every order in which calls can be started.

    Given the order of starts, starting each as early as machines, bucket and lane allow is best.
    """
    rows = [(lane, k) for lane, chain in enumerate(calls.lanes) for k in range(len(chain))]
    best = float("inf")
    for order in itertools.permutations(rows):
        if any(order.index((lane, k)) < order.index((lane, k - 1)) for lane, k in rows if k):
            continue
        machines = [0.0] * limits.machines
        lane_free = [0.0] * len(calls.lanes)
        before = 0.0
        for number, (lane, k) in enumerate(order, 1):
            soonest = min(range(limits.machines), key=machines.__getitem__)
            start = max(before, machines[soonest], lane_free[lane], limits.earliest(number))
            machines[soonest] = lane_free[lane] = start + calls.lanes[lane][k]
            before = start
        best = min(best, max(machines))
    return best


def _some_case(dice: random.Random) -> tuple[Calls, Limits]:
    lanes: list[tuple[float, ...]] = []
    left = dice.randint(1, 6)
    while left:
        size = dice.randint(1, left)
        lanes.append(tuple(float(dice.randint(1, 9)) for _ in range(size)))
        left -= size
    rate = dice.choice([0, 0.3, 1.0, 5.0])
    return Calls(tuple(lanes)), Limits(dice.randint(1, 4), rate, dice.randint(1, 3))


@pytest.mark.parametrize("seed", range(150))
def test_no_schedule_beats_the_bound_and_greedy_never_beats_the_best(seed: int) -> None:
    calls, limits = _some_case(random.Random(seed))
    best = _optimum(calls, limits)
    assert lower_bound(calls, limits) <= best + 1e-9
    sheet = [(lane, p) for lane, chain in enumerate(calls.lanes) for p in chain]
    assert list_schedule(sheet, limits) >= best - 1e-9


def test_the_bound_is_close_on_small_cases() -> None:
    ratios = []
    for seed in range(150):
        calls, limits = _some_case(random.Random(seed))
        ratios.append(_optimum(calls, limits) / lower_bound(calls, limits))
    assert sum(ratio < 1 + 1e-9 for ratio in ratios) > 0.6 * len(ratios)
    assert max(ratios) < 1.6


def test_each_part_by_hand() -> None:
    calls = Calls(((2.0, 3.0, 4.0), (5.0,), (6.0,)))
    assert chain_bound(calls) == 9
    assert area_bound(calls, FREE) == 10
    slow = Limits(machines=2, rate=0.5, burst=1)
    assert [slow.earliest(k) for k in (1, 2, 3)] == [0, 2, 4]
    assert area_bound(calls, slow) == (20 + 0 + 2) / 2
    assert rate_bound(calls, slow) == 8 + 2  # starts 0 2 4 6 8 for 6 5 4 3 2
    assert crowd_bound(Calls(((5.0,), (5.0,), (5.0,))), FREE) == 10
    assert crowd_bound(calls, FREE) == 9  # 6 5 4: two share, at least 4 + 5


def test_greedy_takes_lane_heads_in_sheet_order() -> None:
    sheet = [(0, 4.0), (0, 1.0), (1, 2.0), (2, 3.0)]
    assert list_schedule(sheet, FREE) == 5.0
    assert list_schedule(sheet, Limits(10, 1.0, 1)) == 5.0
    assert list_schedule([], FREE) == 0.0


def test_nothing_to_do_takes_no_time() -> None:
    assert lower_bound(Calls(()), FREE) == 0.0


def test_a_rate_that_changes_moves_the_later_starts() -> None:
    limits = Limits(machines=2, rate=3, burst=6, changes=((30, 1.5), (90, 3)))
    assert limits.earliest(6) == 0
    assert limits.earliest(96) == pytest.approx(30)
    assert limits.earliest(99) == pytest.approx(32)
    assert limits.earliest(186) == pytest.approx(90)
    assert limits.earliest(189) == pytest.approx(91)
