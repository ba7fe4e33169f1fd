"""A job is submitted once and followed to its end, whatever happens in between."""

from __future__ import annotations

import asyncio

import pytest

from desktop_app.domain.attempt import Billed, Outcome
from desktop_app.domain.batch import RunState
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.jobs import (
    RESULT_EXPIRED,
    Job,
    JobCancelled,
    JobDone,
    JobFailed,
    JobLost,
    JobRunning,
    JobState,
)
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.views import TaskFilter
from desktop_app.engine.jobs import Jobs
from desktop_app.engine.pool import Flight
from tests.engine.fakes import PICTURE, Row, failure
from tests.engine.house import House, running
from tests.engine.job_shop import Made, Shop, job_house
from tests.engine.virtual import run

S = TaskState


def row_of(house: House, n: int = 0) -> Row:
    return house.store.rows[100_000 + n]


def verdict(kind: FailureClass, code: str, **more: object) -> JobFailed:
    return JobFailed(Failure(kind, code, message("providers.said", what=code), **more))  # type: ignore[arg-type]


def test_s02_a_job_longer_than_the_threshold_is_polled_on_and_its_picture_saved() -> None:
    async def body() -> None:
        shop = Shop(takes_s=282.0, typical_job_s=30.0)
        house = job_house(shop, timeout_s=240.0)
        async with running(house):
            took_s = await house.finished()
        row = row_of(house)
        assert (row.state, row.kept is not None) == (S.SUCCESS, True)
        assert len(shop.calls) == 1
        assert {ids for _, ids in shop.polls} == {("job-1",)}
        assert 282 <= took_s <= 282 + 35
        assert row.history[-1].billed is Billed.YES

    run(body())


def test_the_id_is_stored_before_the_first_poll_and_its_context_is_polled_with() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)
        async with running(house):
            await house.until(lambda: bool(shop.polls))
            assert row_of(house).jobs == {1: Job("job-1", {"url": "https://jobs/job-1"})}
            await house.finished()
        assert set(map(str, shop.contexts)) == {str({"url": "https://jobs/job-1"})}

    run(body())


@pytest.mark.expect_log("could not be committed")
def test_an_id_whose_commit_fails_is_kept_and_nothing_new_is_sent() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop, rows=3, concurrency=2)
        house.store.fail_taken = 3
        async with running(house):
            await house.until(lambda: house.store.fail_taken == 0)
            assert len(shop.calls) <= 2
            assert house.engine.trouble() is not None
            await house.finished()
        assert house.count(S.SUCCESS) == 3
        assert len(shop.calls) == 3

    run(body())


def test_a_job_holds_its_slot_until_the_provider_has_finished_it() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop, rows=6, concurrency=2)
        most = 0

        def count(_made: Made, _nth: int) -> None:
            nonlocal most
            now = asyncio.get_running_loop().time()
            out = sum(now < made.at + made.takes_s for made in shop.made.values())
            most = max(most, out)

        shop.on_poll = count
        async with running(house):
            took_s = await house.finished()
        assert most == 2
        assert took_s >= 3 * 20
        assert house.count(S.SUCCESS) == 6

    run(body())


@pytest.mark.parametrize(
    "kind", [FailureClass.OFFLINE, FailureClass.TRANSIENT, FailureClass.INVALID]
)
def test_an_hour_of_failed_polls_never_sends_again(kind: FailureClass) -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)
        start = house.clock.monotonic()

        def fail(_made: Made, _nth: int) -> None:
            if house.clock.monotonic() < start + 3600:
                raise failure(kind, "http_404")

        shop.on_poll = fail
        async with running(house):
            await house.finished()
        assert row_of(house).state is S.SUCCESS
        assert len(shop.calls) == 1
        assert 60 <= len(shop.polls) <= 150

    run(body())


@pytest.mark.expect_log("a poll broke")
def test_a_poll_that_breaks_or_says_nothing_is_asked_again() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)

        def broken(_made: Made, nth: int) -> None:
            if nth == 1:
                raise RuntimeError("a fault of the adapter")

        shop.on_poll = broken
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls)) == (S.SUCCESS, 1)

    run(body())


@pytest.mark.expect_log("attempt 1 broke")
def test_a_fault_of_our_own_leaves_a_job_in_doubt_and_submits_no_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def follow(_self: Jobs, _flight: Flight, _job: Job, *, at_once: bool = False) -> None:
        raise RuntimeError("a fault of our own")

    async def body() -> None:
        monkeypatch.setattr(Jobs, "follow", follow)
        shop = Shop()
        house = job_house(shop)
        async with running(house):
            await house.until(lambda: row_of(house).state is S.UNCERTAIN)
        row = row_of(house)
        assert len(shop.calls) == 1
        assert row.history[-1].billed is not Billed.NO

    run(body())


def test_account_trouble_on_a_poll_pauses_the_account_and_the_job_goes_on() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop, rows=3)
        refused = True

        def refuse(_made: Made, _nth: int) -> None:
            if refused:
                raise failure(FailureClass.ACCOUNT, "invalid_api_key")

        shop.on_poll = refuse
        async with running(house):
            await house.until(lambda: len(house.store.pauses) == 1)
            await asyncio.sleep(600)
            assert (len(shop.calls), row_of(house).state) == (1, S.RUNNING)
            refused = False
            await house.until(lambda: row_of(house).state is S.SUCCESS)
            assert await house.engine.retry_account(1)
            await house.finished()
        assert house.count(S.SUCCESS) == 3
        assert len(shop.calls) == 3

    run(body())


def test_a_new_key_is_used_for_jobs_that_were_sent_with_the_old_one() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)

        def refuse(_made: Made, _nth: int) -> None:
            if shop.asked_with == "secret":
                raise failure(FailureClass.ACCOUNT, "invalid_api_key")

        shop.on_poll = refuse
        async with running(house):
            await house.until(lambda: len(house.store.pauses) == 1)
            house.secrets.keys["fal"] = "another"
            await house.engine.connection_changed(1)
            await house.finished()
        assert (row_of(house).state, len(shop.calls)) == (S.SUCCESS, 1)
        assert shop.closed == 2

    run(body())


def test_a_throttled_poll_slows_the_account_and_is_tried_again() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop, rows=2)

        def throttle(_made: Made, nth: int) -> None:
            if nth == 1:
                raise failure(FailureClass.THROTTLED, "http_429", after_s=30)

        shop.on_poll = throttle
        async with running(house):
            await house.until(lambda: len(shop.polls) == 1)
            await asyncio.sleep(1)
            assert house.engine.rates()["slowed_until"] is not None
            await house.finished()
        first, second = shop.asked_for("job-1")[:2]
        assert second - first >= 30
        assert house.count(S.SUCCESS) == 2
        assert len(shop.calls) == 2

    run(body())


@pytest.mark.parametrize(
    ("said", "state", "calls"),
    [
        (verdict(FailureClass.REFUSED, "nsfw"), S.FAILED, 1),
        (verdict(FailureClass.INVALID, "bad_size"), S.FAILED, 1),
        (verdict(FailureClass.TRANSIENT, "worker_died"), S.DEAD, 4),
        (verdict(FailureClass.UNKNOWN, "who_knows"), S.UNCERTAIN, 1),
        (verdict(FailureClass.OFFLINE, "odd"), S.UNCERTAIN, 1),
        (JobLost(), S.UNCERTAIN, 1),
        (JobCancelled(billed=False), S.FAILED, 1),
    ],
)
def test_the_jobs_own_verdict_is_judged_like_any_failure(
    said: JobState, state: TaskState, calls: int
) -> None:
    async def body() -> None:
        shop = Shop()
        shop.on_poll = lambda _made, _nth: said
        house = job_house(shop, concurrency=2)
        async with running(house):
            await house.finished()
        row = row_of(house)
        assert (row.state, len(shop.calls)) == (state, calls)
        if state is S.UNCERTAIN:
            assert row.jobs[1].id == "job-1"
            assert row.history[-1].billed is Billed.MAYBE

    run(body())


@pytest.mark.parametrize("policy", list(OnUnknown))
def test_after_its_deadline_a_job_is_uncertain_whatever_the_policy(policy: OnUnknown) -> None:
    async def body() -> None:
        shop = Shop(takes_s=1e9, typical_job_s=30.0, job_deadline_s=7200.0)
        house = job_house(shop, on_unknown=policy)
        async with running(house):
            took_s = await house.finished()
        row = row_of(house)
        assert (row.state, row.jobs[1].id) == (S.UNCERTAIN, "job-1")
        assert 7200 <= took_s <= 7260
        assert len(shop.calls) == 1
        failed = row.history[-1].failure
        assert failed is not None
        assert (failed.code, failed.said.values) == ("job_deadline", {"hours": 2})

    run(body())


def test_many_jobs_share_one_poll_where_the_api_takes_them() -> None:
    async def body() -> None:
        one, many = Shop(), Shop(polls_many=10)
        for shop in (one, many):
            house = job_house(shop, rows=20, concurrency=20)
            async with running(house):
                await house.finished()
            assert house.count(S.SUCCESS) == 20
        assert len(many.polls) * 4 < len(one.polls)
        assert max(len(ids) for _, ids in many.polls) == 10

    run(body())


def test_polls_take_from_the_accounts_rate_and_leave_half_of_it_to_the_calls() -> None:
    async def body() -> None:
        shop = Shop(takes_s=60.0)
        house = job_house(shop, rows=30, concurrency=30, rate=1.0)
        async with running(house):
            start = house.clock.monotonic()
            await asyncio.sleep(50)
            sent, asked = len(shop.calls), len(shop.polls)
            assert sent >= 22
            assert 10 <= asked <= 26
            assert sent + asked <= (house.clock.monotonic() - start) * 1.0 + 4
            await house.finished()
        assert house.count(S.SUCCESS) == 30

    run(body())


def test_a_job_that_calls_back_is_polled_only_after_a_while() -> None:
    async def body() -> None:
        shop = Shop(poll_after_s=180.0)
        shop.calls_back = True
        house = job_house(shop, rows=2)
        async with running(house):
            start = house.clock.monotonic()
            await house.until(lambda: row_of(house).state is S.SUCCESS)
            assert [round(at - start) for at in shop.asked_for("job-1")] == [180]
            await asyncio.sleep(30)
            assert shop.asked_for("job-2") == []

    run(body())


def test_what_it_hints_is_waited() -> None:
    async def body() -> None:
        shop = Shop(takes_s=1000.0)
        shop.on_poll = lambda made, nth: JobRunning(hint_s=100.0) if nth < 4 else None
        house = job_house(shop)
        async with running(house):
            await house.until(lambda: len(shop.polls) == 4)
        gaps = [later - at for (at, _), (later, _) in zip(shop.polls, shop.polls[1:], strict=False)]
        assert all(100 <= gap <= 116 for gap in gaps)

    run(body())


def test_a_failed_download_is_retried_alone() -> None:
    async def body() -> None:
        shop = Shop()

        def fail(nth: int) -> None:
            if nth <= 4:
                raise failure(FailureClass.TRANSIENT, "http_503")

        shop.on_collect = fail
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls), len(shop.collects)) == (S.SUCCESS, 1, 5)

    run(body())


def test_a_job_that_is_done_frees_its_slot_while_its_result_is_fetched() -> None:
    async def body() -> None:
        shop = Shop()

        def fail(nth: int) -> None:
            if len(shop.calls) == 1:
                raise failure(FailureClass.OFFLINE, "dns", sent=False)

        shop.on_collect = fail
        house = job_house(shop, rows=2)
        async with running(house):
            await house.finished()
        # The first download works only once the second row was sent.
        assert house.count(S.SUCCESS) == 2

    run(body())


def test_an_outage_of_hours_does_not_make_a_result_lost() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)
        start = house.clock.monotonic()

        def fail(_nth: int) -> None:
            if house.clock.monotonic() < start + 3 * 3600:
                raise failure(FailureClass.OFFLINE, "dns", sent=False)

        shop.on_collect = fail
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls)) == (S.SUCCESS, 1)

    run(body())


def test_an_expired_address_is_asked_for_afresh() -> None:
    async def body() -> None:
        shop = Shop()

        def expire(nth: int) -> None:
            if nth == 1:
                raise failure(FailureClass.UNKNOWN, RESULT_EXPIRED, http_status=403)

        shop.on_collect = expire
        house = job_house(shop)
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls), len(shop.collects)) == (S.SUCCESS, 1, 2)
        assert shop.collects[0] < shop.polls[-1][0] < shop.collects[1]

    run(body())


@pytest.mark.parametrize("code", [RESULT_EXPIRED, "http_404"])
def test_a_result_that_is_not_to_be_had_is_uncertain_and_was_billed(code: str) -> None:
    async def body() -> None:
        shop = Shop()

        def gone(_nth: int) -> None:
            raise failure(FailureClass.INVALID, code)

        shop.on_collect = gone
        house = job_house(shop)
        async with running(house):
            await house.finished()
        row = row_of(house)
        assert (row.state, row.history[-1].billed) == (S.UNCERTAIN, Billed.YES)
        assert row.jobs[1].id == "job-1"
        assert len(shop.calls) == 1
        assert len(shop.collects) <= 8
        told = row.history[-1].failure
        assert told is not None
        # What has run out says itself that it was made.
        assert (told.said.code == "engine.result_lost") == (code != RESULT_EXPIRED)

    run(body())


def test_a_picture_that_does_not_decode_is_downloaded_again_and_not_bought_again() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)
        house.files.bad.add("row 0")
        shop.on_collect = lambda nth: house.files.bad.clear() if nth == 3 else None
        async with running(house):
            await house.finished()
        assert (row_of(house).state, len(shop.calls), len(shop.collects)) == (S.SUCCESS, 1, 3)

    run(body())


def test_a_running_job_is_cancelled_at_the_provider_and_polled_to_its_verdict() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)
        async with running(house):
            await house.until(lambda: bool(shop.polls))
            await house.engine.cancel(TaskFilter(batch_id=1))
            await house.until(lambda: row_of(house).state is S.CANCELLED, timeout_s=10)
        row = row_of(house)
        assert shop.cancels == ["job-1"]
        assert (row.history[-1].outcome, row.history[-1].billed) == (Outcome.DISCARDED, Billed.NO)

    run(body())


@pytest.mark.parametrize("can", [True, False])
def test_a_job_that_was_done_in_spite_of_the_cancel_is_paid_and_kept(can: bool) -> None:
    async def body() -> None:
        shop = Shop(cancel=can)
        house = job_house(shop)
        shop.on_poll = lambda made, _nth: (
            JobDone({"result": made.id}) if house.clock.monotonic() > made.at + 20 else JobRunning()
        )
        async with running(house):
            await house.until(lambda: bool(shop.polls))
            await house.engine.cancel(TaskFilter(batch_id=1))
            await house.until(lambda: row_of(house).state is S.SUCCESS)
        assert bool(shop.cancels) is can
        assert len(shop.calls) == 1

    run(body())


def test_pause_now_leaves_a_job_to_its_end() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop, rows=3)
        async with running(house):
            await house.until(lambda: bool(shop.polls))
            await house.engine.pause(1, now=True)
            await house.until(lambda: row_of(house).state is S.SUCCESS)
            await asyncio.sleep(600)
            assert len(shop.calls) == 1

    run(body())


def test_quitting_leaves_a_job_running_and_the_next_start_polls_it_without_resume() -> None:
    async def body() -> None:
        shop = Shop(takes_s=100.0)
        house = job_house(shop, rows=2)
        async with running(house):
            await house.until(lambda: bool(shop.polls))
            start = house.clock.monotonic()
        assert house.clock.monotonic() - start < 1
        assert row_of(house).state is S.RUNNING
        house.new_engine()
        polled = len(shop.polls)
        await house.engine.start()
        await asyncio.sleep(1)
        assert len(shop.polls) > polled
        assert house.store.batches_[1].run_state is RunState.PAUSED
        await house.until(lambda: row_of(house).state is S.SUCCESS)
        await asyncio.sleep(600)
        assert len(shop.calls) == 1
        await house.engine.stop()

    run(body())


def test_the_computer_slept_and_jobs_are_polled_soon_but_not_all_at_once() -> None:
    async def body() -> None:
        shop = Shop(takes_s=10_000.0, polls_many=1)
        house = job_house(shop, rows=50, concurrency=50)
        async with running(house):
            await house.until(lambda: len(shop.calls) == 50)
            await asyncio.sleep(1000)
            house.clock.jump(8 * 3600)
            await asyncio.sleep(6)
            start, before = house.clock.monotonic(), len(shop.polls)
            await asyncio.sleep(14)
            soon = [at - start for at, _ in shop.polls[before:]]
            assert len(soon) >= 40
            busiest = max(sum(at <= other < at + 1 for other in soon) for at in soon)
            assert busiest <= 15

    run(body())


def test_a_probe_that_became_a_job_has_proved_the_line() -> None:
    async def body() -> None:
        shop = Shop(takes_s=300.0)
        house = job_house(shop, rows=4, concurrency=3)
        offline = True

        async def maybe(made: Made, _nth: int) -> None:
            if offline:
                del shop.made[made.id]
                raise failure(FailureClass.TRANSIENT, "http_503")

        shop.on_submit = maybe
        async with running(house):
            await house.until(lambda: house.engine.account_states().get(1, ("",))[0] == "waiting")
            offline = False
            await house.until(lambda: len(shop.made) == 3, timeout_s=120)
            assert house.engine.account_states()[1][0] != "waiting"

    run(body())


def test_an_answer_at_once_from_an_adapter_that_also_makes_jobs_is_an_answer() -> None:
    async def body() -> None:
        shop = Shop()
        house = job_house(shop)

        async def at_once(call: object, nth: int) -> object:
            from desktop_app.domain.ports import Answer

            return Answer((PICTURE,))

        shop.script = at_once  # type: ignore[assignment]
        async with running(house):
            await house.finished()
        assert (row_of(house).state, shop.polls) == (S.SUCCESS, [])

    run(body())
