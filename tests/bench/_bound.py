"""What no client could beat: a lower bound on the makespan under the limits in use.

Given: calls with durations p, grouped in lanes (a lane's calls run one after another, in order),
``machines`` calls at once, and a token bucket of ``burst`` tokens refilled at ``rate`` a second.
So the k-th start (k = 1, 2, ...) cannot be before ``s_k = max(0, (k - burst) / rate)``. Every
schedule, with any order of lanes and any knowledge of the future, takes at least the largest of:

* **chain**: the longest lane, sum of its durations;
* **area**: machines are idle until their first start, so with ``m`` machines
  ``C >= (sum of all p + s_1 + ... + s_m) / m`` (with fewer calls than machines: m = calls);
* **rate**: the k longest calls cannot all start before ``s_k``; pairing the latest starts with the
  shortest calls is best possible, so ``C >= max over k of s_k + (k-th longest p)``;
* **crowd**: of the ``j`` longest calls with ``j > m`` two share a machine, and more of them more:
  with q = ceil(j / m) on one machine, ``C >= the sum of the q shortest among those j``.

``list_schedule`` is no bound but what list scheduling reaches: the makespan of the plain greedy
client that takes the first free lane head in sheet order, without a second of overhead.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Calls:
    """The work: one list of durations (seconds) a lane, in the lane's order."""

    lanes: tuple[tuple[float, ...], ...]

    @property
    def durations(self) -> list[float]:
        """Every duration, lane after lane."""
        return [p for lane in self.lanes for p in lane]


@dataclass(frozen=True)
class Limits:
    """``machines`` at once; ``rate`` starts a second after ``burst`` at once; rate 0 = none.
    ``changes``: (from when, the rate from then on), in order."""

    machines: int
    rate: float
    burst: int
    changes: tuple[tuple[float, float], ...] = ()

    def earliest(self, k: int) -> float:
        """The earliest possible k-th start, k from 1."""
        if not self.rate:
            return 0.0
        left, at, rate = max(0.0, float(k - self.burst)), 0.0, self.rate
        for until, then in self.changes:
            if left <= (until - at) * rate:
                break
            left -= (until - at) * rate
            at, rate = until, then
        return at + left / rate


def chain_bound(calls: Calls) -> float:
    """The longest lane."""
    return max((sum(lane) for lane in calls.lanes), default=0.0)


def area_bound(calls: Calls, limits: Limits) -> float:
    """All work spread evenly, counted from each machine's earliest start."""
    durations = calls.durations
    machines = min(limits.machines, len(durations))
    if machines == 0:
        return 0.0
    idle = sum(limits.earliest(k) for k in range(1, machines + 1))
    return (sum(durations) + idle) / machines


def rate_bound(calls: Calls, limits: Limits) -> float:
    """The bucket's starts, the longest call first."""
    longest_first = sorted(calls.durations, reverse=True)
    return max((limits.earliest(k) + p for k, p in enumerate(longest_first, 1)), default=0.0)


def crowd_bound(calls: Calls, limits: Limits) -> float:
    """The long calls that must share a machine."""
    longest_first = sorted(calls.durations, reverse=True)
    best = 0.0
    for j in range(1, len(longest_first) + 1):
        share = math.ceil(j / limits.machines)
        best = max(best, sum(longest_first[j - share : j]))
    return best


def lower_bound(calls: Calls, limits: Limits) -> float:
    """The largest of all bounds, seconds."""
    return max(
        chain_bound(calls),
        area_bound(calls, limits),
        rate_bound(calls, limits),
        crowd_bound(calls, limits),
    )


def list_schedule(order: Sequence[tuple[int, float]], limits: Limits) -> float:
    """Makespan of the greedy client. ``order`` is the sheet: (lane, duration) row by row."""
    waiting: dict[int, list[tuple[int, float]]] = {}
    for row, (lane, duration) in enumerate(order):
        waiting.setdefault(lane, []).append((row, duration))
    for rows in waiting.values():
        rows.reverse()
    heads = [(rows[-1][0], lane) for lane, rows in waiting.items()]
    heapq.heapify(heads)
    running: list[tuple[float, int]] = []
    now, started, end = 0.0, 0, 0.0
    while heads or running:
        if heads and len(running) < limits.machines:
            start = max(now, limits.earliest(started + 1))
            if not running or running[0][0] > start:
                _, lane = heapq.heappop(heads)
                finish = start + waiting[lane].pop()[1]
                heapq.heappush(running, (finish, lane))
                now, started, end = start, started + 1, max(end, finish)
                continue
        now, lane = heapq.heappop(running)
        if waiting[lane]:
            heapq.heappush(heads, (waiting[lane][-1][0], lane))
    return end
