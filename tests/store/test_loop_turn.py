"""The next commit waits for the loop's answer to the last one, and for nothing that costs more than
that could save."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from desktop_app.store.loop_turn import LoopTurn


class Waited:
    """Stands in for the event: tells how long it was waited for."""

    def __init__(self) -> None:
        self.limits_s: list[float] = []

    def wait(self, limit_s: float) -> None:
        self.limits_s.append(limit_s)

    def clear(self) -> None:
        pass


def limits_after(
    commits: list[float], monkeypatch: pytest.MonkeyPatch, *, later_s: float = 0.0
) -> list[float]:
    waited, now = Waited(), 100.0
    monkeypatch.setattr(threading, "Event", lambda: waited)
    turn = LoopTurn(lambda: now)
    for took_s in commits:
        turn.committed(took_s)
    now += later_s
    turn.wait()
    return [pytest.approx(limit_s) for limit_s in waited.limits_s]


def test_it_waits_half_of_what_a_commit_takes_at_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits_after([0.004], monkeypatch) == [0.002]
    # One that copied the log back says nothing of the next.
    assert limits_after([0.2, 0.004, 0.3], monkeypatch) == [0.002]
    # What the disk could do long ago is forgotten.
    assert limits_after([0.002, *[0.01] * 8], monkeypatch) == [0.005]


def test_it_does_not_wait_where_a_commit_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits_after([0.0002], monkeypatch) == []
    assert limits_after([], monkeypatch) == []


def test_the_time_since_the_commit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits_after([0.004], monkeypatch, later_s=0.0015) == [0.0005]
    assert limits_after([0.004], monkeypatch, later_s=0.0025) == []


async def test_what_the_woken_ask_for_is_sent_before_the_turn_is_over() -> None:
    loop = asyncio.get_running_loop()
    turn, said = LoopTurn(), list[str]()
    outcome: asyncio.Future[None] = loop.create_future()

    def send(what: str) -> Callable[[], None]:
        return lambda: said.append(what)

    async def claims_again() -> None:
        await outcome
        loop.call_soon(send("the claim"))

    waiting = asyncio.ensure_future(claims_again())
    await asyncio.sleep(0)
    turn.committed(60.0)
    outcome.set_result(None)
    turn.handed(loop)
    await asyncio.to_thread(turn.wait)
    assert said == ["the claim"]
    await waiting
