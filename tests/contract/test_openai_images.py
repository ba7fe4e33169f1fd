"""What only the picture adapter does: its parameters, its two ways of answering, its vendors."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.task import Request
from tests.contract.cases import IMAGES, PNG, call, failing, png
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply

B64 = base64.b64encode(PNG).decode()
ARK = "https://ark.cn-beijing.volces.com/api/v3"


def body(open_adapter: Open, model: str, base: str = "http://127.0.0.1:1", **params: Any) -> Any:
    connection = replace(IMAGES.connection(""), base_url=base, model=model)
    return open_adapter(connection).body_preview(Request("p", params))


async def test_parameters_by_model(open_adapter: Open) -> None:
    gpt = body(
        open_adapter,
        "gpt-image-1",
        size="1024x1536",
        quality="low",
        background="transparent",
        output_format="webp",
        response_format="b64_json",
    )
    assert gpt == {
        "model": "gpt-image-1",
        "prompt": "p",
        "size": "1024x1536",
        "quality": "low",
        "background": "transparent",
        "output_format": "webp",
    }
    assert body(open_adapter, "dall-e-3")["response_format"] == "b64_json"
    assert body(open_adapter, "sd", response_format="url")["response_format"] == "url"


async def test_seedream_has_no_watermark_unless_wanted(open_adapter: Open) -> None:
    made = body(open_adapter, "doubao-seedream-4-5-251128", ARK, size="2K")
    assert made == {
        "model": "doubao-seedream-4-5-251128",
        "prompt": "p",
        "size": "2K",
        "watermark": False,
        "response_format": "b64_json",
    }
    connection = replace(IMAGES.connection(""), base_url=ARK, extra={"watermark": True})
    assert open_adapter(connection).body_preview(Request("p"))["watermark"] is True


async def test_several_pictures_and_usage(server: ScriptedServer, open_adapter: Open) -> None:
    other = png((9, 9))
    found = {
        "model": "gpt-image-1-2026",
        "data": [{"b64_json": B64}, {"b64_json": base64.b64encode(other).decode()}],
        "usage": {"total_tokens": 1056, "output_tokens": 1000},
    }
    server.on(IMAGES.path, json_reply(found, headers={"x-ratelimit-limit-requests": "5"}))
    answer = await open_adapter(IMAGES.connection(server.url)).submit(call())
    assert [content.data for content in answer.contents] == [PNG, other]
    assert answer.billed_images == 2
    assert answer.tokens == 1056
    assert answer.usage["output_tokens"] == 1000
    assert answer.news.limit_requests == 5
    assert answer.flags == ()


async def test_a_group_keeps_what_came(server: ScriptedServer, open_adapter: Open) -> None:
    failed = {"error": {"code": "OutputImageSensitiveContentDetected", "message": "no"}}
    adapter = open_adapter(IMAGES.connection(server.url))
    server.on(IMAGES.path, json_reply({"data": [failed, {"b64_json": B64}], "error": failed}))
    found = await adapter.submit(call())
    assert (len(found.contents), found.flags) == (1, ("partial",))
    server.on(IMAGES.path, json_reply({"data": [{"b64_json": B64}], **failed}))
    found = await adapter.submit(call())
    assert (len(found.contents), found.flags) == (1, ("partial",))
    server.on(IMAGES.path, json_reply({"data": [failed]}))
    failure = await failing(adapter)
    assert (failure.kind, failure.code) == (F.REFUSED, "OutputImageSensitiveContentDetected")


@pytest.mark.parametrize(
    ("found", "kind", "code"),
    [
        ({"created": 1}, F.UNKNOWN, "unreadable"),
        ({"data": None}, F.REFUSED, "empty_result"),
        ({"data": [{}]}, F.REFUSED, "empty_result"),
        (
            {"data": [{}], "error": {"code": "InvalidParameter", "message": "bad size"}},
            F.INVALID,
            "InvalidParameter",
        ),
        (
            {"data": [], "error": {"code": "AccessDenied", "message": "no"}},
            F.ACCOUNT,
            "AccessDenied",
        ),
        ({"data": [{"b64_json": "%%%"}]}, F.UNKNOWN, "unreadable"),
        (
            {"data": [{"b64_json": base64.b64encode(b"<svg/>").decode()}]},
            F.UNKNOWN,
            "not_a_picture",
        ),
        ({"data": [{"url": "javascript:x"}]}, F.UNKNOWN, "download_failed"),
    ],
    ids=["nothing", "null", "hollow", "hollow-error", "empty-error", "no-base64", "svg", "bad-url"],
)
async def test_a_200_without_a_picture(
    server: ScriptedServer, open_adapter: Open, found: Any, kind: F, code: str
) -> None:
    server.on(IMAGES.path, json_reply(found))
    failure = await failing(open_adapter(IMAGES.connection(server.url)))
    assert (failure.kind, failure.code, failure.http_status or 200) == (kind, code, 200)


async def test_a_path_is_one_on_the_providers_own_host(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(
        IMAGES.path,
        json_reply({"data": [{"url": "/out/a.png"}, {"url": f"DATA:image/png;base64,{B64}"}]}),
    )
    server.on("/out/a.png", Reply(200, PNG, {"content-type": "image/png"}))
    found = await open_adapter(IMAGES.connection(server.url)).submit(call())
    assert [one.data for one in found.contents] == [PNG, PNG]
    fetched = next(seen for seen in server.seen if seen.method == "GET")
    assert IMAGES.key_header not in fetched.headers


async def test_a_page_behind_the_url_is_no_picture(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(IMAGES.path, json_reply({"data": [{"url": f"{server.url}/x"}]}))
    server.on("/x", Reply(200, b"<html>Sign in</html>", {"content-type": "text/html"}))
    failure = await failing(open_adapter(IMAGES.connection(server.url)))
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "not_a_picture", True)


async def test_another_model_is_flagged(server: ScriptedServer, open_adapter: Open) -> None:
    server.on(IMAGES.path, json_reply({"model": "sd-turbo", "data": [{"b64_json": B64}]}))
    answer = await open_adapter(IMAGES.connection(server.url)).submit(call())
    assert answer.flags == ("other_model",)
