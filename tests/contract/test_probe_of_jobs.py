"""The test of a connection to a provider of jobs: it finds what the test of every other finds, and
buys nothing."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.text import Translator
from desktop_app.settings.paths import resources_dir
from tests.contract.cases import COMFY, JOB_FILES, KEY, Case
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply
from tests.helpers.comfy_server import NODES

ENGLISH = Translator()
CHINESE = Translator("zh_CN", resources_dir() / "locale")
TASKS = ("/api/v1/tasks", {"total": 0, "data": [], "request_id": "q"}, 200)
FAL_PATH = "/fal-ai/flux/requests/00000000-0000-0000-0000-000000000000/status"
CHEAPEST: dict[str, tuple[str, Any, int]] = {
    "comfyui": ("/system_stats", {"system": {"comfyui_version": "0.3.64"}, "devices": []}, 200),
    "replicate": ("/v1/account", {"type": "user", "username": "u"}, 200),
    "fal": (FAL_PATH, {"detail": "Request not found"}, 404),
    "bfl": ("/v1/credits", {"credits": 12.5}, 200),
    "dashscope-wan": TASKS,
    "dashscope-qwen-image": TASKS,
}
MODELS: dict[str, tuple[str, Any]] = {
    "comfyui": ("/object_info", NODES),
    "replicate": ("/v1/models/black-forest-labs/flux-schnell", {"name": "flux-schnell"}),
}
BAD_KEY: dict[str, tuple[int, Any]] = {
    "comfyui": (401, {"error": "Unauthorized"}),
    "replicate": (401, {"title": "Unauthenticated", "detail": "You did not pass a token"}),
    "fal": (401, {"detail": "Cannot access application. Authentication is required"}),
    "bfl": (403, {"detail": "Not authenticated - Invalid Authentication"}),
    "dashscope-wan": (401, {"code": "InvalidApiKey", "message": "Invalid API-key provided."}),
    "dashscope-qwen-image": (401, {"code": "InvalidApiKey", "message": "Invalid API-key."}),
}


@pytest.fixture(params=[COMFY, *JOB_FILES], ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Any:
    """Each in turn."""
    return request.param


def serve(case: Case, server: ScriptedServer, at: str, headers: dict[str, str]) -> None:
    """Answer the cheapest call, and the one that finds the model, at this address."""
    path, found, status = CHEAPEST[case.name]
    server.on(f"{at}{path}", json_reply(found, status, headers))
    if case.name in MODELS:
        model_path, model = MODELS[case.name]
        server.on(f"{at}{model_path}", json_reply(model))


async def test_all_that_a_test_can_find_is_found(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    at = "http://provider.example"
    headers = {
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "59",
        "date": "Fri, 15 Jan 2027 07:50:00 GMT",
    }
    serve(case, server, at, headers)
    price = Price(Decimal("0.04"), PriceUnit.IMAGE, "USD")
    adapter = open_adapter(case.connection(at, proxy=server.url, price=price))
    report = await adapter.test()
    said = " ".join(map(ENGLISH.say, report.said))
    assert report.ok, said
    for sentence in (
        "The key works.",
        "The server has all" if case is COMFY else case.model,
        "It tells its limit: 60 requests, 59 of them left.",
        "The price entered: 0.04 USD/image.",
        "This computer's clock is 10 minutes ahead of the server's",
        f"Through the proxy {server.url}.",
    ):
        assert sentence in said
    assert "填写的价格：0.04 USD/张。" in " ".join(map(CHINESE.say, report.said))
    assert {seen.method for seen in server.seen} == {"GET"}
    assert all(case.key_in(seen.headers) == KEY for seen in server.seen)
    assert KEY not in json.dumps([said, list(report.models)])


async def test_what_can_not_be_found_is_said_too(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    at = "http://provider.example"
    serve(case, server, at, {})
    report = await open_adapter(case.connection(at, proxy=server.url)).test()
    said = " ".join(map(ENGLISH.say, report.said))
    assert report.ok, said
    assert "It tells no limits in its answer." in said
    assert "No price is entered" in said


async def test_a_key_that_is_refused(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    status, found = BAD_KEY[case.name]
    server.on(CHEAPEST[case.name][0], json_reply(found, status))
    report = await open_adapter(case.connection(server.url)).test()
    assert not report.ok
    assert "refused the key" in " ".join(map(ENGLISH.say, report.said))


@pytest.mark.parametrize(
    "reply", [Reply(200, b"<html>Sign in to the hotel's network</html>"), Reply(drop=True)]
)
async def test_a_page_and_a_silence_are_no_provider(
    case: Case, server: ScriptedServer, open_adapter: Open, reply: Reply
) -> None:
    server.on(CHEAPEST[case.name][0], reply)
    report = await open_adapter(case.connection(server.url)).test()
    assert not report.ok
    said = " ".join(map(ENGLISH.say, report.said))
    assert "The key works" not in said
    assert "billed" not in said
    assert ("answered with a web page" in said) is not reply.drop
    assert ("Asking costs nothing" in said) is reply.drop
