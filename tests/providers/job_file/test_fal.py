"""fal's recorded answers. Its status never says "failed": an error beside it does, or the error
that its result is answered with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.jobs import Job, JobDone, JobFailed, JobLost, JobRunning
from desktop_app.domain.ports import RawAnswer, RereadingAdapter
from tests.contract.cases import KEY, PNG, call
from tests.contract.server import Reply, ScriptedServer, json_reply
from tests.providers.job_file.desk import (
    BAD_KEY,
    ENGLISH,
    FLAGGED,
    NO_MONEY,
    NO_STATE,
    SLOW,
    Desk,
    Row,
    at_desk,
    check,
    invalid,
    not_finished,
    refused,
    server_error,
    state_of,
)

MODEL = "fal-ai/flux/dev"
APP = "fal-ai/flux"
STATUS = "/fal-ai/flux/requests/j1/status"
RESULT = "/fal-ai/flux/requests/j1"
LOCKED = (
    "User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing."
)
ADMIN = "User is locked. Reason: Admin lock."
CHECKER = "The content could not be processed because it was flagged by a content checker."
FREE: dict[str, Any] = {"billed": False}
JOB: dict[str, Any] = {"of_job": True}


def detail(kind: str, msg: str, *loc: str) -> dict[str, Any]:
    return {"detail": [{"loc": list(loc), "msg": msg, "type": kind, "input": "x"}]}


def WORD(word: str) -> dict[str, Any]:  # noqa: N802 - as FREE and JOB, but for what it holds
    return {"headers": {"X-Fal-Error-Type": word}}


POLICED = "content_policy_violation"
POLICY = detail("content_policy_violation", CHECKER, "body", "prompt")
TYPE = detail("value_error", "bad size", "body", "image_size")
TIMED_OUT = {"detail": "Request timed out", "error_type": "request_timeout"}
GONE = {"detail": "Runner disconnected", "error_type": "runner_disconnected"}
FORBIDDEN = (
    f"HOST doesn't allow this key to do that: {ADMIN}",
    f"HOST 不允许此密钥执行该操作：{ADMIN}",
)
SILENT = (
    "HOST was asked how things stand and gave no answer. Asking costs nothing.",
    "向 HOST 查询进展，没有得到回答。查询不产生费用。",
)

ROWS = [
    Row("submit", 401, {"detail": "No user found"}, F.ACCOUNT, "http_401", BAD_KEY, **FREE),
    Row("submit", 403, {"detail": LOCKED}, F.ACCOUNT, "exhausted_balance", NO_MONEY, **FREE),
    Row("submit", 403, {"detail": ADMIN}, F.ACCOUNT, "user_locked", FORBIDDEN, **FREE),
    Row("submit", 422, TYPE, F.INVALID, "value_error", invalid("bad size"), **FREE),
    Row("submit", 422, POLICY, F.REFUSED, "content_policy_violation", refused(CHECKER)),
    Row("submit", 429, {"detail": "Too many"}, F.THROTTLED, "http_429", SLOW, **FREE),
    Row("submit", 504, TIMED_OUT, F.TRANSIENT, "request_timeout", server_error(504), **FREE),
    *(Row("submit", status, {"detail": "x", "error_type": word}, F.TRANSIENT, word,
          server_error(status), **FREE)
      for status, word in (
          (504, "startup_timeout"),
          (503, "runner_scheduling_failure"),
          (503, "runner_connection_timeout"),
          (503, "runner_disconnected"),
          (503, "runner_connection_refused"),
      )),
    *(Row("submit", 422, detail(word, "no such picture", "body", "image_url"), F.INVALID, word,
          invalid("no such picture"), **FREE)
      for word in ("file_download_error", "image_load_error", "file_too_large")),
    Row("poll", 504, {}, F.TRANSIENT, "http_504", SILENT, **FREE),
    Row("poll", 200, {}, F.TRANSIENT, "no_state", NO_STATE, **FREE),
    Row("fetch", 422, POLICY, F.REFUSED, "content_policy_violation", refused(CHECKER), **JOB),
    Row("fetch", 422, TYPE, F.INVALID, "value_error", invalid("bad size"), **JOB),
    Row("fetch", 422, detail("file_download_error", "no such picture", "body", "image_url"),
        F.INVALID, "file_download_error", invalid("no such picture"), **JOB),
    Row("fetch", 422, {"detail": "odd"}, F.INVALID, "http_422", invalid("odd"), **JOB),
    Row(
        "fetch",
        422,
        {"detail": "flaky"},
        F.TRANSIENT,
        "http_422",
        not_finished("flaky"),
        **JOB,
        headers={"x-fal-retryable": "true"},
    ),
    # An empty body's word is in a header; a word in the body is more exact.
    Row("submit", 422, None, F.REFUSED, "content_policy_violation", refused(), **WORD(POLICED)),
    Row("submit", 503, None, F.TRANSIENT, "runner_disconnected", server_error(503),
        **WORD("runner_disconnected"), **FREE),
    Row("submit", 422, TYPE, F.INVALID, "value_error", invalid("bad size"),
        **WORD("request_timeout"), **FREE),
    Row("poll", 503, None, F.TRANSIENT, "runner_disconnected", server_error(503),
        **WORD("runner_disconnected"), **FREE),
    Row("fetch", 422, None, F.REFUSED, "content_policy_violation", refused(), **WORD(POLICED),
        **JOB),
    Row("fetch", 422, None, F.INVALID, "image_too_small", not_finished(), **WORD("image_too_small"),
        **JOB),
    Row("fetch", 200, {"images": []}, F.REFUSED, "empty_result",
        ("Refused by the provider: it answered without a result.",
         "服务商拒绝了：它回答了，但没有结果。"), **JOB),
    Row("fetch", 200, {"images": [{"url": "http://x/1.png"}], "has_nsfw_concepts": [True]},
        F.REFUSED, "flagged", FLAGGED, **JOB),
    # The result can't be had just now: no word about the job.
    Row("fetch", 500, {"detail": "oops"}, F.TRANSIENT, "http_500", server_error(500), **FREE),
    Row("fetch", 403, {"detail": LOCKED}, F.ACCOUNT, "exhausted_balance", NO_MONEY, **FREE),
    Row("fetch", 401, {"detail": "no"}, F.ACCOUNT, "http_401", BAD_KEY, **FREE),
]  # fmt: skip


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    more: dict[str, Any] = {"submit_path": f"/{MODEL}", "poll_path": STATUS, "fetch_path": RESULT}
    async with at_desk("fal", "", MODEL, **more) as made:
        base = made.server.url
        made.job.context.update(  # type: ignore[attr-defined]
            status_url=f"{base}{STATUS}",
            response_url=f"{base}{RESULT}",
            cancel_url=f"{base}{RESULT}/cancel",
        )
        made.server.on(STATUS, json_reply({"status": "COMPLETED", "metrics": {}}))
        yield made


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_each_answer(desk: Desk, row: Row) -> None:
    await check(desk, row)


@pytest.mark.parametrize(
    ("status", "body", "kind", "code", "billed"),
    [
        (504, TIMED_OUT, F.TRANSIENT, "request_timeout", False),
        (503, GONE, F.TRANSIENT, "runner_disconnected", False),
        (500, {"detail": "oops"}, F.TRANSIENT, "http_500", None),
        (422, POLICY, F.REFUSED, "content_policy_violation", None),
        # An answer that says nothing leaves it at what the status said.
        (504, None, F.TRANSIENT, "request_timeout", False),
        (422, None, F.TRANSIENT, "request_timeout", False),
        # What was answered in the end is no error: the status says what it was.
        (200, {"images": []}, F.TRANSIENT, "request_timeout", False),
    ],
)
async def test_a_completed_job_with_an_error_has_failed(
    desk: Desk, status: int, body: Any, kind: F, code: str, billed: bool | None
) -> None:
    told = {"status": "COMPLETED", "error": "It failed", "error_type": "request_timeout"}
    desk.server.on(STATUS, json_reply(told))
    desk.server.on(RESULT, Reply(status) if body is None else json_reply(body, status))
    state = await state_of(desk)
    assert isinstance(state, JobFailed)
    failure = state.failure
    assert (failure.kind, failure.code, failure.billed) == (kind, code, billed)
    assert not failure.timeout


async def test_what_is_sent_and_the_addresses_that_are_kept(desk: Desk) -> None:
    base = desk.server.url
    taken = {
        "request_id": "r-9",
        "response_url": f"{base}/fal-ai/flux/requests/r-9",
        "status_url": f"{base}/fal-ai/flux/requests/r-9/status",
        "cancel_url": f"{base}/fal-ai/flux/requests/r-9/cancel",
        "gateway_request_id": "g",
    }
    desk.server.on(f"/{MODEL}", json_reply(taken))
    made = call("a cat", n=2, image_size="square")
    made.callback_url = "https://hooks.example/t/a?b=c"
    job = await desk.adapter.submit(made)
    assert isinstance(job, Job)
    assert (job.id, job.calls_back) == ("r-9", True)
    kept = {k: v for k, v in taken.items() if k.endswith("_url")}
    assert dict(job.context) == {"model": MODEL, **kept}
    (seen,) = desk.server.seen
    assert seen.json == {"prompt": "a cat", "num_images": 2, "image_size": "square"}
    assert seen.headers["authorization"] == f"Key {KEY}"
    assert seen.target == f"/{MODEL}?fal_webhook=https%3A%2F%2Fhooks.example%2Ft%2Fa%3Fb%3Dc"


async def test_no_call_about_a_job_takes_the_key_to_another_host(desk: Desk) -> None:
    other = ScriptedServer()
    await other.start()
    try:
        job = Job("j1", dict.fromkeys(desk.job.context, f"{other.url}/x"))
        asked = f"/{APP}/requests/j1"
        desk.server.on(f"{asked}/status", json_reply({"status": "COMPLETED"}))
        desk.server.on(asked, json_reply({"images": [{"url": f"{other.url}/1.png"}]}))
        desk.server.on(f"{asked}/cancel", json_reply({"status": "CANCELLATION_REQUESTED"}, 202))
        other.on("/1.png", Reply(302, headers={"location": f"{desk.server.url}/2.png"}))
        desk.server.on("/2.png", Reply(200, PNG))
        state = (await desk.adapter.poll([job]))["j1"]
        assert isinstance(state, JobDone)
        await desk.adapter.collect(job, state)
        await desk.adapter.cancel(job)
        assert [seen.target for seen in other.seen] == ["/1.png"]
        assert KEY not in str(other.seen)
        targets = [asked + end for end in ("/status", "", "/cancel")]
        assert [seen.target for seen in desk.server.seen if KEY in str(seen)] == targets
    finally:
        await other.close()


async def test_an_address_that_repeats_the_key_is_not_kept(desk: Desk) -> None:
    leak = f"{desk.server.url}/status?key={KEY}"
    desk.server.on(f"/{MODEL}", json_reply({"request_id": "j1", "status_url": leak}))
    assert await desk.adapter.submit(call("x")) == Job("j1", {"model": MODEL})


async def test_waiting_and_working(desk: Desk) -> None:
    desk.server.on(
        STATUS,
        json_reply({"status": "IN_QUEUE", "queue_position": 3}),
        json_reply({"status": "IN_PROGRESS"}),
    )
    assert await state_of(desk) == JobRunning()
    assert await state_of(desk) == JobRunning()
    assert [seen.target for seen in desk.server.seen] == [STATUS, STATUS]


async def test_of_several_pictures_the_hidden_ones_are_left_out(desk: Desk) -> None:
    base = desk.server.url
    images = [{"url": f"{base}/{n}.png"} for n in range(3)]
    hidden = [False, True, False]
    desk.server.on(RESULT, json_reply({"images": images, "has_nsfw_concepts": hidden}))
    for n in range(3):
        desk.server.on(f"/{n}.png", Reply(200, PNG))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    answer = await desk.adapter.collect(desk.job, done)
    assert (len(answer.contents), answer.billed_images, answer.flags) == (2, 3, ("partial",))


async def test_neither_a_job_nor_a_result_that_is_not_there_goes_on(desk: Desk) -> None:
    desk.server.on(f"{RESULT}/status", json_reply({"detail": "Not found"}, 404))
    assert await state_of(desk) == JobLost()
    desk.server.on(f"{RESULT}/status", json_reply({"status": "COMPLETED"}))
    desk.server.on(RESULT, json_reply({"detail": "Not found"}, 404))
    assert await state_of(desk) == JobLost()


async def test_cancelling_too_late_is_no_trouble(desk: Desk) -> None:
    desk.server.on(f"{RESULT}/cancel", json_reply({"status": "ALREADY_COMPLETED"}, 400))
    await desk.adapter.cancel(desk.job)
    assert (desk.server.seen[0].method, desk.server.seen[0].target) == ("PUT", f"{RESULT}/cancel")


async def test_a_cancel_that_only_a_gateway_has_heard_is_to_come_again(desk: Desk) -> None:
    desk.server.on(f"{RESULT}/cancel", Reply(404, b"<html><title>404 Not Found</title></html>"))
    with pytest.raises(ProviderFailure):
        await desk.adapter.cancel(desk.job)
    desk.server.on(f"{RESULT}/cancel", json_reply({"detail": "Request not found"}, 404))
    await desk.adapter.cancel(desk.job)


async def test_the_test_of_a_connection_bills_nothing(desk: Desk) -> None:
    path = f"/{APP}/requests/00000000-0000-0000-0000-000000000000/status"
    desk.server.on(path, json_reply({"detail": "Request not found"}, 404))
    report = await desk.adapter.test()
    assert report.ok
    assert ENGLISH.say(report.said[1]) == "The key works."
    assert [(seen.method, seen.target) for seen in desk.server.seen] == [("GET", path)]
    desk.server.on(path, Reply(404, b"<html>nginx</html>"))
    assert not (await desk.adapter.test()).ok
    desk.server.on(path, json_reply({"detail": "Unauthorized"}, 401))
    assert (await desk.adapter.test()).said[1].code == "providers.auth"


async def test_a_job_is_asked_for_under_the_model_that_its_row_named(desk: Desk) -> None:
    other, app = "fal-ai/qwen-image/edit/plus", "fal-ai/qwen-image"
    assert "model" in {param.name for param in desk.adapter.capabilities.params}
    desk.server.on(f"/{other}", json_reply({"request_id": "j1"}))
    desk.server.on(f"/{app}/requests/j1/status", json_reply({"status": "IN_PROGRESS"}))
    desk.server.on(f"/{app}/requests/j1/cancel", json_reply({}, 202))
    asked = call("x", model=other)
    job = await desk.adapter.submit(asked)
    assert job == Job("j1", {"model": other})
    assert "model" not in desk.server.seen[-1].json
    again = await cast("RereadingAdapter", desk.adapter).reread(
        asked.request, RawAnswer(200, {}, b'{"request_id": "j1"}', 1.0)
    )
    assert again == job
    await desk.adapter.poll([job])
    await desk.adapter.cancel(job)
    assert [seen.target for seen in desk.server.seen] == [
        f"/{other}",
        f"/{app}/requests/j1/status",
        f"/{app}/requests/j1/cancel",
    ]


async def test_a_job_from_before_its_model_was_kept_has_the_connection_s(desk: Desk) -> None:
    status = f"/{APP}/requests/j1/status"
    desk.server.on(status, json_reply({"status": "IN_PROGRESS"}))
    await desk.adapter.poll([Job("j1")])
    assert [seen.target for seen in desk.server.seen] == [status]
