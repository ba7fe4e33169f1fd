"""Every adapter that streams: where the vendor has said that all is said, the answer is whole, also
where its line breaks or falls silent before the last word of the protocol."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import RawAnswer
from desktop_app.domain.task import Request
from desktop_app.providers import chat_fold, picture_fold
from desktop_app.providers.anthropic import fold as anthropic_fold
from desktop_app.providers.gemini import fold as gemini_fold
from desktop_app.providers.registry import AdapterRegistry
from tests.contract.cases import CHAT, CLAUDE, GEMINI, IMAGES, PNG, Case, call, failing
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer
from tests.contract.streams import chunked, cut, delta, events, open_ended, usage

ASKED = "n"


def said(text: str, reason: str | None = None, index: int = 0) -> dict[str, Any]:
    """One stretch of Google's."""
    ended = {"finishReason": reason} if reason else {}
    content = {"parts": [{"text": text}]} if text else {}
    return {"candidates": [{"index": index, "content": content, **ended}]}


@dataclass(frozen=True, slots=True)
class Streamed:
    """How ``case`` streams: ``begun`` is half of an answer, ``ended`` the rest of it, ``after``
    what would still have come. ``both``: of two results asked for the one that came."""

    case: Case
    begun: tuple[Any, ...]
    ended: tuple[Any, ...]
    after: tuple[Any, ...]
    result: bytes
    both: tuple[Any, ...] = ()
    path: str = ""
    params: Mapping[str, Any] = field(default_factory=lambda: {"stream": True})

    def connection(self, server: ScriptedServer) -> Any:
        """One that asks for a stream."""
        return self.case.connection(server.url, params=self.params)

    def serve(self, server: ScriptedServer, reply: Reply) -> None:
        """Answer so."""
        server.on(self.path or self.case.path, reply)


TEXT = "你好, Antwort\n".encode()
B64 = base64.b64encode(PNG).decode()
STREAMS = (
    Streamed(
        CHAT,
        (delta("", role="assistant"), delta("你好")),
        (delta(", Antwort\n"), delta(reason="stop")),
        (usage(3, 4), "[DONE]"),
        TEXT,
        (delta("one"), delta(reason="stop")),
    ),
    Streamed(
        CLAUDE,
        (
            {"type": "message_start", "message": {"model": CLAUDE.model, "usage": {}}},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": "你好"},
            },
        ),
        (
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": ", Antwort\n"},
            },
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        ),
        ({"type": "message_stop"},),
        TEXT,
    ),
    Streamed(
        GEMINI,
        (said("你好"),),
        (said(", Antwort\n", "STOP"),),
        ({"usageMetadata": {"totalTokenCount": 7}},),
        TEXT,
        (said("one", "STOP"),),
        f"/v1beta/models/{GEMINI.model}:streamGenerateContent",
        {},
    ),
    Streamed(
        IMAGES,
        ({"type": "image_generation.partial_image", "b64_json": B64},),
        ({"type": "image_generation.completed", "b64_json": B64},),
        ("[DONE]",),
        PNG,
    ),
)
BREAKS = {"breaks": cut, "stays open": open_ended}


@pytest.fixture(params=STREAMS, ids=lambda streamed: streamed.case.name)
def streamed(request: pytest.FixtureRequest) -> Any:
    """Each in turn."""
    return request.param


@pytest.fixture(params=tuple(BREAKS.values()), ids=tuple(BREAKS))
def breaking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """How the line ends too early: at once, or by a silence that is too long."""
    for module in (chat_fold, anthropic_fold, gemini_fold, picture_fold):
        monkeypatch.setattr(module, "IDLE_S", 0.1)
        monkeypatch.setattr(module, "LAST_S", 0.1, raising=False)
    return request.param


def test_every_adapter_that_streams_is_here() -> None:
    registry = AdapterRegistry()
    streaming = {name for name in registry.names() if registry.capabilities(name).stream}
    listed = {one.case.adapter for one in STREAMS}
    assert listed == streaming | {"openai-images"}


async def test_what_was_said_whole_is_a_result(
    streamed: Streamed, breaking: Any, server: ScriptedServer, open_adapter: Open
) -> None:
    reply = chunked([events(*streamed.begun, *streamed.ended)], headers={"x-request-id": "req-7"})
    streamed.serve(server, breaking(reply))
    heard: list[RawAnswer] = []
    decoded: list[int] = []
    made = call(timeout_s=20)
    made.on_whole = heard.append
    made.on_receive = lambda: decoded.append(len(heard))
    answer: Any = await open_adapter(streamed.connection(server)).submit(made)
    assert [content.data for content in answer.contents] == [streamed.result]
    assert (answer.flags, answer.tokens, answer.request_id) == ((), None, "req-7")
    assert decoded == [1]  # put aside before it is decoded
    reader: Any = open_adapter(streamed.case.connection(server.url), None)
    assert await reader.reread(Request("p", {}, {}), heard[0]) == answer
    assert len(server.seen) == 1


async def test_what_was_cut_in_the_count_after_it_is_a_result(
    streamed: Streamed, server: ScriptedServer, open_adapter: Open
) -> None:
    whole = events(*streamed.begun, *streamed.ended)
    streamed.serve(server, cut(chunked([whole + events(*streamed.after)[:-6]])))
    answer: Any = await open_adapter(streamed.connection(server)).submit(call())
    assert [content.data for content in answer.contents] == [streamed.result]


async def test_what_was_said_by_half_is_none(
    streamed: Streamed, breaking: Any, server: ScriptedServer, open_adapter: Open
) -> None:
    heard: list[RawAnswer] = []
    made = call(timeout_s=20)
    made.on_whole = heard.append
    streamed.serve(server, breaking(chunked([events(*streamed.begun)])))
    failure = await failing(open_adapter(streamed.connection(server)), made)
    assert (failure.kind, failure.billed) == (F.UNKNOWN, True)
    assert heard == []


async def test_a_reason_to_stop_that_is_cut_itself_is_none(
    streamed: Streamed, server: ScriptedServer, open_adapter: Open
) -> None:
    streamed.serve(server, cut(chunked([events(*streamed.begun, *streamed.ended)[:-6]])))
    failure = await failing(open_adapter(streamed.connection(server)))
    assert (failure.kind, failure.code) == (F.UNKNOWN, "cut_body")


@pytest.mark.parametrize("count", ["counted", "uncounted"])
async def test_words_that_cant_be_read_are_not_left_out(
    streamed: Streamed, count: str, server: ScriptedServer, open_adapter: Open
) -> None:
    """The line stands and the end comes, but an event before it came broken."""
    words, *rest = streamed.ended
    torn = json.dumps(words)[: len(json.dumps(words)) // 2]
    after = streamed.after if count == "counted" else ()
    streamed.serve(server, chunked([events(*streamed.begun, torn, *rest, *after)]))
    failure = await failing(open_adapter(streamed.connection(server)))
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "cut_body", True)


async def test_what_cant_be_read_after_all_is_said_is_let_go(
    streamed: Streamed, server: ScriptedServer, open_adapter: Open
) -> None:
    told = (*streamed.begun, *streamed.ended, '{"id": "c-1", "us', *streamed.after)
    streamed.serve(server, chunked([events(*told)]))
    answer: Any = await open_adapter(streamed.connection(server)).submit(call())
    assert [content.data for content in answer.contents] == [streamed.result]


async def test_of_two_that_were_asked_for_one_is_not_all(
    streamed: Streamed, breaking: Any, server: ScriptedServer, open_adapter: Open
) -> None:
    if not streamed.both:
        pytest.skip("it makes one result, or each of its results is one by itself")
    streamed.serve(server, breaking(chunked([events(*streamed.both)])))
    failure = await failing(open_adapter(streamed.connection(server)), call(timeout_s=20, n=2))
    assert failure.kind is F.UNKNOWN


async def test_an_error_after_the_end_is_no_result(
    streamed: Streamed, breaking: Any, server: ScriptedServer, open_adapter: Open
) -> None:
    if streamed.case is IMAGES:
        pytest.skip("a finished picture stays one")
    error = {"type": "error", "error": {"type": "server_error", "message": "it broke"}}
    streamed.serve(server, breaking(chunked([events(*streamed.begun, *streamed.ended, error)])))
    failure = await failing(open_adapter(streamed.connection(server)), call(timeout_s=20))
    assert failure.kind is F.UNKNOWN
