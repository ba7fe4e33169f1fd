"""The gate's arithmetic on a fake clock, and what the wire tells of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from desktop_app.practice.config import from_mapping
from desktop_app.practice.limits import Gate, Refusal, go_duration
from tests.practice.practice_kit import Starter


class Now:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def _gate(now: Now, **values: Any) -> Gate:
    return Gate(from_mapping({"time_scale": 1, "concurrency": 0, **values}), now)


def _let_in(gate: Gate, tries: int) -> int:
    return sum(gate.enter() is None for _ in range(tries))


def test_the_burst_comes_at_once_and_then_the_rate_holds() -> None:
    now = Now()
    gate = _gate(now, qps=3, burst=6)
    assert _let_in(gate, 20) == 6
    refused = gate.enter()
    assert isinstance(refused, Refusal)
    assert refused.wait_s == pytest.approx(1 / 3)
    now.at += 1 / 3
    assert _let_in(gate, 5) == 1
    now.at += 100
    assert _let_in(gate, 20) == 6


def test_over_a_long_time_exactly_burst_plus_rate_times_time_is_let_in() -> None:
    now = Now()
    gate = _gate(now, qps=3, burst=6)
    let_in = 0
    for _ in range(10_000):
        let_in += gate.enter() is None
        now.at += 0.01
    assert let_in in (305, 306)


def test_a_call_that_comes_when_told_is_let_in() -> None:
    now = Now()
    gate = _gate(now, qps=0.7, burst=1)
    for _ in range(500):
        assert gate.enter() is None
        refused = gate.enter()
        assert refused is not None
        assert refused.wait_s is not None
        now.at += refused.wait_s


def test_a_rate_is_divided_by_the_time_scale() -> None:
    now = Now()
    gate = _gate(now, qps=3, burst=1, time_scale=0.1)
    assert _let_in(gate, 2) == 1
    now.at += 1 / 30
    assert _let_in(gate, 2) == 1


def test_concurrency_is_asked_first_and_takes_no_token() -> None:
    now = Now()
    gate = _gate(now, qps=1, burst=2, concurrency=1)
    assert gate.enter() is None
    assert gate.enter() == Refusal("concurrency", None)
    gate.leave()
    assert gate.enter() is None


def test_the_schedule_counts_nominal_seconds_from_the_first_call() -> None:
    now = Now()
    schedule = [{"at_s": 30, "qps": 1.5}, {"at_s": 90, "qps": 3, "concurrency": 1}]
    gate = _gate(now, qps=3, burst=1, time_scale=0.5, schedule=schedule)
    now.at += 1000  # nothing counts before the first call
    start = now.at
    assert gate.enter() is None

    def rate_now() -> float:
        gate.enter()
        refused = gate.enter()
        assert refused is not None
        assert refused.wait_s is not None
        return 1 / refused.wait_s

    now.at = start + 14.9
    assert rate_now() == pytest.approx(6)
    now.at = start + 20
    assert rate_now() == pytest.approx(3)
    now.at = start + 30
    assert rate_now() == pytest.approx(3)
    now.at = start + 46
    assert gate.enter() == Refusal("concurrency", None)


def test_tokens_earned_across_a_change_are_earned_at_each_own_rate() -> None:
    now = Now()
    gate = _gate(now, qps=10, burst=100, schedule=[{"at_s": 10, "qps": 1}])
    assert _let_in(gate, 200) == 100
    now.at += 20
    assert _let_in(gate, 500) == 100  # 10 s of 10 and 10 s of 1 make 110, the bucket holds 100
    now.at += 7
    assert _let_in(gate, 500) == 7


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0ms"), (0.02, "20ms"), (1, "1s"), (1.5, "1.5s"), (59.9996, "1m0s"),
        (360, "6m0s"), (72.5, "1m12.5s"), (3600, "1h0m0s"),
    ],
)  # fmt: skip
def test_waits_are_written_as_openai_does(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text


async def test_a_rate_refusal_says_when_and_a_concurrency_one_does_not(start: Starter) -> None:
    server = await start(qps=1, burst=2, time_scale=1000)  # a token in 1,000 s
    good = await server.draw("a")
    assert good.headers["x-ratelimit-limit-requests"] == "2"
    assert good.headers["x-ratelimit-remaining-requests"] == "1"
    assert good.headers["x-ratelimit-reset-requests"].startswith("16m")
    await server.draw("b")
    refused = await server.draw("c")
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "rate_limit_exceeded"
    assert 990 < float(refused.headers["retry-after"]) <= 1000
    assert refused.headers["x-ratelimit-remaining-requests"] == "0"

    await server.client.post(
        "/_practice/reset", json={"concurrency": 1, "qps": 0, "mean_s": 20, "time_scale": 0.01}
    )
    first = asyncio.create_task(server.draw("a"))
    await server.until(in_flight=1)
    refused = await server.draw("b")
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "concurrency_limit_exceeded"
    assert "retry-after" not in refused.headers
    assert (await first).status_code == 200
    ledger = await server.ledger()
    assert (ledger["refused_429"], ledger["max_in_flight"]) == (1, 1)


async def test_a_client_that_keeps_to_the_limit_is_never_refused(start: Starter) -> None:
    server = await start(concurrency=3, mean_s=1, sigma=0.5)
    slots = asyncio.Semaphore(3)

    async def one(i: int) -> int:
        async with slots:
            return (await server.draw(f"mug {i}")).status_code

    assert await asyncio.gather(*(one(i) for i in range(60))) == [200] * 60
    ledger = await server.ledger()
    assert (ledger["max_in_flight"], ledger["refused_429"]) == (3, 0)


async def test_hidden_limits_can_be_kept_quiet(start: Starter) -> None:
    server = await start(qps=1, burst=1, time_scale=1000, tell_limits=False)
    assert "x-ratelimit-limit-requests" not in (await server.draw("a")).headers
    refused = await server.draw("b")
    assert refused.status_code == 429
    assert "x-ratelimit-limit-requests" not in refused.headers
    assert "retry-after" in refused.headers
