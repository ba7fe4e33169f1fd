"""DashScope's recorded answers for jobs (Wan): a failed one comes with HTTP 200, and of several
pictures some may have failed alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.jobs import Job, JobCancelled, JobDone, JobLost, JobRunning
from tests.contract.cases import KEY, PNG, call
from tests.contract.server import Reply, json_reply
from tests.providers.job_file.desk import (
    BAD_KEY,
    EMPTY,
    ENGLISH,
    NO_MONEY,
    SLOW,
    Desk,
    Row,
    at_desk,
    check,
    invalid,
    no_model,
    not_finished,
    refused,
    server_error,
    state_of,
    unknown_state,
)

MODEL = "wan2.2-t2i-flash"
SUBMIT = "/api/v1/services/aigc/text2image/image-synthesis"
POLL = "/api/v1/tasks/j1"
INPUT = "Input data may contain inappropriate content."
OUTPUT = "Output data may contain inappropriate content."
STANDING = "Access denied, please make sure your account is in good standing."
SYNC = "current user api does not support synchronous calls."
FREE: dict[str, Any] = {"billed": False}
JOB: dict[str, Any] = {"of_job": True}
QUOTA = (
    "The account's quota at HOST is used up for now. It goes on when the quota is renewed.",
    "HOST 的账号配额暂时用完，配额恢复后自动继续。",
)
NOT_ENABLED = (
    f"The model {MODEL} is not opened for this account. Open it in the provider's console. "
    "It said: Access denied.",
    f"此账号尚未开通模型 {MODEL}。请到服务商控制台开通。服务商答复：Access denied.",
)
TIMED_OUT = (
    "HOST gave up waiting for the result (HTTP 408). It may have been billed.",
    "HOST 放弃等待结果（HTTP 408）。可能已计费。",
)


def said(code: str, message: str) -> dict[str, Any]:
    return {"request_id": "q", "code": code, "message": message}


def task(state: str, **more: Any) -> dict[str, Any]:
    return {"request_id": "q", "output": {"task_id": "j1", "task_status": state, **more}}


def failed(code: str, message: str) -> dict[str, Any]:
    return task("FAILED", code=code, message=message)


RATE = said("Throttling.RateQuota", "Requests rate limit exceeded, please try again later.")
ALLOCATED = said("Throttling.AllocationQuota", "Allocated quota exceeded, please increase.")
FREE_QUOTA = said("Throttling.AllocationQuota", "Free allocated quota exceeded.")
NO_KEY = said("InvalidApiKey", "Invalid API-key provided.")
UNPURCHASED = said("AccessDenied.Unpurchased", "Access denied.")
NO_SYNC = said("AccessDenied", SYNC)
SIZE = said("InvalidParameter", "Size not supported")
ARREARS = said("Arrearage", STANDING)
REFUSED_INPUT = said("DataInspectionFailed", INPUT)
REFUSED_OUTPUT = said("DataInspectionFailed", OUTPUT)

ROWS = [
    Row("submit", 400, ARREARS, F.ACCOUNT, "Arrearage", NO_MONEY, **FREE),
    Row("submit", 400, REFUSED_INPUT, F.REFUSED, "DataInspectionFailed", refused(INPUT), **FREE),
    Row("submit", 400, REFUSED_OUTPUT, F.REFUSED, "DataInspectionFailed", refused(OUTPUT)),
    Row(
        "submit",
        400,
        said("InvalidParameter.DataInspection", "Unable to download the media resource"),
        F.INVALID,
        "InvalidParameter.DataInspection",
        invalid("Unable to download the media resource"),
        **FREE,
    ),
    Row("submit", 200, SIZE, F.INVALID, "InvalidParameter", invalid("Size not supported")),
    Row("submit", 200, ARREARS, F.ACCOUNT, "Arrearage", NO_MONEY),
    Row("submit", 401, NO_KEY, F.ACCOUNT, "InvalidApiKey", BAD_KEY, **FREE),
    Row(
        "submit", 403, UNPURCHASED, F.ACCOUNT, "AccessDenied.Unpurchased", NOT_ENABLED, **FREE
    ),
    Row("submit", 403, NO_SYNC, F.INVALID, "AccessDenied", invalid(SYNC), **FREE),
    Row(
        "submit",
        404,
        said("ModelNotFound", "Model can not be found."),
        F.INVALID,
        "ModelNotFound",
        no_model(MODEL),
        **FREE,
    ),
    Row("submit", 408, said("RequestTimeOut", "x"), F.UNKNOWN, "RequestTimeOut", TIMED_OUT),
    Row("submit", 429, said("Throttling", "slow"), F.THROTTLED, "Throttling", SLOW, **FREE),
    Row("submit", 429, RATE, F.THROTTLED, "Throttling.RateQuota", SLOW, **FREE),
    Row("submit", 429, ALLOCATED, F.THROTTLED, "Throttling.AllocationQuota", SLOW, **FREE),
    Row("submit", 429, FREE_QUOTA, F.ACCOUNT, "Throttling.AllocationQuota", QUOTA, **FREE),
    Row(
        "submit", 500, said("InternalError", "x"), F.TRANSIENT, "InternalError", server_error(500)
    ),
    Row(
        "poll", 200, failed("DataInspectionFailed", INPUT), F.REFUSED, "DataInspectionFailed",
        refused(INPUT), of_job=True, billed=False,
    ),
    Row(
        "poll", 200, failed("DataInspectionFailed", OUTPUT), F.REFUSED, "DataInspectionFailed",
        refused(OUTPUT), **JOB,
    ),
    Row(
        "poll", 200, failed("InternalError.Algo", "Algo process error"), F.TRANSIENT,
        "InternalError.Algo", not_finished("Algo process error"), **JOB,
    ),
    Row(
        "poll", 200, failed("InvalidParameter", "bad size"), F.INVALID, "InvalidParameter",
        not_finished("bad size"), **JOB,
    ),
    Row("poll", 200, failed("Odd", "odd"), F.INVALID, "Odd", not_finished("odd"), **JOB),
    Row(
        "poll",
        200,
        task("SUCCEEDED", results=[{"code": "DataInspectionFailed", "message": OUTPUT}]),
        F.REFUSED,
        "DataInspectionFailed",
        refused(OUTPUT),
        **JOB,
    ),
    Row("poll", 200, task("SUCCEEDED", results=[]), F.REFUSED, "empty_result", EMPTY, **JOB),
    Row("poll", 503, said("x", "busy"), F.TRANSIENT, "x", server_error(503), **FREE),
    Row(
        "poll", 200, task("ODD"), F.TRANSIENT, "unknown_state",
        unknown_state("ODD", "dashscope-wan.toml"), **FREE,
    ),
    Row("poll", 200, RATE, F.THROTTLED, "Throttling.RateQuota", SLOW, **FREE),
    Row("poll", 401, NO_KEY, F.ACCOUNT, "InvalidApiKey", BAD_KEY, **FREE),
]  # fmt: skip


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    more: dict[str, Any] = {"submit_path": SUBMIT, "poll_path": POLL}
    async with at_desk("dashscope-wan", "/api/v1", MODEL, **more) as made:
        yield made


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_each_answer(desk: Desk, row: Row) -> None:
    await check(desk, row)


async def test_states(desk: Desk) -> None:
    states = ("PENDING", "RUNNING", "SUSPENDED", "CANCELED", "UNKNOWN")
    desk.server.on(POLL, *(json_reply(task(state)) for state in states))
    found = [await state_of(desk) for _ in states]
    assert found == [JobRunning(), JobRunning(), JobRunning(), JobCancelled(None), JobLost()]


async def test_what_is_sent(desk: Desk) -> None:
    desk.server.on(SUBMIT, json_reply(task("PENDING")))
    job = await desk.adapter.submit(call("一只猫", n=2, size="1024*1024", negative_prompt="dog"))
    assert job == Job("j1", {"model": MODEL})
    (seen,) = desk.server.seen
    assert seen.json == {
        "model": MODEL,
        "input": {"prompt": "一只猫", "negative_prompt": "dog"},
        "parameters": {"n": 2, "size": "1024*1024"},
    }
    assert seen.headers["x-dashscope-async"] == "enable"
    assert seen.headers["authorization"] == f"Bearer {KEY}"


async def test_only_handing_in_is_marked_as_a_job(desk: Desk) -> None:
    desk.server.on(POLL, json_reply(task("RUNNING")))
    await state_of(desk)
    assert "x-dashscope-async" not in desk.server.seen[0].headers


async def test_of_several_pictures_some_may_have_failed(desk: Desk) -> None:
    base = desk.server.url
    results = [
        {"url": f"{base}/1.png?Expires=1&Signature=a%2B"},
        {"code": "InternalError.Timeout", "message": "An internal timeout error has occurred"},
    ]
    metrics = {"TOTAL": 2, "SUCCEEDED": 1, "FAILED": 1}
    found = task("SUCCEEDED", results=results, task_metrics=metrics)
    desk.server.on(POLL, json_reply({**found, "usage": {"image_count": 1}}))
    desk.server.on("/1.png", Reply(200, PNG))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    answer = await desk.adapter.collect(desk.job, done)
    assert [content.data for content in answer.contents] == [PNG]
    assert (answer.flags, answer.billed_images) == (("partial",), 1)
    assert answer.usage == {"image_count": 1}


async def test_only_what_waits_can_be_cancelled(desk: Desk) -> None:
    no = said("UnsupportedOperation", "Failed to cancel the task, please confirm the status.")
    desk.server.on(f"{POLL}/cancel", json_reply({"request_id": "q"}), json_reply(no, 400))
    await desk.adapter.cancel(desk.job)
    await desk.adapter.cancel(desk.job)
    assert {(seen.method, seen.target) for seen in desk.server.seen} == {("POST", f"{POLL}/cancel")}


async def test_the_test_of_a_connection(desk: Desk) -> None:
    desk.server.on("/api/v1/tasks", json_reply({"request_id": "q", "data": [], "total": 0}))
    report = await desk.adapter.test()
    assert report.ok
    assert [ENGLISH.say(one) for one in report.said][1] == "The key works."
    assert desk.server.seen[0].target == "/api/v1/tasks?page_no=1&page_size=1"
    desk.server.on("/api/v1/tasks", json_reply(NO_KEY, 401))
    assert (await desk.adapter.test()).said[1].code == "providers.auth"
