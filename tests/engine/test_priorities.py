"""An urgent batch has every free slot first; no slot is idle for it, and equal ones take turns."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import pairwise
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.domain.attempt import Claim, Outcome
from desktop_app.domain.batch import BatchPriority, RunState
from desktop_app.domain.connection import Limits
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.events import BatchFinished
from desktop_app.domain.ports import Answer, Call, Job
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE, Script, answers, failure
from tests.engine.house import House, running
from tests.engine.virtual import run

LOW, NORMAL, HIGH = BatchPriority
PROMPT = "x" * 436  # and 500 of the answer and 64 of the frame: 1,000 tokens


def named(batch: str, rows: int) -> list[str]:
    """Prompts that say whose they are."""
    return [f"{batch}{row}" for row in range(rows)]


def sent(house: House, since: float = -1.0) -> str:
    """Whose calls went out from then on (virtual time), in order."""
    return "".join(prompt[0] for at, prompt in house.provider.calls if at >= since)


async def prioritise(house: House, batch_id: int, priority: BatchPriority) -> None:
    """As the service does it."""
    await house.store.set_priority(batch_id, priority)
    house.engine.wake()


def test_an_urgent_batch_has_every_slot_that_falls_free_and_nothing_on_the_wire_is_stopped() -> (
    None
):
    async def body() -> None:
        house = House(answers(10.0))
        house.connect(4)
        house.store.add_batch(named("a", 40))
        house.store.add_batch(named("b", 10), id=2, priority=HIGH)
        async with running(house, 1) as engine:
            await house.until(lambda: len(house.provider.calls) >= 6)
            start = house.clock.monotonic()
            await engine.resume(2)
            while len(house.provider.calls) < 46:
                await asyncio.sleep(0.7)
                assert house.provider.out == 4
            assert sent(house, start)[:10] == "b" * 10
            await house.finished(1)
        assert house.store.outcomes() == {Outcome.SUCCESS: 50}

    run(body())


def test_equal_batches_take_turns_and_a_lower_one_has_what_they_leave() -> None:
    async def body() -> None:
        house = House(answers(5.0))
        house.connect(2, rate=1.0)
        house.store.add_batch(named("c", 20), priority=LOW)
        for id_, name in ((2, "a"), (3, "b")):
            house.store.add_batch(named(name, 8), id=id_, priority=HIGH)
        async with running(house, 2, 3, 1):
            await house.finished(1)
        order = sent(house)
        assert Counter(order[:16]) == {"a": 8, "b": 8}
        assert max(Counter(order[at : at + 4])["a"] for at in range(0, 16, 4)) <= 3
        assert order[16:] == "c" * 20

    run(body())


def test_a_change_counts_from_the_next_free_slot_on() -> None:
    async def body() -> None:
        house = House(answers(10.0))
        house.connect(2)
        house.store.add_batch(named("a", 60))
        house.store.add_batch(named("b", 60), id=2)
        async with running(house):
            await asyncio.sleep(35)
            assert {"a", "b"} <= set(sent(house))
            for batch_id, priority, has in ((2, HIGH, "b"), (2, LOW, "a"), (1, LOW, "ab")):
                await prioritise(house, batch_id, priority)
                start = house.clock.monotonic()
                await asyncio.sleep(60)
                assert set(sent(house, start)) == set(has)
        assert house.store.outcomes()[Outcome.NOT_SENT] == 0

    run(body())


async def _pause(house: House) -> None:
    await house.engine.pause(2)


async def _nothing(house: House) -> None:
    return None


@pytest.mark.parametrize(
    ("changes", "act", "others"),
    [
        ({"max_calls": 3}, _nothing, 3),
        ({"row_gate": 3}, _nothing, 2),
        ({"lanes": ["x"] * 12}, _nothing, 1),
        ({}, _pause, 0),
    ],
    ids=["at its cap", "a trial", "one lane", "paused"],
)
def test_where_the_higher_one_has_no_row_to_send_the_lower_one_goes_on(
    changes: dict[str, object], act: Callable[[House], Awaitable[None]], others: int
) -> None:
    async def body() -> None:
        house = House(answers(10.0))
        house.connect(4)
        house.store.add_batch(named("a", 60))
        house.store.add_batch(named("b", 12), id=2, priority=HIGH, **changes)  # type: ignore[arg-type]
        async with running(house, 2, 1):
            await act(house)
            await asyncio.sleep(1)
            assert house.provider.out == 4
            await asyncio.sleep(24)
            assert house.provider.out == 4
        assert Counter(sent(house))["b"] >= others

    run(body())


def test_a_retry_that_is_due_goes_before_the_rows_of_a_lower_batch() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer | Job:
            await asyncio.sleep(10.0)
            if call.request.prompt.startswith("b") and nth == 1:
                raise failure(FailureClass.TRANSIENT)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(2)
        house.store.add_batch(named("a", 40))
        house.store.add_batch(named("b", 2), id=2, priority=HIGH)
        async with running(house, 2, 1):
            await house.finished(2)
        # Both fail at once; two others go while they wait, and then they have the slots at once.
        assert sent(house)[:6] == "bb" + "aa" + "bb"

    run(body())


def test_the_end_of_a_batch_is_told_also_while_a_higher_one_takes_every_slot() -> None:
    async def body() -> None:
        house = House(answers(10.0))
        house.connect(2)
        house.store.add_batch(named("a", 2))
        house.store.add_batch(named("b", 200), id=2, priority=HIGH)
        house.store.add_batch(named("c", 40), id=3, row_gate=2)
        async with running(house, 1) as engine:
            await asyncio.sleep(1)
            await engine.resume(2)
            await house.finished(1, 15)
            await prioritise(house, 2, LOW)
            await engine.resume(3)
            await house.until(lambda: "c" in sent(house), 15)
            await prioritise(house, 2, HIGH)
            await house.until(lambda: house.store.batches_[3].pause_reason is not None, 15)
        reason = house.store.batches_[3].pause_reason
        assert reason is not None
        assert reason.code == "engine.trial_done"

    run(body())


def test_rows_that_wait_for_tokens_give_way_and_go_back_in_the_end() -> None:
    async def body() -> None:
        house = House(answers(1.0))
        limits = Limits(concurrency=4, tokens_per_minute=6_000, headroom=1.0)
        house.store.add_connection(limits=limits, params={"max_tokens": 497})
        house.store.add_batch([f"a{PROMPT[1:]}"] * 20)
        house.store.add_batch([f"b{PROMPT[1:]}"] * 10, id=2, priority=HIGH)
        async with running(house, 1) as engine:
            await house.until(lambda: len(house.provider.calls) == 3)
            await asyncio.sleep(1)
            assert engine.in_flight(1) == 1  # it waits for its tokens
            start = house.clock.monotonic()
            await engine.resume(2)
            await asyncio.sleep(20)
            assert sent(house, start) == "bb"
            assert engine.in_flight(1) == 1
            await asyncio.sleep(20)
            assert engine.in_flight(1) == 0
            await house.finished(2)
            assert set(sent(house, start)) == {"b"}
            await house.finished(1)
        gaps = [b - a for (a, _), (b, _) in pairwise(house.provider.calls)]
        assert max(gaps) == pytest.approx(10.0, abs=0.2)  # what the tokens say
        assert house.store.outcomes() == {Outcome.SUCCESS: 30, Outcome.NOT_SENT: 1}

    run(body())


def test_connections_with_keys_of_their_own_know_nothing_of_each_other() -> None:
    async def body() -> None:
        house = House(answers(10.0))
        house.connect(2)
        house.connect(2, id=2, name="other", base_url="https://other.example.com/v1")
        house.secrets.keys["other"] = "another"
        house.store.add_batch(named("a", 8), priority=LOW)
        house.store.add_batch(named("b", 8), id=2, connection_id=2, priority=HIGH)
        async with running(house):
            await asyncio.sleep(1)
            assert Counter(sent(house)) == {"a": 2, "b": 2}

    run(body())


class _Judge:
    """Looks at every claim, and at every moment between: what else could have gone?"""

    def __init__(self, house: House, slots: int) -> None:
        self._house = house
        self._slots = slots
        self._since: dict[int, float] = {}
        self.jumped: list[str] = []
        self.idle: list[float] = []
        self.tried = False

    def claimed(self, claims: list[Claim]) -> None:
        """Who was passed over, though it could have gone before this moment?"""
        now = self._house.clock.now()
        for claim in claims[:1]:
            mine = self._house.store.batches_[claim.batch_id].priority
            for pk in self._open(above=mine):
                if self._since.get(pk, now) < now:
                    self.jumped.append(f"{claim.batch_id} before {pk}")

    def look(self) -> None:
        """Some time after anything happened: is there a slot and a row for it?"""
        if self._house.engine.banners():
            self.tried = True
            return  # the provider fails: one row at a time finds out when it is well again
        eligible = self._open(above=None)
        now = self._house.clock.now()
        self._since = {pk: self._since.get(pk, now) for pk in eligible}
        if eligible and self._house.provider.out < self._slots:
            self.idle.append(self._house.clock.monotonic())

    def _open(self, above: BatchPriority | None) -> list[int]:
        store = self._house.store
        return [
            row.pk
            for batch in store.batches_.values()
            if batch.run_state is RunState.RUNNING and (above is None or batch.priority > above)
            for row in store._eligible(batch, self._house.clock.now())
        ]


batches = st.tuples(
    st.sampled_from(list(BatchPriority)),
    st.integers(min_value=1, max_value=14),
    st.sampled_from([0, 1, 2]),  # lanes; 0: none
)
changes = st.lists(
    st.tuples(
        st.floats(min_value=0.5, max_value=20.0),
        st.integers(min_value=1, max_value=3),
        st.sampled_from(list(BatchPriority)),
    ),
    max_size=4,
)


def _script(seed: int) -> Script:
    async def script(call: Call, nth: int) -> Answer | Job:
        number = crc32(f"{call.request.prompt} {nth} {seed}".encode()) % 97
        await asyncio.sleep(1.0 + number / 13)
        if number % 5 == 0 and nth == 1:
            raise failure(FailureClass.TRANSIENT)
        return Answer((PICTURE,))

    return script


Made = list[tuple[BatchPriority, int, int]]
Changed = list[tuple[float, int, BatchPriority]]


async def _judged(made: Made, changed: Changed, seed: int) -> _Judge:
    """To the end, with three slots and somebody who changes priorities."""
    house = House(_script(seed))
    house.connect(3)
    for id_, (priority, rows, lanes) in enumerate(made, start=1):
        values = [f"lane {row % lanes}" for row in range(rows)] if lanes else None
        prompts = named("abc"[id_ - 1], rows)
        house.store.add_batch(prompts, id=id_, priority=priority, lanes=values)
    judge = _Judge(house, 3)
    house.store.on_claim = judge.claimed
    async with running(house):
        start = house.clock.monotonic()
        due = sorted((start + at, id_, to) for at, id_, to in changed if id_ <= len(made))
        waiting = set(house.store.batches_)
        while waiting:
            await asyncio.sleep(0.0505)  # between what happens at round figures
            judge.look()
            while due and due[0][0] <= house.clock.monotonic():
                _, id_, to = due.pop(0)
                await prioritise(house, id_, to)
            waiting = {id_ for id_ in waiting if BatchFinished(id_) not in house.events}
    assert judge.jumped == []
    assert judge.idle == []
    assert house.count(TaskState.SUCCESS) == sum(rows for _, rows, _ in made)
    return judge


@settings(max_examples=60, deadline=None)
@given(st.lists(batches, min_size=2, max_size=3), changes, st.integers(0, 1000))
def test_no_row_goes_before_a_higher_one_that_could_and_no_slot_is_idle(
    made: Made, changed: Changed, seed: int
) -> None:
    run(_judged(made, changed, seed))


def test_the_same_where_the_provider_fails_so_often_that_single_rows_are_tried() -> None:
    judge = run(_judged([(LOW, 6, 0), (LOW, 3, 1), (LOW, 6, 0)], [], seed=119))  # five in a row
    assert judge.tried
