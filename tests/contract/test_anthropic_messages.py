"""What is Anthropic's alone: its body, its stream, its errors in its own words."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.attempt import CUT_OFF, OTHER_MODEL, THINKING
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import RateNews
from desktop_app.domain.references import REFERENCE, Reference, stored
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from tests.contract.cases import CLAUDE, FakeClock, call, failing, png
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply

LOCALES = Path(__file__).parents[2] / "resources" / "locale"
PATH = CLAUDE.path


def connection(server: ScriptedServer, **more: Any) -> Connection:
    return CLAUDE.connection(server.url, **more)


def body(open_adapter: Open, model: str = CLAUDE.model, **params: Any) -> Any:
    made = CLAUDE.connection("http://127.0.0.1:9", model=model)
    return open_adapter(made).body_preview(Request("p", params))


def events(*told: dict[str, Any]) -> Reply:
    lines = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in told)
    return Reply(200, lines.encode(), {"content-type": "text/event-stream; charset=utf-8"})


START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 25, "output_tokens": 1},
    },
}


def block(index: int, kind: str, *words: str) -> list[dict[str, Any]]:
    name = {"text": "text_delta", "thinking": "thinking_delta"}[kind]
    return [
        {"type": "content_block_start", "index": index, "content_block": {"type": kind, kind: ""}},
        *(
            {"type": "content_block_delta", "index": index, "delta": {"type": name, kind: word}}
            for word in words
        ),
        {"type": "content_block_stop", "index": index},
    ]


def end(reason: str, **details: Any) -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None, **details}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 15}},
        {"type": "message_stop"},
    ]


# --- what is asked ----------------------------------------------------------------------------


async def test_the_version_and_the_key_go_with_every_call(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(PATH, json_reply(CLAUDE.good))
    await open_adapter(connection(server)).submit(call())
    headers = server.seen[0].headers
    assert headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in headers


@pytest.mark.parametrize(
    ("model", "most"),
    [
        ("claude-3-opus-20240229", 4096),
        ("claude-3-5-haiku-latest", 8192),
        ("claude-opus-4-5", 16000),
        ("claude-3-7-sonnet-latest", 16000),
        ("default", 4096),
    ],
)
def test_the_longest_answer_is_told_because_it_must_be(
    open_adapter: Open, model: str, most: int
) -> None:
    assert body(open_adapter, model)["max_tokens"] == most
    assert body(open_adapter, model, max_tokens=99)["max_tokens"] == 99


def test_settings_have_their_places(open_adapter: Open) -> None:
    assert body(open_adapter, system="Be brief.", temperature=0.2, save_as="md", stream=False) == {
        "model": CLAUDE.model,
        "max_tokens": 16000,
        "system": "Be brief.",
        "temperature": 0.2,
        "messages": [{"role": "user", "content": "p"}],
    }
    assert body(open_adapter)["stream"] is True


async def test_pictures_stand_before_the_prompt_each_with_its_kind(
    server: ScriptedServer, open_adapter: Open, tmp_path: Path
) -> None:
    server.on(PATH, json_reply(CLAUDE.good))
    file = tmp_path / "a.png"
    file.write_bytes(png())
    shown = [
        Reference(str(file), hashlib.sha256(png()).hexdigest()),
        Reference(url="https://pics.example/b.jpg"),
    ]
    adapter = open_adapter(connection(server))
    await adapter.submit(call("what is it?", **{REFERENCE: stored(shown)}))
    assert server.seen[0].json["messages"][0]["content"] == [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": "image/png",
                "data": base64.b64encode(png()).decode(),
            },
        },
        {"type": "image", "source": {"type": "url", "url": "https://pics.example/b.jpg"}},
        {"type": "text", "text": "what is it?"},
    ]


# --- what comes -------------------------------------------------------------------------------


async def test_thinking_is_kept_apart_and_tokens_are_counted(
    server: ScriptedServer, open_adapter: Open
) -> None:
    found = {
        **CLAUDE.good,
        "content": [
            {"type": "thinking", "thinking": "Let me see.", "signature": "x"},
            {"type": "text", "text": "Yes"},
            {"type": "text", "text": "."},
        ],
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 0,
            "output_tokens": 20,
        },
    }
    server.on(PATH, json_reply(found, headers={"request-id": "req_9"}))
    answer = await open_adapter(connection(server)).submit(call(save_as="md"))
    assert (answer.contents[0].text, answer.contents[0].mime) == ("Yes.", "text/markdown")
    assert answer.usage[THINKING] == "Let me see."
    assert answer.tokens == 35
    assert answer.request_id == "req_9"
    assert (answer.flags, answer.billed_images) == ((), 0)


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "pause_turn"])
async def test_a_text_that_was_cut_is_a_result_with_a_flag(
    server: ScriptedServer, open_adapter: Open, reason: str
) -> None:
    server.on(PATH, json_reply({**CLAUDE.good, "stop_reason": reason}))
    assert (await open_adapter(connection(server)).submit(call())).flags == (CUT_OFF,)
    server.on(PATH, json_reply({**CLAUDE.good, "stop_reason": reason, "content": []}))
    failure = await failing(open_adapter(connection(server)))
    assert (failure.kind, failure.billed) == (F.INVALID, True)
    assert failure.said.code == "providers.length_empty"


async def test_a_refusal_says_why(server: ScriptedServer, open_adapter: Open) -> None:
    details = {"category": "cyber", "explanation": "It would help to break into systems."}
    found = {**CLAUDE.good, "stop_reason": "refusal", "stop_details": details, "content": []}
    server.on(PATH, json_reply(found))
    failure = await failing(open_adapter(connection(server)))
    assert (failure.kind, failure.code) == (F.REFUSED, "refusal")
    assert "It would help to break into systems." in Translator().say(failure.said)


async def test_another_model_is_told(server: ScriptedServer, open_adapter: Open) -> None:
    server.on(PATH, json_reply({**CLAUDE.good, "model": "claude-3-haiku-20240307"}))
    assert (await open_adapter(connection(server)).submit(call())).flags == (OTHER_MODEL,)


async def test_limits_are_read_from_its_own_headers(
    server: ScriptedServer, open_adapter: Open, clock: FakeClock
) -> None:
    told = {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2027-01-15T08:00:30Z",
    }
    server.on(PATH, json_reply(CLAUDE.good, headers=told))
    answer = await open_adapter(connection(server)).submit(call())
    assert answer.news == RateNews(50, 49, 30)
    server.on("/v1/models", json_reply({"data": [{"id": CLAUDE.model}]}, headers=told))
    report = await open_adapter(connection(server)).test()
    said = [Translator().say(one) for one in report.said]
    assert "It tells its limit: 50 requests, 49 of them left." in said


async def test_the_longest_of_the_used_up_buckets_is_waited_for(
    server: ScriptedServer, open_adapter: Open
) -> None:
    told = {
        "anthropic-ratelimit-requests-remaining": "12",
        "anthropic-ratelimit-requests-reset": "2027-01-15T08:09:00Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2027-01-15T08:00:20Z",
        "anthropic-ratelimit-output-tokens-remaining": "0",
        "anthropic-ratelimit-output-tokens-reset": "2027-01-15T08:00:40Z",
    }
    server.on(PATH, json_reply(_error("rate_limit_error", "slow"), 429, headers=told))
    failure = await failing(open_adapter(connection(server)))
    assert (failure.kind, failure.wait.seconds) == (F.THROTTLED, 40)


# --- word by word -----------------------------------------------------------------------------


async def test_a_stream_is_the_answer_it_would_have_been(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(
        PATH,
        events(
            START,
            {"type": "ping"},
            *block(0, "thinking", "Let me ", "see."),
            *block(1, "text", "你好", ", Antwort\n"),
            *end("end_turn"),
        ),
    )
    made = call()
    answer = await open_adapter(connection(server)).submit(made)
    assert answer.contents[0].data == CLAUDE.result
    assert answer.usage[THINKING] == "Let me see."
    assert answer.tokens == 40
    assert made.peek is not None
    assert (made.peek().text, made.peek().thinking) == ("你好, Antwort\n", "Let me see.")


@pytest.mark.parametrize(
    ("told", "kind", "code"),
    [
        ([START, *block(0, "text", "Half")], F.UNKNOWN, "cut_body"),
        ([START], F.UNKNOWN, "cut_body"),
        ([START, *block(0, "text", "No"), *end("refusal")], F.REFUSED, "refusal"),
        ([START, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}],
         F.THROTTLED, "overloaded_error"),
        ([START, *block(0, "text", "Half"),
          {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}],
         F.UNKNOWN, "overloaded_error"),
        ([START, {"type": "error", "error": {"type": "api_error", "message": "oops"}}],
         F.TRANSIENT, "api_error"),
        ([START, {"type": "error", "error": {"type": "timeout_error", "message": "slow"}}],
         F.UNKNOWN, "timeout_error"),
    ],
    ids=["cut", "cut early", "refused", "overloaded", "overloaded late", "fault", "timeout"],
)  # fmt: skip
async def test_a_stream_that_ends_otherwise_is_no_result(
    server: ScriptedServer, open_adapter: Open, told: list[Any], kind: F, code: str
) -> None:
    server.on(PATH, events(*told))
    failure = await failing(open_adapter(connection(server)))
    assert (failure.kind, failure.code) == (kind, code)


# --- its errors -------------------------------------------------------------------------------


def _error(kind: str, text: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"}


CREDIT = (
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing "
    "to upgrade or purchase credits."
)
USAGE = (
    "You have reached your specified API usage limits. "
    "You will regain access on 2027-02-01 at 00:00 UTC."
)
HTML = b"<html><title>413 Request Entity Too Large</title></html>"


@pytest.mark.parametrize(
    ("status", "told", "kind", "code", "billed", "english", "chinese"),
    [
        (400, _error("invalid_request_error", CREDIT), F.ACCOUNT, "insufficient_balance", False,
         "has no money left", "余额"),
        (402, _error("billing_error", "Payment failed"), F.ACCOUNT, "billing_error", False,
         "has no money left", "余额"),
        (400, _error("invalid_request_error", USAGE), F.ACCOUNT, "spend_limit", False,
         "quota at", "配额"),
        (429, _error("enforced_spend_limit_reached", "Spend limit reached"), F.ACCOUNT,
         "enforced_spend_limit_reached", False, "quota at", "配额"),
        (401, _error("authentication_error", "invalid x-api-key"), F.ACCOUNT,
         "authentication_error", False, "refused the key", "密钥"),
        (403, _error("permission_error", "Your API key does not have permission"), F.ACCOUNT,
         "permission_error", False, "doesn't allow this key", "不允许"),
        (404, _error("not_found_error", "model: claude-9"), F.INVALID, "not_found_error", False,
         "has no model claude-sonnet-4-5", "没有模型"),
        (400, _error("invalid_request_error", "prompt is too long: 212000 tokens > 200000 maximum"),
         F.INVALID, "context_length_exceeded", False, "is too long for", "长度限制"),
        (400, _error("invalid_request_error",
                     "input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000"),
         F.INVALID, "context_length_exceeded", False, "is too long for", "长度限制"),
        (400, _error("invalid_request_error", "Output blocked by content filtering policy"),
         F.REFUSED, "moderation", None, "by its content rules", "内容"),
        (413, _error("request_too_large", "Request exceeds the maximum size"), F.INVALID,
         "request_too_large", False, "fewer or smaller pictures", "更少或更小"),
        (413, HTML, F.INVALID, "request_too_large", False, "fewer or smaller pictures",
         "更少或更小"),
        (400, _error("invalid_request_error", "temperature: range: 0..1"), F.INVALID,
         "invalid_request_error", False, "temperature: range: 0..1", "temperature: range: 0..1"),
        (429, _error("rate_limit_error", "Number of request tokens has exceeded your per-minute "
                     "rate limit"), F.THROTTLED, "rate_limit_error", False, "slow down", "放慢"),
        (529, _error("overloaded_error", "Overloaded"), F.THROTTLED, "overloaded_error", False,
         "is busy", "繁忙"),
        (500, _error("api_error", "Internal server error"), F.TRANSIENT, "api_error", None,
         "error of its own", "内部出错"),
        (504, _error("timeout_error", "Request timed out"), F.UNKNOWN, "timeout_error", None,
         "gave up waiting", "放弃等待"),
    ],
)  # fmt: skip
async def test_each_error_in_its_own_words(
    server: ScriptedServer,
    open_adapter: Open,
    status: int,
    told: Any,
    kind: F,
    code: str,
    billed: bool | None,
    english: str,
    chinese: str,
) -> None:
    server.on(PATH, Reply(status, told) if isinstance(told, bytes) else json_reply(told, status))
    failure = await failing(open_adapter(connection(server)))
    assert (failure.kind, failure.code, failure.billed) == (kind, code, billed)
    assert english in Translator().say(failure.said)
    assert chinese in Translator("zh_CN", LOCALES).say(failure.said)


async def test_a_usage_limit_says_when_it_ends(server: ScriptedServer, open_adapter: Open) -> None:
    server.on(PATH, json_reply(_error("invalid_request_error", USAGE), 400))
    failure = await failing(open_adapter(connection(server)))
    assert failure.wait.until == 1_801_440_000.0
