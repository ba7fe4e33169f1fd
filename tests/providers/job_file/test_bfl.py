"""Black Forest Labs' recorded answers: refusals and failures are words in answers with HTTP 200,
and jobs are asked for at addresses that are handed out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.jobs import RESULT_EXPIRED, Job, JobDone, JobLost, JobRunning
from desktop_app.domain.ports import CallbackAdapter, CallbackRule
from desktop_app.domain.references import Reference
from desktop_app.domain.text import message
from tests.contract.cases import KEY, PNG, call
from tests.contract.server import Reply, ScriptedServer, json_reply
from tests.providers.job_file.desk import (
    BAD_KEY,
    EMPTY,
    NO_MONEY,
    SHIPPED,
    SLOW,
    Desk,
    Row,
    at_desk,
    check,
    invalid,
    not_finished,
    refused,
    server_error,
    showing,
    state_of,
    unknown_state,
)

MODEL = "flux-2-pro"
POLL = "/v1/get_result"
FREE: dict[str, Any] = {"billed": False}
JOB: dict[str, Any] = {"of_job": True}
BAD_WIDTH = {"detail": [{"loc": ["body", "width"], "msg": "must be even", "type": "value_error"}]}
TOO_MANY = {"detail": "Too many active tasks"}
SKILL_429 = {"error": "rate_limit_exceeded", "retry_after": 5}


def told(status: str, **more: Any) -> dict[str, Any]:
    return {"id": "j1", "status": status, "result": None, **more}


ROWS = [
    Row("submit", 401, {"detail": "Not authenticated"}, F.ACCOUNT, "http_401", BAD_KEY, **FREE),
    Row(
        "submit",
        403,
        {"detail": "Not authenticated - Invalid Authentication"},
        F.ACCOUNT,
        "not_authenticated",
        BAD_KEY,
        **FREE,
    ),
    Row("submit", 402, {"detail": "Insufficient credits"}, F.ACCOUNT, "http_402", NO_MONEY, **FREE),
    Row("submit", 422, BAD_WIDTH, F.INVALID, "http_422", invalid("must be even"), **FREE),
    Row("submit", 429, TOO_MANY, F.THROTTLED, "active_tasks", SLOW, **FREE),
    Row(
        "submit", 429, SKILL_429, F.THROTTLED, "rate_limit_exceeded", SLOW, **FREE, wait_s=5.0
    ),
    Row("submit", 503, {"detail": "down"}, F.TRANSIENT, "http_503", server_error(503)),
    Row(
        "poll", 200, told("Request Moderated"), F.REFUSED, "Request Moderated", refused(),
        of_job=True, billed=False,
    ),
    Row("poll", 200, told("Content Moderated"), F.REFUSED, "Content Moderated", refused(), **JOB),
    Row(
        "poll", 200, told("Error", error="content_policy_violation"), F.REFUSED,
        "content_policy_violation", refused(), **JOB,
    ),
    Row("poll", 200, told("Error"), F.TRANSIENT, "Error", not_finished(), **JOB),
    Row("poll", 200, told("Failed"), F.TRANSIENT, "Failed", not_finished(), **JOB),
    Row("poll", 200, told("Ready"), F.REFUSED, "empty_result", EMPTY, **JOB),
    Row("poll", 500, {"detail": "x"}, F.TRANSIENT, "http_500", server_error(500), **FREE),
    Row("poll", 200, told("Odd"), F.TRANSIENT, "unknown_state", unknown_state("Odd", "bfl.toml"),
        **FREE),
]  # fmt: skip


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    more: dict[str, Any] = {"submit_path": f"/v1/{MODEL}", "poll_path": POLL}
    async with at_desk("bfl", "/v1", MODEL, **more) as made:
        made.job.context.update(  # type: ignore[attr-defined]
            polling_url=f"{made.server.url}{POLL}?id=j1"
        )
        yield made


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_each_answer(desk: Desk, row: Row) -> None:
    await check(desk, row)


async def test_states(desk: Desk) -> None:
    desk.server.on(
        POLL,
        json_reply(told("Pending")),
        json_reply(told("Task not found")),
        json_reply({"detail": "Task not found"}, 404),
    )
    assert await state_of(desk) == JobRunning()
    assert await state_of(desk) == JobLost()
    assert await state_of(desk) == JobLost()
    assert {seen.target for seen in desk.server.seen} == {f"{POLL}?id=j1"}
    assert all(seen.headers["x-key"] == KEY for seen in desk.server.seen)


async def test_a_result_is_fetched_without_the_key(desk: Desk) -> None:
    sample = f"{desk.server.url}/sample.jpeg?se=2026&sig=a%2Bb"
    desk.server.on(POLL, json_reply(told("Ready", result={"sample": sample, "seed": 7})))
    desk.server.on("/sample.jpeg", Reply(200, PNG))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    answer = await desk.adapter.collect(desk.job, done)
    assert [content.data for content in answer.contents] == [PNG]
    assert KEY not in str(desk.server.seen[-1])
    assert desk.server.seen[-1].target == "/sample.jpeg?se=2026&sig=a%2Bb"


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_a_result_past_its_ten_minutes_is_told_as_such(desk: Desk, status: int) -> None:
    sample = f"{desk.server.url}/sample.jpeg?se=2026&sig=a%2Bb"
    desk.server.on(POLL, json_reply(told("Ready", result={"sample": sample})))
    desk.server.on("/sample.jpeg", Reply(status))
    done = await state_of(desk)
    assert isinstance(done, JobDone)
    with pytest.raises(ProviderFailure) as caught:
        await desk.adapter.collect(desk.job, done)
    failure = caught.value.failure
    host = urlsplit(sample).netloc
    text = f"HTTP {status}"
    expired = message("providers.download_expired", host=host, text=text)
    assert (failure.kind, failure.code, failure.said) == (F.UNKNOWN, RESULT_EXPIRED, expired)
    assert failure.billed is True
    assert sample in failure.body  # a person may still know a way


async def test_what_is_sent(desk: Desk, tmp_path: Path) -> None:
    desk.server.on(f"/v1/{MODEL}", json_reply({"id": "j7", "polling_url": "https://x.bfl.ai/p"}))
    made = call("a cat", width=512, seed=0)
    made.callback_url, made.callback_secret = "https://hooks.example/t", "s3cret"
    job = await desk.adapter.submit(made)
    assert job == Job("j7", {"model": MODEL, "polling_url": "https://x.bfl.ai/p"}, calls_back=True)
    assert desk.server.seen[0].json == {
        "prompt": "a cat",
        "width": 512,
        "seed": 0,
        "webhook_url": "https://hooks.example/t",
        "webhook_secret": "s3cret",
    }


async def test_whose_calls_are_its_own(desk: Desk) -> None:
    assert isinstance(desk.adapter, CallbackAdapter)
    rule = CallbackRule("hmac-sha256", "X-BFL-Signature", "sha256=", "hex")
    assert desk.adapter.callback_rule == rule
    assert await desk.adapter.callback_secret() is None  # each call brings its own
    assert desk.adapter.job_called({"id": "j1"}) == "j1"
    assert desk.server.seen == []


async def test_a_picture_goes_in_plain_base64(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(PNG)
    reference = Reference(str(file), hashlib.sha256(PNG).hexdigest())
    desk.server.on(f"/v1/{MODEL}", json_reply({"id": "j7", "polling_url": "https://x.bfl.ai/p"}))
    await desk.adapter.submit(showing("a cat", reference))
    sent = desk.server.seen[0].json["input_image"]
    assert base64.b64decode(sent, validate=True) == PNG


# --- the key ------------------------------------------------------------------------------------


@pytest.fixture
async def other() -> AsyncIterator[ScriptedServer]:
    made = ScriptedServer()
    await made.start()
    yield made
    await made.close()


@pytest.mark.parametrize(
    "address",
    [
        "{other}/v1/get_result?id=j1",
        "http://localhost:{port}/v1/get_result?id=j1",
        "https://api.us1.bfl.ai.evil.example/v1/get_result?id=j1",
        "http://user@127.0.0.1:{own}/v1/get_result",
        "//127.0.0.1:{port}/v1/get_result",
        "file:///etc/passwd",
        "",
    ],
)
async def test_an_address_that_a_wicked_answer_hands_out_never_sees_the_key(
    desk: Desk, other: ScriptedServer, address: str
) -> None:
    own = desk.server.url.rpartition(":")[2]
    handed = address.format(other=other.url, port=other.port, own=own)
    other.on(POLL, json_reply(told("Ready", result={"sample": "x"})))
    desk.server.on(POLL, json_reply(told("Pending")))
    # The key's own host is asked instead.
    assert await state_of(desk, polling_url=handed) == JobRunning()
    assert other.seen == []
    assert [seen.target for seen in desk.server.seen] == [f"{POLL}?id=j1"]


async def test_a_named_host_is_asked_with_the_key_and_its_redirects_are_not_followed(
    other: ScriptedServer, tmp_path: Path
) -> None:
    text = (SHIPPED / "bfl.toml").read_text("utf-8")
    named = text.replace('"*.bfl.ai"', f'"127.0.0.1:{other.port}"')
    (tmp_path / "mine.toml").write_text(named, "utf-8")
    address = f"{other.url}{POLL}?id=j1"
    async with at_desk("mine", "/v1", MODEL, own=tmp_path) as stranger:
        # Another server's key has no business at this vendor's hosts.
        stranger.server.on(POLL, json_reply(told("Pending")))
        assert await state_of(stranger, polling_url=address) == JobRunning()
        assert other.seen == []
    async with at_desk("mine", "/v1", MODEL, own=tmp_path, home="https://api.bfl.ai/v1") as desk:
        other.on(POLL, json_reply(told("Pending")), Reply(302, headers={"location": "/elsewhere"}))
        assert await state_of(desk, polling_url=address) == JobRunning()
        assert other.seen[0].headers["x-key"] == KEY
        with pytest.raises(ProviderFailure):
            await state_of(desk, polling_url=address)
        assert [seen.target for seen in other.seen] == [f"{POLL}?id=j1"] * 2


async def test_without_a_path_of_its_own_a_foreign_address_is_not_asked_at_all(
    desk: Desk, other: ScriptedServer, tmp_path: Path
) -> None:
    text = (SHIPPED / "bfl.toml").read_text("utf-8")
    bare = text.replace('path = "/get_result"\nquery = { id = "{id}" }\n', "")
    (tmp_path / "bare.toml").write_text(bare, "utf-8")
    async with at_desk("bare", "/v1", MODEL, own=tmp_path) as made:
        with pytest.raises(ProviderFailure) as caught:
            await state_of(made, polling_url=f"{other.url}{POLL}?id=j1")
        assert caught.value.failure.code == "other_host"
        with pytest.raises(ProviderFailure) as caught:
            await state_of(made)
        assert caught.value.failure.code == "no_address"
        assert made.server.seen == []
    assert other.seen == []
