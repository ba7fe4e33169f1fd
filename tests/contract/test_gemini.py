"""What is Google's alone: refusals under a good status, quotas by name, three kinds of models."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.attempt import CUT_OFF, OTHER_MODEL, PARTIAL, THINKING
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import Answer
from desktop_app.domain.references import REFERENCE, Reference, stored
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from desktop_app.providers.profiles import gemini as profile
from desktop_app.providers.registry import AdapterRegistry
from tests.contract.cases import GEMINI, IMAGEN, NANO, PNG, Case, call, failing, png
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply

LOCALES = Path(__file__).parents[2] / "resources" / "locale"
STREAM = "/v1beta/models/gemini-2.5-flash:streamGenerateContent"
B64 = base64.b64encode(PNG).decode()


def body(open_adapter: Open, case: Case, extra: Any = None, **params: Any) -> Any:
    adapter = open_adapter(case.connection("http://127.0.0.1:9", params={}))
    return adapter.body_preview(Request("p", params, extra or {}))


def candidate(reason: str | None = "STOP", *parts: Any, **more: Any) -> dict[str, Any]:
    content = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    return {**content, **({"finishReason": reason} if reason else {}), **more}


def picture(content: bytes = PNG, **more: Any) -> dict[str, Any]:
    data = base64.b64encode(content).decode()
    return {"inlineData": {"mimeType": "image/png", "data": data}, **more}


async def answered(server: ScriptedServer, open_adapter: Open, case: Case, found: Any) -> Answer:
    server.on(case.path, json_reply(found))
    answer = await open_adapter(case.connection(server.url)).submit(call())
    assert isinstance(answer, Answer)
    return answer


async def refused(server: ScriptedServer, open_adapter: Open, case: Case, found: Any) -> Any:
    server.on(case.path, json_reply(found))
    return await failing(open_adapter(case.connection(server.url)))


# --- what is asked ----------------------------------------------------------------------------


def test_settings_have_google_s_names(open_adapter: Open) -> None:
    safety = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]
    settings = {"system": "Be brief.", "temperature": 0.2, "max_tokens": 99, "n": 2, "seed": 7}
    made = body(open_adapter, GEMINI, {"safetySettings": safety}, save_as="md", **settings)
    assert made == {
        "contents": [{"role": "user", "parts": [{"text": "p"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {
            "temperature": 0.2,
            "maxOutputTokens": 99,
            "candidateCount": 2,
            "seed": 7,
        },
        "safetySettings": safety,
    }


def test_a_picture_model_is_asked_for_pictures(open_adapter: Open) -> None:
    made = body(open_adapter, NANO, aspect_ratio="16:9", image_size="2K")
    assert made["generationConfig"] == {
        "responseModalities": ["TEXT", "IMAGE"],
        "imageConfig": {"aspectRatio": "16:9", "imageSize": "2K"},
    }


def test_imagen_has_a_body_of_its_own(open_adapter: Open) -> None:
    assert body(open_adapter, IMAGEN, n=3, aspect_ratio="1:1", person_generation="allow_adult") == {
        "instances": [{"prompt": "p"}],
        "parameters": {
            "sampleCount": 3,
            "includeRaiReason": True,
            "aspectRatio": "1:1",
            "personGeneration": "allow_adult",
        },
    }


async def test_reference_pictures_stand_before_the_prompt(
    server: ScriptedServer, open_adapter: Open, tmp_path: Path
) -> None:
    server.on(NANO.path, json_reply(NANO.good))
    file = tmp_path / "a.png"
    file.write_bytes(png())
    shown = stored([Reference(str(file), hashlib.sha256(png()).hexdigest())])
    await open_adapter(NANO.connection(server.url)).submit(call("bluer", **{REFERENCE: shown}))
    data = base64.b64encode(png()).decode()
    assert server.seen[0].json["contents"][0]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": data}},
        {"text": "bluer"},
    ]


def test_a_model_makes_texts_or_pictures_and_takes_what_it_takes() -> None:
    registry = AdapterRegistry()
    text, nano, imagen = (
        registry.capabilities("gemini", case.connection("http://x")).of(case.model)
        for case in (GEMINI, NANO, IMAGEN)
    )
    assert (text.makes, nano.makes, imagen.makes) == ("text", "picture", "picture")
    assert (text.stream, nano.stream) == (True, False)
    assert [bool(caps.references) for caps in (text, nano, imagen)] == [True, True, False]
    assert REFERENCE not in {param.name for param in imagen.params}
    assert (nano.several_results, imagen.several_results) == (False, True)


@pytest.mark.parametrize("model", ["models/gemini-2.5-flash", " gemini-2.5-flash"])
async def test_a_model_is_found_as_lists_write_it(
    server: ScriptedServer, open_adapter: Open, model: str
) -> None:
    server.on(GEMINI.path, json_reply(GEMINI.good))
    answer = await open_adapter(GEMINI.connection(server.url, model=model)).submit(call())
    assert answer.contents[0].data == GEMINI.result


# --- what comes -------------------------------------------------------------------------------


async def test_thoughts_are_kept_apart_in_words_and_pictures(
    server: ScriptedServer, open_adapter: Open
) -> None:
    thought = {"text": "Let me see.", "thought": True}
    found = {
        "candidates": [candidate("STOP", thought, {"text": "Ye"}, {"text": "s."})],
        "usageMetadata": {"promptTokenCount": 3, "thoughtsTokenCount": 9, "totalTokenCount": 14},
        "modelVersion": "gemini-2.5-flash-001",
        "responseId": "r-1",
    }
    answer = await answered(server, open_adapter, GEMINI, found)
    assert answer.contents[0].text == "Yes."
    assert answer.usage[THINKING] == "Let me see."
    assert (answer.tokens, answer.flags, answer.request_id) == (14, (), "r-1")
    drafts = candidate("STOP", picture(png((3, 3)), thought=True), picture())
    answer = await answered(server, open_adapter, NANO, {"candidates": [drafts]})
    assert [content.data for content in answer.contents] == [PNG]  # a draft is no result
    assert answer.billed_images == 1


async def test_several_candidates_are_several_results_and_a_refused_one_is_told(
    server: ScriptedServer, open_adapter: Open
) -> None:
    found = {"candidates": [candidate("STOP", {"text": "a"}), candidate("SAFETY"),
                            candidate("MAX_TOKENS", {"text": "c"})]}  # fmt: skip
    answer = await answered(server, open_adapter, GEMINI, found)
    assert [content.text for content in answer.contents] == ["a", "c"]
    assert set(answer.flags) == {CUT_OFF, PARTIAL}


async def test_another_model_is_told(server: ScriptedServer, open_adapter: Open) -> None:
    found = {**GEMINI.good, "modelVersion": "gemini-2.0-pro"}
    assert (await answered(server, open_adapter, GEMINI, found)).flags == (OTHER_MODEL,)


@pytest.mark.parametrize(
    ("case", "found"),
    [
        (NANO, {"candidates": [candidate("STOP", picture(), picture(b"<svg/>"))]}),
        (IMAGEN, {"predictions": [{"bytesBase64Encoded": "!!"}, *IMAGEN.good["predictions"]]}),
    ],
)  # fmt: skip
async def test_one_broken_picture_does_not_cost_the_others(
    server: ScriptedServer, open_adapter: Open, case: Case, found: Any
) -> None:
    answer = await answered(server, open_adapter, case, found)
    assert [one.data for one in answer.contents] == [PNG]
    assert answer.flags == (PARTIAL,)
    assert answer.billed_images == 2


async def test_pictures_of_a_model_whose_name_promises_none_are_kept(
    server: ScriptedServer, open_adapter: Open
) -> None:
    found = {"candidates": [candidate("STOP", picture())]}
    answer = await answered(server, open_adapter, GEMINI, found)
    assert [(one.data, one.text) for one in answer.contents] == [(PNG, None)]
    assert answer.billed_images == 1
    found = {"candidates": [candidate("STOP", {"text": "42"}, picture())]}
    answer = await answered(server, open_adapter, GEMINI, found)
    assert [one.text for one in answer.contents] == ["42"]
    assert answer.billed_images == 0


@pytest.mark.parametrize(
    ("case", "found", "kind", "code", "sentence"),
    [
        (GEMINI, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, F.REFUSED,
         "PROHIBITED_CONTENT", "by its content rules"),
        (GEMINI, {"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}}, F.REFUSED,
         "SAFETY", "by its content rules"),
        *((GEMINI, {"candidates": [candidate(reason, {"text": "half"})]}, F.REFUSED, reason,
           "by its content rules")
          for reason in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")),
        *((GEMINI, {"promptFeedback": {"blockReason": reason}}, F.REFUSED, reason,
           "by its content rules")
          for reason in ("OTHER", "BLOCKLIST", "IMAGE_SAFETY", "MODEL_ARMOR", "JAILBREAK")),
        *((GEMINI, {"candidates": [candidate(reason)]}, F.INVALID, reason,
           "can't work with this request")
          for reason in ("UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")),
        *((NANO, {"candidates": [candidate(reason)]}, F.REFUSED, reason, "by its content rules")
          for reason in ("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION")),
        *((NANO, {"candidates": [candidate(reason)]}, F.REFUSED, reason, "without a result")
          for reason in ("NO_IMAGE", "IMAGE_OTHER", "OTHER")),
        (NANO, {"candidates": [candidate("STOP", {"text": "I can't draw that."})]}, F.REFUSED,
         "no_image", "It said: I can't draw that."),
        (GEMINI, {"candidates": [candidate()]}, F.REFUSED, "empty_result", "without a result"),
        (GEMINI, {"usageMetadata": {}, "modelVersion": "g"}, F.REFUSED, "empty_result",
         "without a result"),
        (GEMINI, {"candidates": [candidate("MAX_TOKENS")]}, F.INVALID, "MAX_TOKENS",
         "Raise max_tokens"),
        (GEMINI, {"candidates": [candidate("MALFORMED_FUNCTION_CALL")]}, F.INVALID,
         "MALFORMED_FUNCTION_CALL", "can't work with this request"),
        (GEMINI, {"candidates": [candidate("LANGUAGE", finishMessage="not this one")]}, F.INVALID,
         "LANGUAGE", "not this one"),
        (NANO, {"candidates": [candidate("STOP", {"inlineData": {"data": "!!"}})]}, F.UNKNOWN,
         "unreadable", "can't be read"),
        (NANO, {"candidates": [candidate("STOP", picture(b"<svg/>"))]}, F.UNKNOWN,
         "not_a_picture", "not a picture"),
        (IMAGEN, {"predictions": [{"raiFilteredReason": "Blocked by filter 42."}]}, F.REFUSED,
         "rai_filtered", "It said: Blocked by filter 42."),
        (IMAGEN, {}, F.REFUSED, "empty_result", "without a result"),
        (IMAGEN, {"predictions": [{"bytesBase64Encoded": "!!"}]}, F.UNKNOWN, "unreadable",
         "can't be read"),
    ],
)  # fmt: skip
async def test_a_good_status_without_a_result(
    server: ScriptedServer,
    open_adapter: Open,
    case: Case,
    found: Any,
    kind: F,
    code: str,
    sentence: str,
) -> None:
    failure = await refused(server, open_adapter, case, found)
    assert (failure.kind, failure.code) == (kind, code)
    assert sentence in Translator().say(failure.said)


async def test_of_four_pictures_one_was_filtered(
    server: ScriptedServer, open_adapter: Open
) -> None:
    made = [{"bytesBase64Encoded": B64, "mimeType": "image/png"}] * 3
    found = {"predictions": [*made, {"raiFilteredReason": "no"}]}
    answer = await answered(server, open_adapter, IMAGEN, found)
    assert len(answer.contents) == answer.billed_images == 3
    assert answer.flags == (PARTIAL,)


# --- in stretches -----------------------------------------------------------------------------


def stretches(*told: Any) -> Reply:
    lines = "".join(f"data: {json.dumps(one)}\r\n\r\n" for one in told)
    return Reply(200, lines.encode(), {"content-type": "text/event-stream"})


async def test_a_stream_is_the_answer_it_would_have_been(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(
        STREAM,
        stretches(
            {"candidates": [candidate(None, {"text": "Hm.", "thought": True})]},
            {"candidates": [candidate(None, {"text": "你好"})], "modelVersion": "gemini-2.5-flash"},
            {
                "candidates": [candidate("STOP", {"text": ", Antwort\n"})],
                "usageMetadata": {"totalTokenCount": 7},
            },
        ),
    )
    made = call()
    answer = await open_adapter(GEMINI.connection(server.url, params={})).submit(made)
    assert server.seen[0].target == f"{STREAM}?alt=sse"
    assert answer.contents[0].data == GEMINI.result
    assert (answer.usage[THINKING], answer.tokens, answer.flags) == ("Hm.", 7, ())
    assert made.peek is not None
    assert (made.peek().text, made.peek().thinking) == ("你好, Antwort\n", "Hm.")


@pytest.mark.parametrize(
    ("told", "kind", "code"),
    [
        ([{"candidates": [candidate(None, {"text": "Half"})]}], F.UNKNOWN, "cut_body"),
        ([{"candidates": [candidate(None, {"text": "Half"})]},
          {"candidates": [candidate("SAFETY")]}], F.REFUSED, "SAFETY"),
        ([{"promptFeedback": {"blockReason": "OTHER"}}], F.REFUSED, "OTHER"),
        ([{"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}],
         F.THROTTLED, "UNAVAILABLE"),
    ],
    ids=["cut", "refused", "blocked", "overloaded"],
)  # fmt: skip
async def test_a_stream_that_ends_otherwise_is_no_result(
    server: ScriptedServer, open_adapter: Open, told: list[Any], kind: F, code: str
) -> None:
    server.on(STREAM, stretches(*told))
    failure = await failing(open_adapter(GEMINI.connection(server.url, params={})))
    assert (failure.kind, failure.code) == (kind, code)


# --- its errors -------------------------------------------------------------------------------


def error(code: int, status: str, text: str, *details: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": text, "status": status, "details": list(details)}}


def reason(word: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": word}


def quota(*ids: str) -> dict[str, Any]:
    violations = [{"quotaMetric": "m", "quotaId": one, "quotaDimensions": {}} for one in ids]
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations}


def retry(delay: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


SPENT = "You exceeded your current quota, please check your plan and billing details."
DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"


@pytest.mark.parametrize(
    ("status", "told", "kind", "code", "billed", "english", "chinese"),
    [
        (400, error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
                    reason("API_KEY_INVALID")),
         F.ACCOUNT, "API_KEY_INVALID", False, "refused the key", "密钥"),
        (400, error(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key."),
         F.ACCOUNT, "api_key_invalid", False, "refused the key", "密钥"),
        (400, error(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
         F.ACCOUNT, "FAILED_PRECONDITION", False, "User location is not supported", "不允许"),
        (403, error(403, "PERMISSION_DENIED", "Generative Language API has not been used",
                    reason("SERVICE_DISABLED")),
         F.ACCOUNT, "SERVICE_DISABLED", False, "has not been used", "不允许"),
        (402, error(402, "RESOURCE_EXHAUSTED", "Your prepay credit is gone."), F.ACCOUNT,
         "RESOURCE_EXHAUSTED", False, "has no money left", "余额"),
        (402, {"error": {"code": "payment_required", "message": "Add credit."}}, F.ACCOUNT,
         "payment_required", False, "has no money left", "余额"),
        (403, error(403, "PERMISSION_DENIED", "Denied."), F.ACCOUNT, "PERMISSION_DENIED", False,
         "doesn't allow this key", "不允许"),
        (429, error(429, "RESOURCE_EXHAUSTED", SPENT, quota(MINUTE), retry("34s")), F.THROTTLED,
         "RESOURCE_EXHAUSTED", False, "slow down", "放慢"),
        (429, error(429, "RESOURCE_EXHAUSTED", SPENT), F.THROTTLED, "RESOURCE_EXHAUSTED", False,
         "slow down", "放慢"),
        (429, error(429, "RESOURCE_EXHAUSTED", SPENT, quota(MINUTE, DAY), retry("34s")), F.ACCOUNT,
         DAY, False, "quota at", "配额"),
        (429, error(429, "RESOURCE_EXHAUSTED", f"{SPENT} limit: 0, model: gemini-2.5-pro",
                    quota(DAY), retry("34s")),
         F.ACCOUNT, "no_quota", False, "is not opened for this account", "开通"),
        (404, error(404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta"),
         F.INVALID, "NOT_FOUND", False, "has no model gemini-2.5-flash", "没有模型"),
        (400, error(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum "
                    "number of tokens allowed (1048576)."),
         F.INVALID, "context_length_exceeded", False, "is too long for", "长度限制"),
        (400, error(400, "INVALID_ARGUMENT", "Image generation failed with the following error: "
                    "The prompt could not be submitted. This prompt contains sensitive words that "
                    "violate Google's Responsible AI practices. Error Code: 58061214"),
         F.REFUSED, "responsible_ai", False, "by its content rules", "内容"),
        (400, error(400, "INVALID_ARGUMENT", "Invalid value at 'generation_config.top_k'"),
         F.INVALID, "INVALID_ARGUMENT", False, "generation_config.top_k", "generation_config"),
        (500, error(500, "INTERNAL", "An internal error has occurred."), F.TRANSIENT, "INTERNAL",
         None, "error of its own", "内部出错"),
        (503, error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
         F.THROTTLED, "UNAVAILABLE", False, "is busy", "繁忙"),
        (504, error(504, "DEADLINE_EXCEEDED", "Deadline expired"), F.UNKNOWN, "DEADLINE_EXCEEDED",
         None, "gave up waiting", "放弃等待"),
        (400, {"error": {"code": "invalid_request", "message": "no such field"}}, F.INVALID,
         "invalid_request", False, "no such field", "no such field"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("wrapped", [False, True], ids=["plain", "in a list"])
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
    wrapped: bool,
) -> None:
    server.on(GEMINI.path, json_reply([told] if wrapped else told, status))
    failure = await failing(open_adapter(GEMINI.connection(server.url)))
    assert (failure.kind, failure.code, failure.billed) == (kind, code, billed)
    assert english in Translator().say(failure.said)
    assert chinese in Translator("zh_CN", LOCALES).say(failure.said)


async def test_a_minute_s_quota_is_waited_for_and_a_day_s_until_midnight_on_the_coast(
    server: ScriptedServer, open_adapter: Open
) -> None:
    told = [error(429, "RESOURCE_EXHAUSTED", SPENT, quota(one), retry("34.5s"))
            for one in (MINUTE, DAY)]  # fmt: skip
    server.on(GEMINI.path, *(json_reply(one, 429) for one in told))
    adapter = open_adapter(GEMINI.connection(server.url))
    assert (await failing(adapter)).wait.seconds == 34.5
    wait = (await failing(adapter)).wait
    assert wait.seconds is None  # what it says of a day is never true
    assert wait.until == 1_800_000_000.0 + 24 * 3600  # 00:00 there, at this very moment


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-07-15T20:00:00+00:00", "2026-07-16T07:00:00+00:00"),
        ("2026-12-15T07:59:00+00:00", "2026-12-15T08:00:00+00:00"),
        ("2026-03-08T09:00:00+00:00", "2026-03-09T07:00:00+00:00"),
    ],
    ids=["summer", "winter", "the night in between"],
)
def test_a_day_ends_at_midnight_on_the_coast(now: str, until: str) -> None:
    at = datetime.fromisoformat(now).timestamp()
    assert profile.next_day(at) == datetime.fromisoformat(until).timestamp()
