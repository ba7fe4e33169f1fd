"""Start, pause and cancel act on what an operator means, and say so in words and figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_app.domain.batch import RunState
from desktop_app.domain.events import BatchChanged, EngineChanged
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, OperatorError, Translator, message
from desktop_app.domain.views import BannerAction, TaskFilter
from desktop_app.services.alerts_words import render, word_finished
from desktop_app.services.run_banners import run_banners
from tests.services.services_kit import Kit

S = TaskState


async def test_start_and_pause_without_a_batch_mean_every_unfinished_one(kit: Kit) -> None:
    first = await kit.batch(2)
    done = await kit.batch(["other"], out_dir=str(kit.folder / "b"))
    (claim,) = await kit.claim(done)
    await kit.end(claim, S.SUCCESS)
    await kit.runs.start(None)
    assert ("resume", first) in kit.engine.told
    assert ("resume", done) not in kit.engine.told
    await kit.runs.pause(None, now=True)
    assert ("pause", first, True) in kit.engine.told
    summary = await kit.queries.batch(first)
    assert summary is not None
    assert summary.batch.pause_reason == message("services.paused_by_you")
    assert EngineChanged() in kit.events


async def test_a_batch_that_is_not_there_is_said(kit: Kit) -> None:
    calls = (
        kit.runs.start(9),
        kit.runs.pause(9),
        kit.runs.status(9),
        kit.runs.widen(9),
        kit.runs.cancel(TaskFilter(batch_id=9)),
    )
    for call in calls:
        with pytest.raises(OperatorError) as caught:
            await call
        assert caught.value.message == message("services.no_batch", batch=9)
    assert kit.engine.told == []


async def test_cancel_gives_up_what_waits(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    assert await kit.runs.cancel(TaskFilter(batch_id=batch_id)) == 3
    assert (await kit.queries.ledger(batch_id)).cancelled == 3
    assert BatchChanged(batch_id) in kit.events


async def test_a_cancel_counts_no_row_that_goes_on(kit: Kit) -> None:
    batch_id = await kit.batch(5)
    first, *_ = await kit.claim(batch_id, 2)
    assert await kit.runs.cancel(TaskFilter(pks=(first.task_pk,))) == 0
    assert await kit.runs.cancel(TaskFilter(batch_id=batch_id)) == 3
    assert (await kit.queries.ledger(batch_id)).cancelled == 3
    assert await kit.runs.cancel(TaskFilter(batch_id=batch_id)) == 0


async def test_a_run_of_the_rest_opens_the_gate(kit: Kit) -> None:
    batch_id = await kit.batch(5, row_gate=4, max_calls=3)
    assert len(await kit.claim(batch_id)) == 3
    await kit.runs.widen(batch_id, max_calls=9)
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    assert (batch.row_gate, batch.max_calls) == (None, 9)
    await kit.runs.cap(batch_id, None)
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    assert batch.max_calls == 9
    await kit.runs.run_rest(batch_id)
    assert ("resume", batch_id) in kit.engine.told
    assert len(await kit.claim(batch_id)) == 2


async def test_trying_an_account_again_says_why_it_stays_paused(kit: Kit) -> None:
    shop = await kit.connect()
    assert await kit.runs.retry_account(shop.id) is None
    kit.engine.works = False
    assert await kit.runs.retry_account(shop.id) == message("services.still_refused")
    kit.engine.states = {shop.id: ("paused", message("text.plain", text="no money"))}
    assert await kit.runs.retry_account(shop.id) == message("text.plain", text="no money")


async def test_trouble_of_this_machine_is_looked_at_again(kit: Kit) -> None:
    await kit.runs.look_again()
    kit.engine.said = message("exports.disk_full", folder="/x")
    with pytest.raises(OperatorError):
        await kit.runs.look_again()


async def test_status_says_what_the_engine_does(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    kit.engine.rates_ = {"rate": 1.5, "allowed_rate": 2.0, "concurrency": 4, "typical_s": 28}
    status = await kit.runs.status(batch_id)
    assert (status.active, status.in_flight, status.rate) == (False, 3, 1.5)
    assert (status.allowed_rate, status.concurrency, status.eta_s) == (2.0, 4, None)
    assert (status.slowed_until, status.slowed_rate, status.slowed_number) == (None, None, None)
    assert status.oldest_s is None
    kit.engine.oldest = 34.0
    assert (await kit.runs.status(batch_id)).oldest_s == 34.0
    busy = message("engine.throttled_alone", n=5)
    kit.engine.rates_ = {
        "slowed_until": 9.0,
        "slowed_rate": 1.4,
        "throttle_reason": busy,
        "waits_for": Message("engine.waits_tokens"),
    }
    kit.engine.rates_["slowed_number"] = 4
    slowed = await kit.runs.status(batch_id)
    assert (slowed.slowed_until, slowed.slowed_rate, slowed.slowed_number) == (9.0, 1.4, 4)
    assert slowed.slowed_why == busy
    assert slowed.waits_for == Message("engine.waits_tokens")
    kit.engine.rates_ = {"typical_s": 28}
    await kit.runs.start(batch_id)
    assert (await kit.runs.status(None)).active
    assert await kit.runs.finish_estimate_s() == 28.0
    assert kit.runs.in_flight() == 3
    assert await kit.runs.drain(3.5) == 2


async def banner_of(kit: Kit, batch_id: int) -> tuple[str, tuple[BannerAction, ...]] | None:
    shown = (await kit.runs.status(batch_id)).banners
    assert len(shown) <= 1
    return (shown[0].said.code, shown[0].actions) if shown else None


async def test_one_banner_says_what_a_batch_waits_for(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    assert await banner_of(kit, batch_id) is None
    await kit.runs.start(batch_id)
    assert await banner_of(kit, batch_id) is None
    for code, seen in (
        ("engine.restarted", "services.restarted"),
        ("engine.trial_done", "services.of_batch"),
        ("engine.max_calls", "services.of_batch"),  # which batch, where all are shown
        ("services.paused_by_you", None),
    ):
        await kit.store.engine.set_run_state(batch_id, RunState.PAUSED, message(code, n=1))
        banner = await banner_of(kit, batch_id)
        assert (banner and banner[0]) == seen


async def test_the_end_of_a_batch_is_said_by_what_came_out(kit: Kit) -> None:
    for ends, code in (
        ((S.SUCCESS, S.SUCCESS), "services.finished"),
        ((S.SUCCESS, S.DEAD), "services.finished_some"),
        ((S.UNCERTAIN, S.DEAD), "services.all_failed"),
    ):
        batch_id = await kit.batch(2, out_dir=str(kit.folder / code))
        for claim, to in zip(await kit.claim(batch_id), ends, strict=True):
            await kit.end(claim, to)
        banner = await banner_of(kit, batch_id)
        assert banner is not None
        assert banner[0] == code


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((S.SUCCESS, S.SUCCESS), "{} is finished: all 2 came out, 1 with fewer results than were "
         "asked for."),
        ((S.SUCCESS, S.DEAD), "{} is finished: 1 came out, 1 with fewer results than were asked "
         "for; 1 needs you."),
    ],
)  # fmt: skip
async def test_the_end_of_a_batch_says_what_came_in_part(
    kit: Kit, ends: tuple[S, ...], said: str
) -> None:
    batch_id = await kit.batch(2)
    for claim, to in zip(await kit.claim(batch_id), ends, strict=True):
        await kit.end(claim, to)
    summary = await kit.store.pages.batch_summary(batch_id)
    assert summary is not None
    (banner,) = run_banners([replace(summary, in_part=1)], 0.0)
    assert Translator().say(banner.said) == said.format(summary.batch.name)
    assert banner.severity == "warning"
    told = word_finished(replace(summary, in_part=1))
    assert told is not None
    assert "fewer results" in render(Translator(), told)[1]


async def test_an_old_end_is_no_news_at_the_next_start(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    for claim in await kit.claim(batch_id):
        await kit.end(claim, S.SUCCESS)
    (summary,) = await kit.queries.batches()
    ended = summary.batch.finished_at
    assert ended is not None
    assert len(run_banners([summary], ended)) == 1
    assert run_banners([summary], ended + 1) == ()


async def test_the_trials_line_counts_what_failed_and_what_is_left(kit: Kit) -> None:
    batch_id = await kit.batch(4)
    first, second, *_ = await kit.claim(batch_id, 2)
    await kit.end(first, S.SUCCESS)
    await kit.end(second, S.DEAD)
    await kit.store.engine.set_run_state(batch_id, RunState.PAUSED, message("engine.trial_done"))
    (banner,) = (await kit.runs.status(batch_id)).banners
    assert Translator().say(banner.said) == (
        "shoes: The trial is done: 1 came out, 1 needs you. Rows left: 2."
    )
    assert (banner.count, banner.actions) == (2, (BannerAction.RUN_REST,))


async def test_staying_paused_keeps_the_way_back(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    (claim, _) = await kit.claim(batch_id)
    await kit.end(claim, S.UNCERTAIN)
    await kit.store.engine.pause_all_unfinished(message("engine.restarted"))
    banner = await banner_of(kit, batch_id)
    assert banner is not None
    assert banner[0] == "services.restarted_uncertain"
    assert BannerAction.STAY_PAUSED in banner[1]
    await kit.runs.stay_paused()
    assert await banner_of(kit, batch_id) == (
        "services.restarted_uncertain",
        (BannerAction.RESUME,),
    )


async def test_notices_are_shown_until_they_are_dropped(kit: Kit) -> None:
    kit.notices.show("keyring", "info", message("text.plain", text="waiting for you"))
    assert len((await kit.runs.status(None)).banners) == 1
    kit.notices.drop("keyring")
    kit.notices.drop("keyring")
    assert (await kit.runs.status(None)).banners == ()
