"""Replicate's recorded answers: what each means for the row, and the sentence that is read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.jobs import Job, JobCancelled, JobDone, JobRunning
from desktop_app.domain.ports import CallbackAdapter, CallbackRule
from desktop_app.providers.http.transport import HttpLimits
from tests.contract.cases import KEY, PNG, call
from tests.contract.server import Reply, json_reply
from tests.providers.job_file.desk import (
    BAD_KEY,
    EMPTY,
    ENGLISH,
    NO_MONEY,
    NO_STATE,
    SLOW,
    Desk,
    Row,
    at_desk,
    check,
    no_model,
    not_finished,
    refused,
    server_error,
    state_of,
    unknown_state,
)

MODEL = "black-forest-labs/flux-schnell"
POLL = "/v1/predictions/j1"
THROTTLED = "Request was throttled. Your rate limit resets in ~30s."
SENSITIVE = (
    "The input or output was flagged as sensitive. Please try again with different inputs. (E005)"
)


def problem(title: str, detail: str, status: int) -> dict[str, Any]:
    return {"type": "about:blank", "title": title, "detail": detail, "status": status}


def failed(error: str) -> dict[str, Any]:
    return {"id": "j1", "status": "failed", "error": error, "output": None, "metrics": {}}


def succeeded(**more: Any) -> dict[str, Any]:
    return {"id": "j1", "status": "succeeded", "output": None, **more}


MEMORY = "CUDA out of memory. Tried to allocate"
INTERRUPTED = "Prediction interrupted; please retry (code: PA)"
GONE = (
    "HOST has deleted the result of this job. Look for it in the provider's console and attach it.",
    "HOST 已删除这个任务的结果。请在服务商的控制台中查找并附上它。",
)
NO_VERSION = problem("Invalid version", "Invalid version or not permitted", 422)
NO_MONEY_LEFT = problem("Payment Required", "Insufficient credit", 402)
NO_TOKEN = problem("Unauthenticated", "You did not pass a valid authentication token", 401)
LITTLE_CREDIT = {"detail": "Request was throttled.", "status": 429, "retry_after": 5}
FREE: dict[str, Any] = {"billed": False}
JOB: dict[str, Any] = {"of_job": True}

ROWS = [
    Row("submit", 429, {"detail": THROTTLED}, F.THROTTLED, "http_429", SLOW, **FREE, wait_s=30.0),
    Row("submit", 429, LITTLE_CREDIT, F.THROTTLED, "http_429", SLOW, **FREE, wait_s=5.0),
    Row("submit", 401, NO_TOKEN, F.ACCOUNT, "http_401", BAD_KEY, **FREE),
    Row("submit", 402, NO_MONEY_LEFT, F.ACCOUNT, "http_402", NO_MONEY, **FREE),
    Row("submit", 422, NO_VERSION, F.INVALID, "invalid_version", no_model(MODEL), **FREE),
    Row("poll", 200, failed(SENSITIVE), F.REFUSED, "flagged", refused(SENSITIVE), **JOB),
    Row("poll", 200, failed(MEMORY), F.TRANSIENT, "model_error", not_finished(MEMORY), **JOB),
    Row(
        "poll",
        200,
        failed(INTERRUPTED),
        F.TRANSIENT,
        "model_error",
        not_finished(INTERRUPTED),
        **JOB,
    ),
    Row(
        "poll", 200, failed("bad width"), F.INVALID, "job_failed", not_finished("bad width"), **JOB
    ),
    Row("poll", 200, failed(""), F.INVALID, "job_failed", not_finished(), **JOB),
    Row(
        "poll",
        200,
        succeeded(data_removed=True),
        F.UNKNOWN,
        "result_gone",
        GONE,
        of_job=True,
        billed=True,
    ),
    Row("poll", 200, succeeded(), F.REFUSED, "empty_result", EMPTY, **JOB),
    Row("poll", 200, succeeded(output=[]), F.REFUSED, "empty_result", EMPTY, **JOB),
    Row("poll", 502, {"detail": "Bad gateway"}, F.TRANSIENT, "http_502", server_error(502), **FREE),
    Row(
        "poll",
        200,
        {"status": "dreaming"},
        F.TRANSIENT,
        "unknown_state",
        unknown_state("dreaming", "replicate.toml"),
        **FREE,
    ),
    Row("poll", 200, {"id": "j1"}, F.TRANSIENT, "no_state", NO_STATE, **FREE),
]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    more: dict[str, Any] = {"submit_path": "/v1/predictions", "poll_path": POLL}
    async with at_desk("replicate", "/v1", MODEL, **more) as made:
        yield made


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_each_answer(desk: Desk, row: Row) -> None:
    await check(desk, row)


async def test_what_is_sent_and_what_is_kept(desk: Desk) -> None:
    base = desk.server.url
    taken = {
        "id": "j1",
        "status": "starting",
        "urls": {"get": f"{base}{POLL}", "cancel": f"{base}{POLL}/cancel", "web": "https://x"},
    }
    desk.server.on("/v1/predictions", json_reply(taken, 201))
    made = call("a cat", seed=3, aspect_ratio="16:9", go_fast=True)
    made.callback_url = None
    job = await desk.adapter.submit(made)
    context = {"model": MODEL, "poll_url": f"{base}{POLL}", "cancel_url": f"{base}{POLL}/cancel"}
    assert job == Job("j1", context)
    (seen,) = desk.server.seen
    assert seen.json == {
        "version": MODEL,
        "input": {"prompt": "a cat", "seed": 3, "aspect_ratio": "16:9", "go_fast": True},
    }
    assert seen.headers["authorization"] == f"Bearer {KEY}"


async def test_a_callback_is_asked_for_where_there_is_an_address(desk: Desk) -> None:
    desk.server.on("/v1/predictions", json_reply({"id": "j1", "status": "starting"}))
    made = call("a cat")
    made.callback_url = "https://hooks.example/t/abc"
    job = await desk.adapter.submit(made)
    assert isinstance(job, Job)
    assert job.calls_back
    assert desk.server.seen[0].json == {
        "version": MODEL,
        "input": {"prompt": "a cat"},
        "webhook": "https://hooks.example/t/abc",
        "webhook_events_filter": ["completed"],
    }


async def test_whose_calls_are_its_own(desk: Desk) -> None:
    assert isinstance(desk.adapter, CallbackAdapter)
    assert desk.adapter.capabilities.calls_back
    assert desk.adapter.callback_rule == CallbackRule("svix")
    desk.server.on("/v1/webhooks/default/secret", json_reply({"key": "whsec_C2FV"}), Reply(500))
    assert await desk.adapter.callback_secret() == "whsec_C2FV"
    with pytest.raises(ProviderFailure):
        await desk.adapter.callback_secret()
    assert desk.adapter.job_called({"id": "j1", "status": "succeeded"}) == "j1"
    assert desk.adapter.job_called({"status": "succeeded"}) is None
    assert desk.adapter.job_called("nonsense") is None


async def test_states_and_hints(desk: Desk) -> None:
    desk.server.on(
        POLL,
        json_reply({"status": "starting"}),
        json_reply({"status": "processing"}, headers={"retry-after": "7"}),
        json_reply({"status": "canceled"}),
    )
    assert await state_of(desk) == JobRunning()
    assert await state_of(desk) == JobRunning(7.0)
    assert await state_of(desk) == JobCancelled(None)


async def test_results_come_without_the_key_and_in_order(desk: Desk) -> None:
    base = desk.server.url
    outputs = [f"{base}/d/1.png?s=%2B", f"{base}/d/2.png"]
    desk.server.on(
        POLL,
        json_reply({"status": "succeeded", "output": outputs, "metrics": {"predict_time": 1.5}}),
    )
    for name in ("/d/1.png", "/d/2.png"):
        desk.server.on(name, Reply(200, PNG))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    answer = await desk.adapter.collect(desk.job, done)
    assert [content.data for content in answer.contents] == [PNG, PNG]
    assert (answer.billed_images, answer.flags) == (2, ())
    assert answer.usage == {"predict_time": 1.5}
    files = [seen for seen in desk.server.seen if seen.target.startswith("/d/")]
    assert {seen.target for seen in files} == {"/d/1.png?s=%2B", "/d/2.png"}
    assert all(KEY not in str(seen) for seen in files)


async def test_one_output_that_is_no_list(desk: Desk) -> None:
    found = {"status": "succeeded", "output": f"{desk.server.url}/1.png"}
    desk.server.on(POLL, json_reply(found))
    desk.server.on("/1.png", Reply(200, PNG))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    assert len((await desk.adapter.collect(desk.job, done)).contents) == 1


async def test_an_expired_address_is_told_as_such(desk: Desk) -> None:
    found = {"status": "succeeded", "output": [f"{desk.server.url}/1.png"]}
    desk.server.on(POLL, json_reply(found))
    desk.server.on("/1.png", Reply(404))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    with pytest.raises(ProviderFailure) as caught:
        await desk.adapter.collect(desk.job, done)
    assert caught.value.failure.code == "expired"


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (Reply(503), "download_failed"),
        (Reply(200, b"<html>"), "not_a_picture"),
        (Reply(403), "expired"),
        (Reply(400), None),  # it will never be had
    ],
)
async def test_of_several_outputs_one_that_may_still_be_had_is_told_as_missing(
    desk: Desk, bad: Reply, code: str | None
) -> None:
    base = desk.server.url
    found = {"status": "succeeded", "output": [f"{base}/1.png", f"{base}/2.png"]}
    desk.server.on(POLL, json_reply(found))
    desk.server.on("/1.png", bad)
    desk.server.on("/2.png", Reply(200, PNG))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    answer = await desk.adapter.collect(desk.job, done)
    assert (len(answer.contents), answer.flags) == (1, ("partial",))
    assert (answer.missing.code if answer.missing else None) == code


@pytest.mark.parametrize("fresh", [False, True], ids=["same address", "fresh address"])
async def test_only_what_failed_is_downloaded_again(desk: Desk, fresh: bool) -> None:
    base, again = desk.server.url, "?again" if fresh else ""
    outputs = [[f"{base}/{n}.png{more}" for n in (1, 2)] for more in ("", again)]
    told = [json_reply({"status": "succeeded", "output": urls}) for urls in outputs]
    desk.server.on(POLL, *told)
    desk.server.on("/1.png", Reply(200, PNG))
    desk.server.on("/2.png", *[Reply(503)] * HttpLimits().download_tries, Reply(200, PNG))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    answer = await desk.adapter.collect(desk.job, done)
    assert (len(answer.contents), answer.missing is None) == (1, False)
    if fresh:
        later = await state_of(desk)
        assert isinstance(later, JobDone)
        done = replace(later, kept=done.kept)
    answer = await desk.adapter.collect(desk.job, done)
    assert (len(answer.contents), answer.missing, answer.flags) == (2, None, ())
    assert [seen.target for seen in desk.server.seen].count("/1.png") == 1
    assert f"/1.png{again}" not in [seen.target for seen in desk.server.seen[-1:]]


async def test_cancelling(desk: Desk) -> None:
    desk.server.on(f"{POLL}/cancel", json_reply({"status": "canceled"}), Reply(500))
    await desk.adapter.cancel(desk.job)
    assert [(seen.method, seen.target) for seen in desk.server.seen] == [("POST", f"{POLL}/cancel")]
    with pytest.raises(ProviderFailure):
        await desk.adapter.cancel(desk.job)


async def test_the_test_of_a_connection(desk: Desk) -> None:
    desk.server.on("/v1/account", json_reply({"type": "user", "username": "u"}))
    desk.server.on(f"/v1/models/{MODEL}", json_reply({"name": "flux-schnell"}))
    report = await desk.adapter.test()
    assert report.ok
    said = [ENGLISH.say(one) for one in report.said]
    assert said[:3] == [
        "replicate.toml is sound.",
        "The key works.",
        f"The model {MODEL} is there.",
    ]
    assert {seen.method for seen in desk.server.seen} == {"GET"}
    desk.server.on(f"/v1/models/{MODEL}", json_reply({"detail": "Not found"}, 404))
    assert not (await desk.adapter.test()).ok
    desk.server.on("/v1/account", json_reply({"detail": "Unauthenticated"}, 401))
    report = await desk.adapter.test()
    assert (report.ok, report.said[1].code) == (False, "providers.auth")
