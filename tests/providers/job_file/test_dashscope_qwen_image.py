"""DashScope's recorded answers where it answers at once (Qwen-Image)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import Answer
from desktop_app.domain.references import Reference
from tests.contract.cases import PNG, call
from tests.contract.server import Reply, json_reply
from tests.providers.job_file.desk import (
    BAD_KEY,
    EMPTY,
    NO_MONEY,
    SLOW,
    Desk,
    Row,
    at_desk,
    check,
    invalid,
    refused,
    server_error,
    showing,
)

SUBMIT = "/api/v1/services/aigc/multimodal-generation/generation"
INPUT = "Input data may contain inappropriate content."
FREE: dict[str, Any] = {"billed": False}
STANDING = "Access denied, please make sure your account is in good standing."
ASYNC = "current user api does not support asynchronous calls."
UNREADABLE = (
    "The answer of HOST can't be read. It was probably billed.",
    "HOST 的返回内容无法解析。很可能已计费。",
)


def said(code: str, message: str) -> dict[str, Any]:
    return {"request_id": "q", "code": code, "message": message}


def made(*urls: str) -> dict[str, Any]:
    content = [{"image": url} for url in urls]
    return {
        "output": {
            "choices": [
                {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
            ]
        },
        "usage": {"image_count": len(urls), "width": 1328, "height": 1328},
        "request_id": "q",
    }


SIZE = said("InvalidParameter", "Size not supported")

ROWS = [
    Row("submit", 400, said("Arrearage", STANDING), F.ACCOUNT, "Arrearage", NO_MONEY, **FREE),
    Row(
        "submit",
        400,
        said("DataInspectionFailed", INPUT),
        F.REFUSED,
        "DataInspectionFailed",
        refused(INPUT),
        **FREE,
    ),
    Row("submit", 401, said("InvalidApiKey", "x"), F.ACCOUNT, "InvalidApiKey", BAD_KEY, **FREE),
    Row(
        "submit",
        403,
        said("AccessDenied", ASYNC),
        F.INVALID,
        "AccessDenied",
        invalid(ASYNC),
        **FREE,
    ),
    Row("submit", 429, said("Throttling", "x"), F.THROTTLED, "Throttling", SLOW, **FREE),
    Row("submit", 500, said("InternalError", "x"), F.TRANSIENT, "InternalError", server_error(500)),
    Row("submit", 200, SIZE, F.INVALID, "InvalidParameter", invalid("Size not supported")),
    Row("submit", 200, made(), F.REFUSED, "empty_result", EMPTY),
    Row("submit", 200, {"request_id": "q"}, F.UNKNOWN, "unreadable", UNREADABLE, billed=True),
]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with at_desk("dashscope-qwen-image", "/api/v1", "qwen-image", submit_path=SUBMIT) as one:
        yield one


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_each_answer(desk: Desk, row: Row) -> None:
    await check(desk, row)


async def test_what_is_sent_and_what_comes(desk: Desk) -> None:
    desk.server.on(SUBMIT, json_reply(made(f"{desk.server.url}/1.png")))
    desk.server.on("/1.png", Reply(200, PNG))
    answer = await desk.adapter.submit(call("一只猫", size="1328*1328", watermark=False))
    assert isinstance(answer, Answer)
    assert [content.data for content in answer.contents] == [PNG]
    assert answer.billed_images == 1
    assert desk.server.seen[0].json == {
        "model": "qwen-image",
        "input": {"messages": [{"role": "user", "content": [{"text": "一只猫"}]}]},
        "parameters": {"size": "1328*1328", "watermark": False},
    }
    assert "x-dashscope-async" not in desk.server.seen[0].headers
    assert not desk.adapter.capabilities.jobs


@pytest.mark.parametrize("count", ["1e999", "NaN", "-1", "true", '"two"'])
async def test_a_count_that_is_none_costs_no_picture(desk: Desk, count: str) -> None:
    reply = made(f"{desk.server.url}/1.png") | {"usage": {"image_count": "COUNT"}}
    body = json.dumps(reply).replace('"COUNT"', count).encode()
    desk.server.on(SUBMIT, Reply(200, body))
    desk.server.on("/1.png", Reply(200, PNG))
    answer = await desk.adapter.submit(call())
    assert isinstance(answer, Answer)
    assert (len(answer.contents), answer.billed_images) == (1, 1)
    json.dumps(answer.usage, allow_nan=False)


async def test_a_picture_that_is_shown_comes_before_the_prompt() -> None:
    async with at_desk("dashscope-qwen-image", "/api/v1", "qwen-image-edit") as desk:
        desk.server.on(SUBMIT, json_reply(made(f"{desk.server.url}/1.png")))
        desk.server.on("/1.png", Reply(200, PNG))
        url = "https://pictures.example/a.png"
        await desk.adapter.submit(showing("blue", Reference(url=url)))
        content = desk.server.seen[0].json["input"]["messages"][0]["content"]
        assert content == [{"image": url}, {"text": "blue"}]
