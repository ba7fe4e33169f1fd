"""What only the text adapter does: messages, lengths, reasons to stop, and thinking kept apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from tests.contract.cases import CHAT, call, failing
from tests.contract.conftest import Open
from tests.contract.server import ScriptedServer, json_reply


def answer(content: Any, reason: str = "stop", model: str = "m-1", **more: Any) -> Any:
    said = {"role": "assistant", "content": content, **more.pop("message", {})}
    return {"model": model, "choices": [{"message": said, "finish_reason": reason, **more}]}


async def test_messages_and_parameters(open_adapter: Open) -> None:
    adapter = open_adapter(CHAT.connection("http://127.0.0.1:1", params={"system": "Be brief."}))
    made = adapter.body_preview(
        Request("hi", {"temperature": 0.2, "max_tokens": 50, "save_as": "md", "top_p": None})
    )
    assert made == {
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
        ],
        "temperature": 0.2,
        "max_tokens": 50,
    }
    newer = open_adapter(replace(CHAT.connection("http://127.0.0.1:1"), model="gpt-5-mini"))
    made = newer.body_preview(Request("hi", {"max_tokens": 50}))
    assert made["max_completion_tokens"] == 50
    assert "max_tokens" not in made
    assert [m["role"] for m in made["messages"]] == ["user"]


async def test_the_text_is_kept_as_it_is(server: ScriptedServer, open_adapter: Open) -> None:
    adapter = open_adapter(CHAT.connection(server.url))
    server.on(CHAT.path, json_reply({**answer("  # T\n\n你好 \n"), "usage": {
        "prompt_tokens": 5, "completion_tokens": 6}}))  # fmt: skip
    found = await adapter.submit(call(save_as="md"))
    assert found.contents[0].text == "  # T\n\n你好 \n"
    assert found.contents[0].data == "  # T\n\n你好 \n".encode()
    assert found.contents[0].mime == "text/markdown"
    assert found.tokens == 11
    assert found.flags == ()
    server.on(CHAT.path, json_reply(answer([{"type": "text", "text": "a"}, {"text": "b"}, "x"])))
    found = await adapter.submit(call())
    assert (found.contents[0].text, found.contents[0].mime) == ("ab", "text/plain")
    assert found.tokens is None


async def test_length_and_other_model_are_flagged(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(CHAT.path, json_reply(answer("cut sho", "length", "tiny.gguf")))
    found = await open_adapter(CHAT.connection(server.url)).submit(call())
    assert found.flags == ("length", "other_model")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_thinking_is_kept_apart(
    server: ScriptedServer, open_adapter: Open, name: str
) -> None:
    adapter = open_adapter(CHAT.connection(server.url))
    server.on(CHAT.path, json_reply(answer("42", message={name: "because"})))
    found = await adapter.submit(call())
    assert (found.contents[0].text, found.usage["reasoning"]) == ("42", "because")
    server.on(CHAT.path, json_reply(answer("<think>\nbecause\n</think>\n\n42")))
    found = await adapter.submit(call())
    assert (found.contents[0].text, found.usage["reasoning"]) == ("42", "because")
    server.on(CHAT.path, json_reply(answer("say <think>x</think>")))
    assert (await adapter.submit(call())).contents[0].text == "say <think>x</think>"


@pytest.mark.parametrize(
    ("found", "kind", "code", "sentence"),
    [
        (answer("half", "content_filter"), F.REFUSED, "content_filter", "content rules"),
        (answer(None, message={"refusal": "I can't"}), F.REFUSED, "refusal", "said: I can't"),
        (answer(""), F.REFUSED, "empty_result", "Refused by the provider"),
        (answer(" \n "), F.REFUSED, "empty_result", "without a result"),
        (answer("<think>only thoughts</think>"), F.REFUSED, "empty_result", "without a result"),
        (answer(None), F.REFUSED, "empty_result", "without a result"),
        (answer("", "length"), F.INVALID, "length", "Raise max_tokens"),
        (answer("ha", "error"), F.UNKNOWN, "error", "may have been billed"),
        (answer("ha", "insufficient_system_resource"), F.UNKNOWN, None, "may have been billed"),
        (
            answer("", "error", error={"code": 429, "message": "upstream"}),
            F.THROTTLED,
            None,
            "slow down",
        ),
        ({"choices": None}, F.REFUSED, "empty_result", "without a result"),
        ({"choices": ["x"]}, F.REFUSED, "empty_result", "without a result"),
        ({"object": "x"}, F.UNKNOWN, "unreadable", "can't be read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_200_that_is_no_answer(
    server: ScriptedServer, open_adapter: Open, found: Any, kind: F, code: str | None, sentence: str
) -> None:
    server.on(CHAT.path, json_reply(found))
    failure = await failing(open_adapter(CHAT.connection(server.url)))
    assert failure.kind is kind
    assert code in (None, failure.code)
    assert sentence in Translator().say(failure.said)
    assert failure.http_status == 200


async def test_an_error_line_of_a_stream_is_unreadable(
    server: ScriptedServer, open_adapter: Open
) -> None:
    reply = json_reply({})
    reply.body = b'{"message":{"content":"half"}}\n{"error":"it broke"}\n'
    server.on(CHAT.path, reply)
    failure = await failing(open_adapter(CHAT.connection(server.url)))
    assert (failure.kind, failure.code) == (F.UNKNOWN, "unreadable")
