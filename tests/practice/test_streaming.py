"""Answers that come bit by bit: what they hold, when they come, what breaks them."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from typing import Any

import httpx
import pytest
from PIL import Image, ImageChops, ImageStat

from desktop_app.practice.answer_words import answer_to
from desktop_app.practice.streams import Piece, in_bursts
from desktop_app.practice.trouble import OF_STREAMS
from desktop_app.providers.chat_fold import ChatFold
from desktop_app.providers.folding import fold_whole
from tests.practice.practice_kit import Running, Starter, picture
from tests.practice.test_shown import png

PATHS = {"chat": "/v1/chat/completions", "image": "/v1/images/generations"}


class Heard:
    """What came of one answer before its end, or before its line broke."""

    def __init__(self) -> None:
        self.body = b""
        self.is_broken = False
        self.status = 0
        self.kind = ""

    @property
    def events(self) -> list[Any]:
        """The JSON of each event."""
        lines = self.body.decode().split("\n")
        told = [line.removeprefix("data: ") for line in lines if line.startswith("data: {")]
        return [json.loads(text) for text in told]

    @property
    def text(self) -> str:
        """The words of a chat, as the app would show them."""
        fold = ChatFold()
        fold_whole(fold, self.body)
        return fold.peek().text


async def hear(server: Running, wants: str, prompt: str, **more: Any) -> Heard:
    said = {"messages": [{"role": "user", "content": prompt}]} if wants == "chat" else {
        "prompt": prompt, "size": "64x64"}  # fmt: skip
    heard = Heard()
    body = {"model": "practice", "stream": True, **said, **more}
    async with server.client.stream("POST", PATHS[wants], json=body) as answer:
        heard.status, heard.kind = answer.status_code, answer.headers["content-type"]
        try:
            async for part in answer.aiter_raw():
                heard.body += part
        except httpx.RemoteProtocolError:
            heard.is_broken = True
    return heard


async def test_a_text_comes_word_by_word(start: Starter) -> None:
    server = await start(mean_s=50, sigma=0)
    heard = await hear(server, "chat", "why? [[500:0]]", stream_options={"include_usage": True})
    assert (heard.status, heard.kind) == (200, "text/event-stream; charset=utf-8")
    assert heard.text == answer_to("why?", "", at_length=True)
    assert heard.events[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert all(event["model"] == "practice" for event in heard.events)
    assert len(heard.events) > 60
    assert heard.events[-2]["choices"][0]["finish_reason"] == "stop"
    assert heard.events[-1]["usage"]["total_tokens"] > 60
    assert heard.body.endswith(b"data: [DONE]\n\n")
    ledger = await server.ledger()
    assert (ledger["outcomes"], ledger["billed"], ledger["in_flight"]) == ({"ok": 1}, 1, 0)


async def test_it_grows_while_it_is_looked_at(start: Starter) -> None:
    server = await start(mean_s=100, sigma=0)
    body = {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": "why?"}],
    }
    parts, still_working = 0, 0
    async with server.client.stream("POST", PATHS["chat"], json=body) as answer:
        async for _ in answer.aiter_raw():
            parts += 1
            still_working += (await server.ledger())["in_flight"]
    assert parts > 5
    assert still_working > 3


async def test_nobody_is_counted_who_did_not_ask(start: Starter) -> None:
    server = await start()
    heard = await hear(server, "chat", "why?")
    assert all("usage" not in event for event in heard.events)


async def test_who_asks_in_chinese_is_answered_in_it_character_by_character(
    start: Starter,
) -> None:
    server = await start()
    heard = await hear(server, "chat", "为什么？")
    assert heard.text == answer_to("为什么？", "", at_length=True)
    assert "练习回答" in heard.text
    longest = max(len(e["choices"][0]["delta"].get("content", "")) for e in heard.events)
    assert longest == 2  # the blank line between two paragraphs


async def test_several_answers_and_a_short_one(start: Starter) -> None:
    server = await start()
    heard = await hear(server, "chat", "why?", n=2, max_tokens=5)
    ends = [e["choices"][0] for e in heard.events if e["choices"][0]["finish_reason"]]
    assert [(one["index"], one["finish_reason"]) for one in ends] == [(0, "length"), (1, "length")]
    assert len(heard.text.split("\n\n")) == 2


async def test_a_fast_answer_comes_in_few_pieces() -> None:
    pieces = [Piece(place / 100, b"%d " % place) for place in range(100)]
    found = list(in_bursts(pieces, 0.25))
    assert [round(piece.due, 2) for piece in found] == [0.24, 0.49, 0.74, 0.99]
    assert b"".join(piece.event for piece in found) == b"".join(p.event for p in pieces)
    assert list(in_bursts(pieces, 0.0)) == pieces
    assert list(in_bursts([], 1.0)) == []


# --- pictures ---------------------------------------------------------------------------------


def decoded(data: str) -> Image.Image:
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    image.load()
    return image


def difference(one: Image.Image, other: Image.Image) -> float:
    size = other.size
    apart = ImageChops.difference(one.convert("RGB").resize(size), other.convert("RGB"))
    return sum(ImageStat.Stat(apart).mean)


async def test_a_picture_sharpens(start: Starter) -> None:
    server = await start()
    more = {"partial_images": 3, "size": "512x256"}
    heard = await hear(server, "image", "mug", **more)
    *partial, last = heard.events
    assert [event["type"] for event in partial] == ["image_generation.partial_image"] * 3
    assert [event["partial_image_index"] for event in partial] == [0, 1, 2]
    assert last["type"] == "image_generation.completed"
    whole = decoded(last["b64_json"])
    assert whole.tobytes() == picture(await server.draw("mug", size="512x256")).tobytes()
    apart = [difference(decoded(event["b64_json"]), whole) for event in partial]
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > 2 * apart[2] > 0
    assert last["usage"]["total_tokens"] == 1072


async def test_a_stream_without_previews_holds_the_picture(start: Starter) -> None:
    server = await start()
    heard = await hear(server, "image", "mug", n=2)
    assert [event["type"] for event in heard.events] == ["image_generation.completed"] * 2


async def test_edits_sharpen_too(start: Starter) -> None:
    server = await start()
    answer = await server.client.post(
        "/v1/images/edits",
        data={"model": "m", "prompt": "mug", "stream": "true", "partial_images": "1"},
        files={"image": ("a.png", png(9), "image/png")},
    )
    assert b"event: image_edit.partial_image\n" in answer.content
    assert b"event: image_edit.completed\n" in answer.content


@pytest.mark.parametrize(
    "wrong", [{"partial_images": 4}, {"partial_images": "x"}, {"response_format": "url"}]
)
async def test_what_can_not_be_streamed_is_refused(start: Starter, wrong: Any) -> None:
    server = await start()
    assert (await hear(server, "image", "mug", **wrong)).status == 400


# --- its troubles -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "is_broken", "is_usable"),
    [
        ("truncated", True, False),
        ("badjson", False, False),
        ("stream-error", False, False),
        ("stream-unended", True, False),
        ("slow", False, True),
    ],
)
async def test_troubles_of_a_stream(
    start: Starter, kind: str, is_broken: bool, is_usable: bool
) -> None:
    server = await start()
    heard = await hear(server, "chat", f"why? [[{kind}]]")
    fold = ChatFold()
    fold_whole(fold, heard.body)
    assert (heard.status, heard.is_broken, fold.is_usable) == (200, is_broken, is_usable)
    assert fold.has_begun
    assert (b"server_error" in heard.body) is (kind == "stream-error")
    ledger = await server.ledger()
    assert (ledger["outcomes"], ledger["billed"], ledger["in_flight"]) == ({kind: 1}, 1, 0)


@pytest.mark.parametrize("kind", ["500", "504", "400", "moderate", "softquota"])
async def test_an_error_is_no_stream(start: Starter, kind: str) -> None:
    server = await start()
    heard = await hear(server, "chat", f"why? [[{kind}]]")
    assert heard.status >= 400
    assert heard.kind == "application/json"


async def test_one_that_falls_silent_holds_its_slot_until_the_client_goes(start: Starter) -> None:
    server = await start(concurrency=1)
    call = asyncio.create_task(hear(server, "chat", "why? [[stream-silent]]"))
    await server.until(billed=1, in_flight=1)
    assert (await server.ask("why?")).status_code == 429
    call.cancel()
    await server.until(in_flight=0)
    assert (await server.ask("why?")).status_code == 200


async def test_a_drop_bills_and_sends_no_byte(start: Starter) -> None:
    server = await start()
    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        await hear(server, "chat", "why? [[drop]]")
    assert (await server.ledger())["billed"] == 1


async def test_the_end_of_the_server_and_a_client_that_goes_give_the_slot_back(
    start: Starter,
) -> None:
    server = await start(mean_s=1e6, sigma=0)
    call = asyncio.create_task(hear(server, "chat", "why?"))
    await server.until(in_flight=1)
    server.stop.set()
    with pytest.raises(httpx.RemoteProtocolError):
        await call


async def test_who_comes_again_as_the_last_word_is_in_is_let_in(start: Starter) -> None:
    server = await start(concurrency=1, mean_s=1, sigma=0)
    for number in range(20):
        assert (await hear(server, "chat", f"why {number}?")).status == 200
    assert (await server.ledger())["refused_429"] == 0


@pytest.mark.parametrize("kind", sorted(OF_STREAMS))
async def test_troubles_of_streams_mean_nothing_elsewhere(start: Starter, kind: str) -> None:
    server = await start()
    assert (await server.ask(f"why? [[{kind}]]")).status_code == 200
    assert (await server.draw(f"mug [[{kind}]]")).status_code == 200
    assert (await server.ledger())["outcomes"] == {"ok": 2}


async def test_a_key_that_is_honoured_is_billed_once(start: Starter) -> None:
    server = await start(idempotency=True)
    headers = {"Idempotency-Key": "k-1"}
    messages = [{"role": "user", "content": "why? [[truncated:1]]"}]
    body = {"model": "m", "stream": True, "messages": messages}
    with pytest.raises(httpx.RemoteProtocolError):
        await server.client.post(PATHS["chat"], json=body, headers=headers)
    again = await server.client.post(PATHS["chat"], json=body, headers=headers)
    assert again.json()["choices"][0]["message"]["content"].startswith("Practice answer.")
    assert (await server.ledger())["billed"] == 1
