"""What an operator without an account sees of an answer while it comes: the app's own adapters, at
the practice server over a real socket."""

from __future__ import annotations

import asyncio
import io
import itertools
from collections.abc import AsyncIterator
from typing import Any

import pytest
from PIL import Image

from desktop_app.domain.connection import Limits
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import Answer, Call, Preview
from desktop_app.domain.task import Request
from desktop_app.providers import chat_fold
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.services.practice_lines import PICTURES, TEXTS, PracticeLine, PracticeServer
from tests.practice.practice_kit import KEY, Running, Starter


@pytest.fixture
async def start() -> AsyncIterator[Starter]:
    starter = Starter()
    yield starter
    await starter.end()


def adapter(line: PracticeLine, server: Running) -> Any:
    url = f"http://127.0.0.1:{server.port}/v1"
    return AdapterRegistry().open(
        line.connection(PracticeServer(url, KEY, "practice", Limits()), 1), KEY
    )


async def watched(line: PracticeLine, server: Running, prompt: str) -> tuple[Answer, list[Preview]]:
    """The answer, and all that could be seen of it meanwhile."""
    made = Call(Request(prompt, {}), idempotency_key="k", timeout_s=60)
    opened = adapter(line, server)
    going = asyncio.create_task(opened.submit(made))
    seen: list[Preview] = []
    while not going.done():
        if made.peek is not None and (not seen or made.peek() != seen[-1]):
            seen.append(made.peek())
        await asyncio.sleep(0.005)
    await opened.close()
    answer: Answer = await going
    return answer, seen


async def test_a_text_grows(start: Starter) -> None:
    server = await start(mean_s=100, sigma=0)
    answer, seen = await watched(TEXTS, server, "why?")
    texts = [preview.text for preview in seen]
    assert len(texts) > 5
    assert all(later.startswith(text) for text, later in itertools.pairwise(texts))
    assert answer.contents[0].text is not None
    assert answer.contents[0].text.startswith(texts[-1])
    assert answer.flags == ()


async def test_a_picture_sharpens(start: Starter) -> None:
    server = await start(mean_s=100, sigma=0)
    answer, seen = await watched(PICTURES, server, "a red mug")
    numbers = {preview.picture.no for preview in seen if preview.picture is not None}
    assert numbers >= {1, 2}
    last = next(preview.picture for preview in seen if preview.picture is not None)
    assert Image.open(io.BytesIO(last.read())).size == (512, 512)
    assert Image.open(io.BytesIO(answer.contents[0].data)).size == (1024, 1024)
    assert answer.flags == ()


@pytest.mark.parametrize(
    ("kind", "code", "timeout"),
    [
        ("truncated", "cut_body", False),
        ("badjson", "cut_body", False),
        ("stream-error", "server_error", False),
        ("stream-silent", "fell_silent", True),
    ],
)
async def test_what_breaks_off_is_held_with_the_words_that_came(
    start: Starter, monkeypatch: pytest.MonkeyPatch, kind: str, code: str, timeout: bool
) -> None:
    monkeypatch.setattr(chat_fold, "IDLE_S", 0.2)
    server = await start()
    with pytest.raises(ProviderFailure) as caught:
        await watched(TEXTS, server, f"why? [[{kind}]]")
    failure = caught.value.failure
    assert (failure.kind, failure.code, failure.timeout) == (F.UNKNOWN, code, timeout)
    assert failure.body.startswith("Practice answer. You asked: why?")


async def test_what_lacks_its_end_is_held_with_all_the_words_that_came(start: Starter) -> None:
    server = await start()
    with pytest.raises(ProviderFailure) as caught:
        await watched(TEXTS, server, "why? [[stream-unended]]")
    failure = caught.value.failure
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "cut_body", True)
    assert failure.body.endswith("in the row that asked for it.")


async def test_a_picture_is_whole_by_itself(start: Starter) -> None:
    server = await start()
    answer, _ = await watched(PICTURES, server, "a mug [[stream-unended]]")
    assert Image.open(io.BytesIO(answer.contents[0].data)).size == (1024, 1024)
