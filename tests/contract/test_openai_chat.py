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
from tests.contract.streams import delta
from tests.contract.streams import streamed as in_stretches
from tests.contract.streams import usage as count


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


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("preset", "counted", "flags"),
    [("ollama", 4096, ("half_read",)), ("ollama", 7000, ()), ("vllm", 4096, ())],
)
async def test_a_prompt_that_was_silently_cut_is_told(
    server: ScriptedServer,
    open_adapter: Open,
    preset: str,
    counted: int,
    flags: tuple[str, ...],
    streamed: bool,
) -> None:
    """Ollama leaves out what does not fit, and answers well."""
    usage = {"prompt_tokens": counted, "completion_tokens": 2, "total_tokens": counted + 2}
    told = json_reply({**answer("ok"), "usage": usage})
    if streamed:
        told = in_stretches(delta("ok", "stop"), count(counted, 2), "[DONE]")
    server.on(CHAT.path, told)
    adapter = open_adapter(CHAT.connection(server.url, preset=preset))
    found = await adapter.submit(call("Tell me of every shoe. " * 1000, system="Be brief. " * 40))
    assert found.flags == flags


async def test_length_and_other_model_are_flagged(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(CHAT.path, json_reply(answer("cut sho", "length", "tiny.gguf")))
    found = await open_adapter(CHAT.connection(server.url)).submit(call())
    assert found.flags == ("length", "other_model")


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
async def test_a_cut_is_known_in_every_gateways_word(
    server: ScriptedServer, open_adapter: Open, reason: str
) -> None:
    server.on(CHAT.path, json_reply(answer("cut sho", reason)))
    found = await open_adapter(CHAT.connection(server.url)).submit(call())
    assert found.flags == ("length",)


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
    server.on(CHAT.path, json_reply(answer("because\n</think>\n\n42")))
    found = await adapter.submit(call())
    assert (found.contents[0].text, found.usage["reasoning"]) == ("42", "because")
    for words in ("The tag </think> ends it.", "<b>\n<think>\n</think>\n"):
        server.on(CHAT.path, json_reply(answer(words)))
        assert (await adapter.submit(call())).contents[0].text == words
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
        (answer("because\n</think>\n"), F.REFUSED, "empty_result", "without a result"),
        (answer("half", "sensitive"), F.REFUSED, "sensitive", "content rules"),
        (answer("half", "SAFETY"), F.REFUSED, "safety", "content rules"),
        (answer("", "length"), F.INVALID, "length", "Raise max_tokens"),
        (answer("", "MAX_TOKENS"), F.INVALID, "length", "Raise max_tokens"),
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
        (
            {"success": False, "message": "no such token"},
            F.UNKNOWN,
            "hidden_error",
            "no such token",
        ),
        ({"code": 1302, "msg": "too often"}, F.UNKNOWN, "hidden_error", "too often"),
        ({"detail": "Insufficient balance"}, F.ACCOUNT, "insufficient_quota", "no money left"),
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


# --- JSON -------------------------------------------------------------------------------------

SCHEMA = '{"type": "object"}'


async def test_json_is_asked_for_in_words_that_the_server_knows(open_adapter: Open) -> None:
    unknown = open_adapter(CHAT.connection("http://127.0.0.1:1", params={"system": "Be brief."}))
    body = unknown.body_preview(Request("list shoes", {"json": SCHEMA}))
    assert body["response_format"] == {"type": "json_object"}
    assert body["messages"][0]["content"] == (
        f"Be brief.\n\nAnswer in JSON that fits this schema: {SCHEMA}"
    )
    assert "json" not in body
    local = open_adapter(CHAT.connection("http://127.0.0.1:1", preset="llamacpp"))
    body = local.body_preview(Request("list shoes", {"json": {"type": "object"}}))
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert [message["role"] for message in body["messages"]] == ["user"]
    body = local.body_preview(Request("list shoes", {"json": "object"}))
    assert body["messages"][0] == {"role": "system", "content": "Answer in JSON."}


@pytest.mark.parametrize(
    ("text", "reason", "flags"),
    [
        ('{"a": 1}', "stop", ()),
        ("Sure! Here it is", "stop", ("not_json",)),
        ('{"a": ', "length", ("length",)),
    ],
)
async def test_an_answer_that_is_not_the_json_asked_for_is_kept_and_flagged(
    server: ScriptedServer, open_adapter: Open, text: str, reason: str, flags: tuple[str, ...]
) -> None:
    server.on(CHAT.path, json_reply(answer(text, reason)))
    adapter = open_adapter(CHAT.connection(server.url))
    found = await adapter.submit(call(json="object"))
    assert (found.contents[0].text, found.flags) == (text, flags)
    assert found.contents[0].mime == ("text/plain" if flags else "application/json")
    found = await adapter.submit(call(json="object", save_as="md"))
    assert found.contents[0].mime == "text/markdown"
    found = await adapter.submit(call())
    assert "not_json" not in found.flags


async def test_a_wish_for_json_that_is_none_is_not_sent(
    server: ScriptedServer, open_adapter: Open
) -> None:
    adapter = open_adapter(CHAT.connection(server.url))
    made = call(json="{broken")
    failure = await failing(adapter, made)
    assert (failure.kind, failure.code, failure.sent) == (F.INVALID, "bad_schema", False)
    assert "neither" in Translator().say(failure.said)
    assert server.seen == []
    assert adapter.body_preview(made.request)["response_format"] == "{broken"


async def test_words_are_not_counted_from_a_server_that_counts_one_answer_of_several(
    server: ScriptedServer, open_adapter: Open
) -> None:
    adapter = open_adapter(CHAT.connection(server.url))
    two = [{"index": i, "message": {"content": "ha"}, "finish_reason": "stop"} for i in (0, 1)]
    found = {"choices": two, "usage": {"prompt_tokens": 9, "completion_tokens": 3}}
    llama = {"server": "llama.cpp"}
    server.on(
        CHAT.path,
        json_reply(found, headers=llama),
        json_reply({**found, "choices": two[:1]}, headers=llama),
        json_reply(found),
    )
    assert [(await adapter.submit(call(n=2))).tokens for _ in range(3)] == [None, 12, 12]


async def test_the_model_named_default_is_whichever_the_server_has(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(CHAT.path, json_reply(answer("a", model="tiny.gguf")))
    adapter = open_adapter(replace(CHAT.connection(server.url), model="default"))
    assert (await adapter.submit(call())).flags == ()


async def test_long_thinking_is_kept_at_length_and_marked_where_it_is_cut(
    server: ScriptedServer, open_adapter: Open
) -> None:
    adapter = open_adapter(CHAT.connection(server.url))
    server.on(CHAT.path, json_reply(answer("42", message={"reasoning": "a" * 20_000})))
    thinking = (await adapter.submit(call())).usage["reasoning"]
    assert (len(thinking), thinking[-2:]) == (16_000, "a…")
