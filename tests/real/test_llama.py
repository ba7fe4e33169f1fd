"""The llama.cpp server itself, over a real line: what it answers, and what is made of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from desktop_app.domain.errors import Failure, ProviderFailure
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import Adapter, Answer, Call
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from tests.real.conftest import KEY, Open

SAYS_SHOE = {"grammar": 'root ::= "red shoe, 红鞋"'}
SPELLS = {"grammar": "root ::= [a-z]+"}
BLANK = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
    "DwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LONG_WORD = {
    "type": "object",
    "properties": {"word": {"const": "a" * 40}},
    "required": ["word"],
    "additionalProperties": False,
}


def asking(prompt: str = "hi", extra: Any = None, **params: Any) -> Call:
    request = Request(prompt, {"temperature": 0, **params}, extra or {})
    return Call(request, idempotency_key="task-1", timeout_s=60.0)


async def answer_of(adapter: Adapter, call: Call) -> Answer:
    found = await adapter.submit(call)
    assert isinstance(found, Answer)
    return found


async def failure_of(adapter: Adapter, call: Call) -> Failure:
    with pytest.raises(ProviderFailure) as caught:
        await adapter.submit(call)
    return caught.value.failure


def said(failure: Failure) -> str:
    return Translator().say(failure.said)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_an_answer(open_llama: Open, stream: bool) -> None:
    call = asking(extra=SAYS_SHOE, stream=stream)
    found = await answer_of(open_llama(), call)
    assert [content.text for content in found.contents] == ["red shoe, 红鞋"]
    assert found.flags == ()
    assert found.tokens == sum(found.usage[n] for n in ("prompt_tokens", "completion_tokens"))
    assert call.begun
    assert call.peek is not None
    assert call.peek().text == ("red shoe, 红鞋" if stream else "")


async def test_it_is_streamed_unless_somebody_wants_it_whole(open_llama: Open) -> None:
    call = asking(extra=SAYS_SHOE)
    await answer_of(open_llama(), call)
    assert call.peek is not None
    assert call.peek().text == "red shoe, 红鞋"


async def test_tokens_are_the_same_however_they_are_counted(open_llama: Open) -> None:
    """Whole, in a stream's own chunk, and by the timings of a server that was not asked to count:
    the prompt is cached from the second call on, and counts all the same."""
    counted = [
        (await answer_of(adapter, asking(extra=SAYS_SHOE, stream=stream))).tokens
        for adapter, stream in (
            (open_llama(), False),
            (open_llama(), True),
            (open_llama(preset=None), True),
        )
    ]
    assert counted[0] is not None
    assert counted == [counted[0]] * 3


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_an_answer_cut_at_its_length(open_llama: Open, stream: bool) -> None:
    found = await answer_of(open_llama(), asking(extra=SPELLS, max_tokens=6, stream=stream))
    assert found.flags == ("length",)
    assert found.contents[0].text is not None
    assert found.contents[0].text.isalpha()


@pytest.mark.parametrize("key", ["sk-wrong", None])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_wrong_key_and_none(open_llama: Open, key: str | None, stream: bool) -> None:
    failure = await failure_of(open_llama(key), asking(stream=stream))
    assert (failure.kind, failure.code, failure.http_status) == (
        F.ACCOUNT,
        "authentication_error",
        401,
    )
    assert failure.billed is False
    assert ("refused the key" if key else "No key is stored") in said(failure)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_text_that_is_too_long(open_llama: Open, stream: bool) -> None:
    failure = await failure_of(open_llama(), asking("word " * 2000, stream=stream))
    assert (failure.kind, failure.code) == (F.INVALID, "exceed_context_size_error")
    assert failure.billed is False
    assert "too long" in said(failure)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_several_answers_are_not_counted_from_what_one_took(
    open_llama: Open, stream: bool
) -> None:
    found = await answer_of(open_llama(), asking(extra=SPELLS, n=2, max_tokens=4, stream=stream))
    assert len(found.contents) == 2
    assert all(content.text for content in found.contents)
    assert (found.flags, found.tokens) == (("length",), None)


async def test_more_answers_than_it_has_places_for(open_llama: Open) -> None:
    failure = await failure_of(open_llama(), asking(n=5))
    assert (failure.kind, failure.http_status) == (F.INVALID, 400)
    assert "n" in said(failure)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_json_by_a_schema(open_llama: Open, stream: bool) -> None:
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    }
    found = await answer_of(open_llama(), asking(json=schema, stream=stream, max_tokens=60))
    assert found.flags == ()
    assert found.contents[0].text is not None
    assert set(json.loads(found.contents[0].text)) == {"ok"}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_json_that_was_cut_is_flagged_as_cut(open_llama: Open, stream: bool) -> None:
    found = await answer_of(open_llama(), asking(json=LONG_WORD, stream=stream, max_tokens=24))
    assert found.flags == ("length",)
    assert found.contents[0].text is not None
    assert found.contents[0].text.lstrip().startswith("{")


async def test_any_json(open_llama: Open) -> None:
    found = await answer_of(open_llama(), asking(json="object", max_tokens=200))
    assert "not_json" not in found.flags


async def test_a_schema_that_it_cannot_work_with(open_llama: Open) -> None:
    failure = await failure_of(open_llama(), asking(json={"type": "no such type"}))
    assert (failure.kind, failure.http_status, failure.billed) == (F.INVALID, 400, False)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_picture_shown_to_a_model_without_eyes_is_not_tried_again(
    open_llama: Open, stream: bool
) -> None:
    shown = [
        {"type": "text", "text": "what is this?"},
        {"type": "image_url", "image_url": {"url": BLANK}},
    ]
    extra = {"messages": [{"role": "user", "content": shown}]}
    failure = await failure_of(open_llama(), asking(extra=extra, stream=stream))
    assert (failure.kind, failure.http_status) == (F.INVALID, 500)
    assert "image input is not supported" in said(failure)


async def test_another_model_than_was_asked_is_flagged(open_llama: Open) -> None:
    found = await answer_of(open_llama(model="gpt-4o-mini"), asking(extra=SAYS_SHOE))
    assert found.flags == ("other_model",)


async def test_a_server_that_nobody_introduced_is_known_by_its_answers(open_llama: Open) -> None:
    adapter = open_llama(preset=None)
    found = await answer_of(adapter, asking(extra=SPELLS, n=2, max_tokens=4))
    assert found.tokens is None
    shown = [{"type": "image_url", "image_url": {"url": BLANK}}]
    extra = {"messages": [{"role": "user", "content": shown}]}
    assert (await failure_of(adapter, asking(extra=extra))).kind is F.INVALID


async def test_values_out_of_range_name_their_field(open_llama: Open) -> None:
    failure = await failure_of(open_llama(), asking(max_tokens=-5))
    assert (failure.kind, failure.http_status) == (F.INVALID, 400)
    assert "max_tokens" in said(failure)


async def test_the_connection_test(open_llama: Open) -> None:
    report = await open_llama().test()
    assert report.ok
    assert report.models
    assert not (await open_llama("sk-wrong").test()).ok
    assert not (await open_llama(KEY, base_url="http://127.0.0.1:9/v1").test()).ok
