"""A chat that comes word by word is the same answer, or the same failure, as one in one piece; and
of one that breaks off nothing is taken for a result, or lost."""

from __future__ import annotations

import asyncio
import gzip
import json
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import Preview, RawAnswer, RereadingAdapter
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from desktop_app.providers import chat_fold
from tests.contract.cases import CHAT, KEY, call, failing
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply
from tests.contract.streams import chunked, cut, delta, events, open_ended, streamed, usage

DONE = "[DONE]"
STOP = delta("", "stop")


@pytest.fixture
def adapter(open_adapter: Open, server: ScriptedServer) -> Any:
    return open_adapter(CHAT.connection(server.url, params={"stream": True}))


async def test_words_become_the_answer_they_make(adapter: Any, server: ScriptedServer) -> None:
    server.on(CHAT.path, streamed(
        b": OPENROUTER PROCESSING\n\n", delta("", role="assistant"), delta("  你"), b"\n\n",
        delta("好, Ant"), delta("wort\n"), delta(reason="stop"), usage(3, 4), DONE,
        headers={"x-request-id": "req-7"}))  # fmt: skip
    found = await adapter.submit(call())
    assert found.contents[0].text == "  你好, Antwort\n"
    assert found.contents[0].data == "  你好, Antwort\n".encode()
    assert (found.tokens, found.flags, found.request_id) == (7, (), "req-7")
    assert server.seen[0].json["stream"] is True


async def test_a_server_that_says_all_in_one_event_is_heard(
    adapter: Any, server: ScriptedServer
) -> None:
    server.on(CHAT.path, streamed(CHAT.good, DONE))
    found = await adapter.submit(call())
    assert (found.contents[0].data, found.tokens) == (CHAT.result, 7)


async def test_an_emoji_that_comes_in_two_halves_is_whole(
    adapter: Any, server: ScriptedServer
) -> None:
    # As servers write it that count in UTF-16; one that ends in a half is told so.
    halves = [json.dumps(delta(words)) for words in ("a\ud83d", "\ude00b\ud83d")]
    server.on(CHAT.path, streamed(*halves, STOP, DONE))
    made = call()
    found = await adapter.submit(made)
    assert found.contents[0].text == "a\U0001f600b\ufffd"
    assert made.peek is not None
    assert made.peek().text == "a\U0001f600b\ufffd"


async def test_several_answers_come_interleaved(adapter: Any, server: ScriptedServer) -> None:
    server.on(CHAT.path, streamed(
        delta("b1", index=1), delta("a1"), delta("b2", index=1), delta("a2"),
        delta(reason="stop"), delta(reason="length", index=1), DONE))  # fmt: skip
    found = await adapter.submit(call(n=2))
    assert [content.text for content in found.contents] == ["a1a2", "b1b2"]
    assert found.flags == ("length",)


async def test_one_of_several_that_was_filtered_leaves_the_others(
    adapter: Any, server: ScriptedServer
) -> None:
    server.on(CHAT.path, streamed(
        delta("a"), delta("b", index=1), delta(reason="stop"),
        delta(reason="content_filter", index=1), DONE))  # fmt: skip
    found = await adapter.submit(call(n=2))
    assert ([content.text for content in found.contents], found.flags) == (["a"], ("partial",))


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_thinking_is_kept_apart(adapter: Any, server: ScriptedServer, name: str) -> None:
    server.on(CHAT.path, streamed(
        delta(**{name: "be"}), delta(**{name: "cause"}), delta("42"), STOP, DONE))  # fmt: skip
    found = await adapter.submit(call())
    assert (found.contents[0].text, found.usage["reasoning"]) == ("42", "because")
    server.on(CHAT.path, streamed(
        delta("<thi"), delta("nk>because</th"), delta("ink>\n42"), STOP, DONE))  # fmt: skip
    found = await adapter.submit(call())
    assert (found.contents[0].text, found.usage["reasoning"]) == ("42", "because")


@pytest.mark.parametrize(
    ("found", "tokens"),
    [
        ([usage(3, 4)], 7),
        ([{"choices": [], "timings": {"prompt_n": 5, "cache_n": 2, "predicted_n": 3}}], 10),
        ([{"choices": [], "timings": {"prompt_n": "x"}}], None),
        ([], None),
    ],
    ids=["usage", "llama.cpp", "nonsense", "none"],
)
async def test_tokens_are_what_the_stream_counted(
    adapter: Any, server: ScriptedServer, found: list[Any], tokens: int | None
) -> None:
    server.on(CHAT.path, streamed(delta("a"), STOP, *found, DONE))
    assert (await adapter.submit(call())).tokens == tokens


@pytest.mark.parametrize(
    ("chunks", "kind", "code", "sentence"),
    [
        ([delta("ha", "content_filter")], F.REFUSED, "content_filter", "content rules"),
        ([delta(refusal="I "), delta("", "stop", refusal="can't")], F.REFUSED, "refusal",
         "said: I can't"),
        ([delta("", "length")], F.INVALID, "length", "Raise max_tokens"),
        ([delta("ha"), delta("", "insufficient_system_resource")], F.UNKNOWN,
         "insufficient_system_resource", "may have been billed"),
        ([STOP], F.REFUSED, "empty_result", "without a result"),
        ([], F.REFUSED, "empty_result", "without a result"),
        ([{"choices": [], "prompt_filter_results": [1]}], F.REFUSED, "empty_result", "without"),
    ],
    ids=["filter", "refusal", "length", "resource", "empty", "nothing", "no-choices"],
)  # fmt: skip
async def test_a_whole_stream_that_is_no_answer(
    adapter: Any, server: ScriptedServer, chunks: list[Any], kind: F, code: str, sentence: str
) -> None:
    server.on(CHAT.path, streamed(*chunks, DONE))
    failure = await failing(adapter)
    assert (failure.kind, failure.code) == (kind, code)
    assert sentence in Translator().say(failure.said)


# --- broken off -------------------------------------------------------------------------------

BROKEN = [
    ("no-end", streamed(delta("half an ans")), "cut_body"),
    ("no-end-after-the-reason", streamed(delta("half an ans"), STOP), "cut_body"),
    ("line-broke-after-the-reason", cut(streamed(delta("half an ans"), STOP)), "cut_body"),
    ("done-without-reason", streamed(delta("half an ans"), DONE), "cut_body"),
    ("one-of-two", streamed(delta("half an ans"), delta(reason="stop"), delta("b", index=1), DONE),
     "cut_body"),
    ("line-broke", cut(streamed(delta("half an ans"))), "cut_body"),
    ("in-a-character", cut(chunked([events(delta("half an ans")) + b'data: {"\xe4\xbd'])),
     "cut_body"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "code"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
async def test_a_cut_stream_is_unknown_billed_and_its_words_are_kept(
    adapter: Any, server: ScriptedServer, reply: Reply, code: str
) -> None:
    server.on(CHAT.path, reply)
    failure = await failing(adapter)
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, code, True)
    assert failure.body.startswith("half an ans")
    assert "data:" not in failure.body
    assert len(server.seen) == 1


async def test_the_words_of_a_cut_stream_are_kept_at_length_and_hold_no_key(
    adapter: Any, server: ScriptedServer
) -> None:
    server.on(CHAT.path, streamed(delta(KEY), delta("x" * 30_000)))
    failure = await failing(adapter)
    assert KEY not in failure.body
    assert len(failure.body) > 30_000


async def test_a_silence_in_the_middle_is_unknown(
    adapter: Any, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_fold, "IDLE_S", 0.1)
    server.on(CHAT.path, open_ended(streamed(delta("half"))))
    failure = await failing(adapter)
    assert (failure.kind, failure.code) == (F.UNKNOWN, "fell_silent")
    assert (failure.billed, failure.timeout, failure.body) == (True, True, "half")
    assert "0.1 s" in Translator().say(failure.said)


async def test_before_its_first_word_a_model_may_think(
    adapter: Any, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_fold, "IDLE_S", 0.05)
    server.on(CHAT.path, open_ended(streamed(delta("", role="assistant"))))
    failure = await failing(adapter, call(timeout_s=0.4))
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "read_timeout", None)


async def test_who_never_ends_meets_the_deadline_of_the_whole(
    adapter: Any, server: ScriptedServer
) -> None:
    word = events(delta("la "))
    server.on(CHAT.path, chunked([word], ends=False, drip=b"%x\r\n%s\r\n" % (len(word), word)))
    failure = await failing(adapter, call(timeout_s=0.3))
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "read_timeout", True)
    assert failure.body.startswith("la la ")


async def test_a_stream_too_large_is_not_taken_and_its_words_are_kept(
    open_adapter: Open, server: ScriptedServer
) -> None:
    made = CHAT.connection(server.url, params={"stream": True})
    adapter = open_adapter(made, answer_bytes=2000)
    server.on(CHAT.path, chunked([events(delta("so far ")), events(*[delta("x")] * 100)]))
    failure = await failing(adapter)
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "too_large", True)


# --- errors inside ----------------------------------------------------------------------------

SLOW = {"error": {"code": 429, "message": "Rate limit exceeded"}}
UPSTREAM = {"error": {"code": 502, "message": "Provider disconnected"}}


@pytest.mark.parametrize(
    ("found", "kind", "code"),
    [
        ([SLOW], F.THROTTLED, None),
        ([UPSTREAM, DONE], F.TRANSIENT, None),
        ([{"error": {"code": "content_filter", "message": "no"}}], F.REFUSED, "content_filter"),
        ([{"error": {"message": "it broke"}}], F.UNKNOWN, None),
        ([{"code": "Throttling.RateQuota", "message": "slow"}], F.THROTTLED, None),
        ([delta("", role="assistant"), UPSTREAM], F.TRANSIENT, None),
        ([b'{"error": {"code": 429, "message": "as a bare line"}}\n'], F.THROTTLED, None),
        ([b"event: error\n", UPSTREAM], F.TRANSIENT, None),
    ],
    ids=["429", "502", "filter", "vague", "dashscope", "after-the-role", "bare", "named"],
)
async def test_an_error_before_the_first_word_is_what_it_says(
    adapter: Any, server: ScriptedServer, found: list[Any], kind: F, code: str | None
) -> None:
    server.on(CHAT.path, streamed(*found))
    failure = await failing(adapter)
    assert failure.kind is kind
    assert code in (None, failure.code)


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (SLOW, F.UNKNOWN),
        (UPSTREAM, F.UNKNOWN),
        ({"error": {"code": 402, "message": "no credits"}}, F.UNKNOWN),
        ({**delta("", "error"), "error": UPSTREAM["error"]}, F.UNKNOWN),
        ({"error": "it broke"}, F.UNKNOWN),
        ({"error": {"code": "content_filter", "message": "no"}}, F.REFUSED),
        ({"error": {"code": 400, "type": "exceed_context_size_error", "message": "x"}}, F.INVALID),
    ],
    ids=["429", "502", "402", "openrouter", "ollama", "filter", "context"],
)
async def test_an_error_after_words_may_have_been_billed(
    adapter: Any, server: ScriptedServer, found: Any, kind: F
) -> None:
    server.on(CHAT.path, streamed(delta("half an "), delta("answer"), found, DONE))
    failure = await failing(adapter)
    assert (failure.kind, failure.billed) == (kind, None)
    assert failure.body.startswith("half an answer\n\n")
    assert "{" in failure.body or "it broke" in failure.body


async def test_an_error_announced_as_a_stream_is_read(adapter: Any, server: ScriptedServer) -> None:
    body = b'{\n  "error": {"code": 429, "message": "slow down"}\n}'
    server.on(CHAT.path, Reply(200, body, {"content-type": "text/event-stream"}))
    assert (await failing(adapter)).kind is F.THROTTLED
    server.on(CHAT.path, Reply(400, body, {"content-type": "text/event-stream"}))
    assert (await failing(adapter)).kind is not F.UNKNOWN


# --- how it comes -----------------------------------------------------------------------------


async def test_a_server_that_does_not_stream_is_understood(
    adapter: Any, server: ScriptedServer
) -> None:
    server.on(CHAT.path, json_reply(CHAT.good))
    assert (await adapter.submit(call())).contents[0].data == CHAT.result


async def test_a_stream_nobody_asked_for_is_understood(
    open_adapter: Open, server: ScriptedServer
) -> None:
    reply = streamed(delta("42"), STOP, DONE)
    server.on(CHAT.path, reply, replace(reply, headers={"transfer-encoding": "chunked"}))
    adapter = open_adapter(CHAT.connection(server.url))
    for _ in range(2):
        assert (await adapter.submit(call())).contents[0].text == "42"
    assert "stream" not in server.seen[0].json


async def test_a_stream_may_be_packed(adapter: Any, server: ScriptedServer) -> None:
    packed = gzip.compress(events(delta("42"), STOP, DONE))
    server.on(CHAT.path, chunked([packed[:9], packed[9:]], headers={"content-encoding": "gzip"}))
    assert (await adapter.submit(call())).contents[0].text == "42"


async def test_the_last_event_needs_no_blank_line(adapter: Any, server: ScriptedServer) -> None:
    server.on(CHAT.path, chunked([events(delta("42"), STOP) + b"data: [DONE]"]))
    assert (await adapter.submit(call())).contents[0].text == "42"


async def test_a_line_that_stays_open_or_breaks_after_the_end_loses_nothing(
    adapter: Any, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from desktop_app.providers.http import sse

    monkeypatch.setattr(sse, "FAREWELL_S", 0.05)
    whole = streamed(delta("42"), STOP, DONE)
    server.on(CHAT.path, open_ended(whole), cut(whole))
    heard: list[RawAnswer] = []
    for _ in range(2):
        made = call(timeout_s=3600)
        made.on_whole = heard.append
        found = await asyncio.wait_for(adapter.submit(made), 30)
        assert found.contents[0].text == "42"
    assert len(heard) == 2


async def test_a_whole_stream_is_put_aside_and_says_the_same_again(
    adapter: Any, server: ScriptedServer, open_adapter: Open
) -> None:
    reader = open_adapter(CHAT.connection(server.url), None)
    assert isinstance(reader, RereadingAdapter)
    heard: list[RawAnswer] = []
    made = call()
    made.on_whole = heard.append
    server.on(CHAT.path, streamed(delta("4"), delta("2"), STOP, usage(1, 2), DONE))
    answer = await adapter.submit(made)
    assert await reader.reread(Request("p", {}, {}), heard[0]) == answer
    made = call()
    made.on_whole = heard.append
    server.on(CHAT.path, streamed(delta("half")))
    first = await failing(adapter, made)
    with pytest.raises(ProviderFailure) as again:
        await reader.reread(Request("p", {}, {}), heard[1])
    assert again.value.failure == first


async def test_a_long_stream_is_the_same_again(
    adapter: Any, server: ScriptedServer, open_adapter: Open
) -> None:
    heard: list[RawAnswer] = []
    made = call()
    made.on_whole = heard.append
    words = [delta(f"word {n} ") for n in range(3000)]
    server.on(CHAT.path, streamed(*words, STOP, DONE))
    answer = await adapter.submit(made)
    assert answer.contents[0].text is not None
    assert answer.contents[0].text.endswith("word 2999 ")
    reader: Any = open_adapter(CHAT.connection(server.url), None)
    assert await reader.reread(Request("p", {}, {}), heard[0]) == answer


# --- what may be looked at meanwhile ----------------------------------------------------------


async def test_what_came_so_far_can_be_looked_at(adapter: Any, server: ScriptedServer) -> None:
    made = call()
    parts = [delta(reasoning_content=f"hm {KEY}"), delta("half an "), delta("answer")]
    server.on(CHAT.path, open_ended(streamed(*parts)))
    going = asyncio.create_task(adapter.submit(made))
    while made.peek is None or made.peek().text != "half an answer":  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    assert made.peek() == Preview("half an answer", "hm [key]")
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going


# --- what is asked for ------------------------------------------------------------------------

HOSTS = {
    "https://api.openai.com/v1": {"include_usage": True},
    "https://api.deepseek.com/v1": {"include_usage": True},
    "https://openrouter.ai/api/v1": {"include_usage": True},
    "https://dashscope.aliyuncs.com/compatible-mode/v1": {"include_usage": True},
    "https://ark.cn-beijing.volces.com/api/v3": {"include_usage": True},
    "https://gateway.example/v1": None,
}


@pytest.mark.parametrize(("url", "options"), HOSTS.items())
async def test_who_counts_in_a_stream_is_streamed(
    open_adapter: Open, url: str, options: Any
) -> None:
    connection = replace(CHAT.connection("http://x"), base_url=url, model="m-1")
    body = open_adapter(connection).body_preview(Request("p"))
    assert body.get("stream_options") == options
    assert body.get("stream", False) is (options is not None)
    for said, streams in ((True, True), (False, False)):
        body = open_adapter(connection).body_preview(Request("p", {"stream": said}))
        assert body.get("stream", False) is streams
        assert body.get("stream_options") == (options if streams else None)


@pytest.mark.parametrize("preset", ["ollama", "llamacpp", "litellm", "vllm"])
async def test_known_servers_are_streamed_wherever_they_run(
    open_adapter: Open, preset: str
) -> None:
    connection = CHAT.connection("http://127.0.0.1:1", preset=preset)
    assert open_adapter(connection).body_preview(Request("p"))["stream"] is True


@pytest.mark.parametrize("model", ["gpt-5-mini", "o3", "o4-mini", "ft:gpt-5-mini:acme"])
async def test_openai_s_reasoning_models_are_streamed_only_on_request(
    open_adapter: Open, model: str
) -> None:
    url = "https://api.openai.com/v1"
    connection = replace(CHAT.connection("http://x"), base_url=url, model=model)
    assert "stream" not in open_adapter(connection).body_preview(Request("p"))
    assert open_adapter(connection).body_preview(Request("p", {"stream": True}))["stream"]
    plain = replace(connection, model="gpt-4o-mini")
    assert open_adapter(plain).body_preview(Request("p"))["stream"] is True
