"""Every adapter that streams: an answer is whole with the last word of its protocol, not before,
whatever it says of itself; where the protocol has none, with what nothing more can change."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import RawAnswer
from desktop_app.domain.task import Request
from desktop_app.providers import chat_fold, picture_fold
from desktop_app.providers.anthropic import fold as anthropic_fold
from desktop_app.providers.gemini import fold as gemini_fold
from desktop_app.providers.http import sse
from desktop_app.providers.registry import AdapterRegistry
from tests.contract.cases import CHAT, CLAUDE, GEMINI, IMAGES, PNG, Case, call, failing
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer
from tests.contract.streams import chunked, cut, delta, events, open_ended, usage


def said(text: str, reason: str | None = None, index: int = 0) -> dict[str, Any]:
    """One stretch of Google's."""
    ended = {"finishReason": reason} if reason else {}
    content = {"parts": [{"text": text}]} if text else {}
    return {"candidates": [{"index": index, "content": content, **ended}]}


def block(kind: str, **more: Any) -> dict[str, Any]:
    """One event of Anthropic's first block."""
    return {"type": f"content_block_{kind}", "index": 0, **more}


def words(text: str) -> dict[str, Any]:
    """Some words of it."""
    return block("delta", delta={"type": "text_delta", "text": text})


@dataclass(frozen=True, slots=True)
class Streamed:
    """How ``case`` streams: ``begun`` is half of an answer, ``rest`` all that is still to be said
    of it, ``end`` what makes it whole, ``after`` what may still come. ``kept`` is what there is to
    read of it without its end, ``half`` of its first half; None of a picture."""

    case: Case
    begun: tuple[Any, ...]
    rest: tuple[Any, ...]
    end: tuple[Any, ...]
    after: tuple[Any, ...]
    result: bytes
    half: str | None
    kept: str | None
    tokens: int | None = None
    path: str = ""
    params: Mapping[str, Any] = field(default_factory=lambda: {"stream": True})

    @property
    def unended(self) -> bytes:
        """All of it but its end."""
        return events(*self.begun, *self.rest)

    @property
    def whole(self) -> bytes:
        """All of it, up to its end."""
        return self.unended + events(*self.end)

    def connection(self, server: ScriptedServer) -> Any:
        """One that asks for a stream."""
        return self.case.connection(server.url, params=self.params)

    def serve(self, server: ScriptedServer, reply: Reply) -> None:
        """Answer so."""
        server.on(self.path or self.case.path, reply)


TEXT = "你好, Antwort\n"
B64 = base64.b64encode(PNG).decode()
OF_CHAT = Streamed(
    CHAT,
    (delta("", role="assistant"), delta("你好")),
    (delta(", Antwort\n"), delta(reason="stop"), usage(3, 4)),
    ("[DONE]",),
    (),
    TEXT.encode(),
    "你好",
    TEXT,
    7,
)
OF_CLAUDE = Streamed(
    CLAUDE,
    (
        {"type": "message_start", "message": {"model": CLAUDE.model, "usage": {}}},
        block("start", content_block={"type": "text", "text": ""}),
        words("你好"),
    ),
    (
        words(", Antwort\n"),
        block("stop"),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
    ),
    ({"type": "message_stop"},),
    (),
    TEXT.encode(),
    "你好",
    TEXT,
)
OF_GEMINI = Streamed(
    GEMINI,
    (said("你好"),),
    (),
    (said(", Antwort\n", "STOP"),),
    ({"usageMetadata": {"totalTokenCount": 7}},),
    TEXT.encode(),
    "你好",
    "你好",
    path=f"/v1beta/models/{GEMINI.model}:streamGenerateContent",
    params={},
)
OF_IMAGES = Streamed(
    IMAGES,
    ({"type": "image_generation.partial_image", "b64_json": B64},),
    (),
    ({"type": "image_generation.completed", "b64_json": B64},),
    ("[DONE]",),
    PNG,
    None,
    None,
)
STREAMS = (OF_CHAT, OF_CLAUDE, OF_GEMINI, OF_IMAGES)


def closed(reply: Reply) -> Reply:
    """The same, and its line is closed in good order."""
    return reply


BREAKS = {"breaks": cut, "stays open": open_ended, "is closed": closed}


@pytest.fixture(params=STREAMS, ids=lambda streamed: streamed.case.name)
def streamed(request: pytest.FixtureRequest) -> Any:
    """Each in turn."""
    return request.param


@pytest.fixture(params=tuple(BREAKS))
def breaking(request: pytest.FixtureRequest) -> Any:
    """What becomes of the line."""
    return request.param


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No silence is waited for as long as in life."""
    for module in (chat_fold, anthropic_fold, gemini_fold, picture_fold):
        monkeypatch.setattr(module, "IDLE_S", 0.1)
        monkeypatch.setattr(module, "LAST_S", 0.1, raising=False)
    monkeypatch.setattr(sse, "FAREWELL_S", 0.1)


def test_every_adapter_that_streams_is_here() -> None:
    registry = AdapterRegistry()
    streaming = {name for name in registry.names() if registry.capabilities(name).stream}
    listed = {one.case.adapter for one in STREAMS}
    assert listed == streaming | {"openai-images"}


async def test_what_ended_is_a_result(
    streamed: Streamed, breaking: str, server: ScriptedServer, open_adapter: Open
) -> None:
    reply = chunked([streamed.whole], headers={"x-request-id": "req-7"})
    streamed.serve(server, BREAKS[breaking](reply))
    heard: list[RawAnswer] = []
    decoded: list[int] = []
    made = call()
    made.on_whole = heard.append
    made.on_receive = lambda: decoded.append(len(heard))
    answer: Any = await open_adapter(streamed.connection(server)).submit(made)
    assert [content.data for content in answer.contents] == [streamed.result]
    assert (answer.flags, answer.tokens, answer.request_id) == ((), streamed.tokens, "req-7")
    assert decoded == [1]  # put aside before it is decoded
    reader: Any = open_adapter(streamed.case.connection(server.url), None)
    assert await reader.reread(Request("p", {}, {}), heard[0]) == answer
    assert len(server.seen) == 1


@pytest.mark.parametrize("many", ["half", "all"])
async def test_what_lacks_its_end_is_none_and_its_words_are_kept(
    streamed: Streamed, many: str, breaking: str, server: ScriptedServer, open_adapter: Open
) -> None:
    """Not even where all has been said, with a reason to stop and a count."""
    body = events(*streamed.begun) if many == "half" else streamed.unended
    streamed.serve(server, BREAKS[breaking](chunked([body])))
    heard: list[RawAnswer] = []
    made = call()
    made.on_whole = heard.append
    failure = await failing(open_adapter(streamed.connection(server)), made)
    code = "fell_silent" if breaking == "stays open" else "cut_body"
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, code, True)
    assert (streamed.half if many == "half" else streamed.kept) in (None, failure.body)
    assert len(server.seen) == 1
    assert len(heard) == (breaking == "is closed")
    for raw in heard:
        reader: Any = open_adapter(streamed.case.connection(server.url), None)
        with pytest.raises(ProviderFailure) as again:
            await reader.reread(Request("p", {}, {}), raw)
        assert again.value.failure == failure


@pytest.mark.parametrize("breaking", ["breaks", "is closed"])
async def test_an_end_that_is_cut_itself_is_none(
    streamed: Streamed, breaking: str, server: ScriptedServer, open_adapter: Open
) -> None:
    streamed.serve(server, BREAKS[breaking](chunked([streamed.whole[:-6]])))
    failure = await failing(open_adapter(streamed.connection(server)))
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "cut_body", True)
    assert streamed.kept in (None, failure.body)


async def test_an_end_needs_no_blank_line(
    streamed: Streamed, breaking: str, server: ScriptedServer, open_adapter: Open
) -> None:
    streamed.serve(server, BREAKS[breaking](chunked([streamed.whole[:-2]])))
    answer: Any = await open_adapter(streamed.connection(server)).submit(call())
    assert [content.data for content in answer.contents] == [streamed.result]


async def test_what_comes_after_the_end_changes_nothing(
    streamed: Streamed, breaking: str, server: ScriptedServer, open_adapter: Open
) -> None:
    after = events(*(streamed.after or streamed.end))[:-6]
    streamed.serve(server, BREAKS[breaking](chunked([streamed.whole + after])))
    answer: Any = await open_adapter(streamed.connection(server)).submit(call())
    assert [content.data for content in answer.contents] == [streamed.result]


async def test_words_that_cant_be_read_are_not_left_out(
    streamed: Streamed, server: ScriptedServer, open_adapter: Open
) -> None:
    """The line stands and the end comes, but an event before it came broken."""
    lost, *rest = (*streamed.rest, *streamed.end)
    torn = json.dumps(lost)[: len(json.dumps(lost)) // 2]
    streamed.serve(server, chunked([events(*streamed.begun, torn, *rest, *streamed.after)]))
    failure = await failing(open_adapter(streamed.connection(server)))
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "cut_body", True)


@pytest.mark.parametrize("streamed", [OF_CHAT, OF_CLAUDE], ids=["chat", "claude"])
async def test_a_count_that_cant_be_read_before_the_end_is_let_go(
    streamed: Streamed, server: ScriptedServer, open_adapter: Open
) -> None:
    torn = events('{"id": "c-1", "us')
    streamed.serve(server, chunked([streamed.unended + torn + events(*streamed.end)]))
    answer: Any = await open_adapter(streamed.connection(server)).submit(call())
    assert [content.data for content in answer.contents] == [streamed.result]


@pytest.mark.parametrize("breaking", ["breaks", "stays open"])
async def test_a_stream_without_a_last_word_ends_with_the_last_that_was_asked_for(
    breaking: str, server: ScriptedServer, open_adapter: Open
) -> None:
    adapter = open_adapter(OF_GEMINI.connection(server))
    one, other = said("one", "STOP"), said("other", "STOP", 1)
    OF_GEMINI.serve(server, BREAKS[breaking](chunked([events(one)])))
    failure = await failing(adapter, call(n=2))
    assert (failure.kind, failure.body) == (F.UNKNOWN, "one")
    OF_GEMINI.serve(server, BREAKS[breaking](chunked([events(one, other)])))
    answer: Any = await adapter.submit(call(n=2))
    assert [content.text for content in answer.contents] == ["one", "other"]


SEVERAL = {
    "chat": (OF_CHAT, delta("one", "stop"), delta("other", "stop", 1)),
    "gemini": (OF_GEMINI, said("one", "STOP"), said("other", "STOP", 1)),
}


@pytest.mark.parametrize(("streamed", "one", "other"), SEVERAL.values(), ids=SEVERAL)
async def test_words_lost_between_several_answers_are_missed_on_rereading_too(
    streamed: Streamed, one: Any, other: Any, server: ScriptedServer, open_adapter: Open
) -> None:
    end = streamed.end if streamed is OF_CHAT else ()
    streamed.serve(server, chunked([events(one, '{"candidates": [', other, *end)]))
    heard: list[RawAnswer] = []
    made = call(n=2)
    made.on_whole = heard.append
    failure = await failing(open_adapter(streamed.connection(server)), made)
    assert (failure.kind, failure.code) == (F.UNKNOWN, "cut_body")
    reader: Any = open_adapter(streamed.case.connection(server.url), None)
    with pytest.raises(ProviderFailure) as again:
        await reader.reread(made.request, heard[0])
    assert again.value.failure == failure


@pytest.mark.parametrize("streamed", STREAMS[:-1], ids=["chat", "claude", "gemini"])
async def test_an_error_in_the_place_of_the_end_is_no_result(
    streamed: Streamed, breaking: str, server: ScriptedServer, open_adapter: Open
) -> None:
    error = {"type": "error", "error": {"type": "server_error", "message": "it broke"}}
    body = streamed.unended if streamed.rest else streamed.whole
    streamed.serve(server, BREAKS[breaking](chunked([body + events(error)])))
    failure = await failing(open_adapter(streamed.connection(server)))
    assert failure.kind is F.UNKNOWN
