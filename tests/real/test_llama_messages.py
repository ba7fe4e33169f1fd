"""The llama.cpp server speaks Anthropic's manner, too: whole and streamed, cut, too long, without a
key."""

from __future__ import annotations

import pytest

from desktop_app.domain.attempt import CUT_OFF
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import Answer, Call
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from tests.real.conftest import Open, open_llama

__all__ = ["open_llama"]  # the fixture


def call(prompt: str = "say something", **params: object) -> Call:
    request = Request(prompt, {"max_tokens": 8, **params})
    return Call(request, idempotency_key="k", timeout_s=60.0)


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_a_text_comes_and_where_it_was_cut_that_is_told(
    open_llama: Open, stream: bool
) -> None:
    made = call(stream=stream)
    answer = await open_llama(adapter="anthropic-messages").submit(made)
    assert isinstance(answer, Answer)
    assert answer.contents[0].text
    assert answer.flags == (CUT_OFF,)
    assert answer.tokens is not None
    assert answer.tokens >= 8  # of a stream it does not count what was asked
    if stream:
        assert made.peek is not None
        assert made.peek().text == answer.contents[0].text


async def test_a_prompt_that_is_too_long_fails_its_row(open_llama: Open) -> None:
    with pytest.raises(ProviderFailure) as caught:
        await open_llama(adapter="anthropic-messages").submit(call("word " * 5000))
    assert caught.value.failure.kind is F.INVALID
    assert "too long" in Translator().say(caught.value.failure.said)


async def test_a_wrong_key_is_the_account_s(open_llama: Open) -> None:
    adapter = open_llama("sk-wrong", adapter="anthropic-messages")
    with pytest.raises(ProviderFailure) as caught:
        await adapter.submit(call())
    assert caught.value.failure.kind is F.ACCOUNT
    assert (await adapter.test()).ok is False
    assert (await open_llama(adapter="anthropic-messages").test()).ok
