"""A row may name a model of its own: it is asked in that model's way, on the connection's line."""

from __future__ import annotations

import json

import pytest

from desktop_app.domain.attempt import OTHER_MODEL
from desktop_app.domain.ports import Answer, RawAnswer, RereadingAdapter
from desktop_app.domain.task import Request
from desktop_app.providers.row_model import MODEL
from tests.contract.cases import CHAT, CLAUDE, GEMINI, IMAGES, Case, call
from tests.contract.conftest import Open
from tests.contract.server import ScriptedServer, json_reply

OTHERS = {"openai-images": "dall-e-3", "openai-chat": "gpt-5", "anthropic-messages": "claude-9"}


@pytest.fixture(params=(IMAGES, CHAT, CLAUDE), ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


async def test_each_row_asks_for_its_own_model(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    adapter, other = open_adapter(case.connection(server.url)), OTHERS[case.adapter]
    assert MODEL in {param.name for param in adapter.capabilities.params}
    server.on(case.path, json_reply(case.good))
    asked = [call("p", model=other), call("p"), call("p", model=" "), call("p", model=other)]
    for made in asked:
        await adapter.submit(made)
    assert [seen.json["model"] for seen in server.seen] == [other, case.model, case.model, other]
    for made, seen in zip(asked, server.seen, strict=True):
        assert adapter.body_preview(made.request) == seen.json


async def test_an_answer_is_judged_by_the_model_of_its_row(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    adapter, other = open_adapter(case.connection(server.url)), OTHERS[case.adapter]
    assert isinstance(adapter, RereadingAdapter)
    said = {**case.good, "model": other}
    server.on(case.path, json_reply(said))
    for model, flags in ((other, False), (None, True)):
        params = {"model": model}
        answer = await adapter.submit(call("p", model=model))
        assert isinstance(answer, Answer)
        assert (OTHER_MODEL in answer.flags) is flags
        raw = RawAnswer(200, {"content-type": "application/json"}, json.dumps(said).encode(), 1.0)
        again = await adapter.reread(Request("p", params), raw)
        assert isinstance(again, Answer)
        assert (OTHER_MODEL in again.flags) is flags


async def test_a_row_is_sent_what_its_model_takes(open_adapter: Open) -> None:
    adapter = open_adapter(IMAGES.connection("http://127.0.0.1:1"))
    given = {"quality": "high", "style": "vivid", "background": "opaque"}
    own = adapter.body_preview(Request("p", {**given, MODEL: "gpt-image-1"}))
    assert own == {
        "model": "gpt-image-1", "prompt": "p", "quality": "high", "background": "opaque"
    }  # fmt: skip
    assert adapter.body_preview(Request("p", {**given, MODEL: "dall-e-3"})).keys() == {
        "model", "prompt", "quality", "style", "response_format"
    }  # fmt: skip


async def test_where_the_address_names_the_model_it_is_the_row_s(
    server: ScriptedServer, open_adapter: Open
) -> None:
    adapter = open_adapter(GEMINI.connection(server.url))
    path = GEMINI.path.replace(GEMINI.model, "gemini-9")
    server.on(path, json_reply(GEMINI.good))
    await adapter.submit(call("p", model="gemini-9"))
    (seen,) = server.seen
    assert "gemini-9" in seen.target
    assert "gemini-9" not in json.dumps(seen.json)


async def test_many_models_are_not_all_remembered(open_adapter: Open) -> None:
    adapter = open_adapter(CHAT.connection("http://127.0.0.1:1"))
    for n in range(100):
        assert adapter.body_preview(Request("p", {MODEL: f"m{n}"}))["model"] == f"m{n}"
    assert len(adapter._others) <= 32  # type: ignore[attr-defined]
