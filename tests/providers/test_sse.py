"""A stream says the same however the line cut it, and whatever servers make of the format."""

from __future__ import annotations

import gzip
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.providers.http import sse
from desktop_app.providers.http.deadline import Deadline
from desktop_app.providers.http.sse import (
    EventReader,
    Listener,
    ServerEvent,
    is_stream,
    read_events,
)

STREAM = (
    "\ufeff: OPENROUTER PROCESSING\n\n"
    'data: {"a": "红色 👟"}\n\n'
    "event: done\r\ndata: one\r\ndata: two\r\n\r\n"
    "id: 7\nretry: 10\n\n"
    "data:[DONE]\n\n"
).encode()
EVENTS = [
    ServerEvent("message", '{"a": "红色 👟"}'),
    ServerEvent("done", "one\ntwo"),
    ServerEvent("message", "[DONE]"),
]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_however_it_is_cut(cuts: list[int]) -> None:
    reader = EventReader()
    found = []
    places = [0, *sorted(cuts), len(STREAM)]
    for start, end in itertools.pairwise(places):
        found += reader.feed(STREAM[start:end])
    assert [*found, *reader.end()] == EVENTS


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n"])
def test_the_last_event_needs_no_blank_line(end: bytes) -> None:
    assert read_events(b"data: a\n\ndata: [DONE]" + end)[-1].data == "[DONE]"


def test_a_bare_line_of_json_is_an_event() -> None:
    events = read_events(b'data: {"x": 1}\n\n{"error": "it broke"}\n')
    assert [event.json for event in events] == [{"x": 1}, {"error": "it broke"}]


@pytest.mark.parametrize(
    ("data", "is_torn"),
    [('{"a": 1}', False), ('{"a": ', True), (' {"a', True), ("[DONE]", False), ("ping", False)],
)
def test_an_object_that_cant_be_read_is_torn(data: str, is_torn: bool) -> None:
    assert ServerEvent("message", data).is_torn is is_torn


@pytest.mark.parametrize("data", ["[DONE]", "{broken", "[1]", "", "{" * 100_000])
def test_what_is_no_object_is_none(data: str) -> None:
    assert ServerEvent("message", data).json is None


def test_a_stream_is_known_by_its_type_or_its_first_line() -> None:
    assert is_stream({"content-type": "text/event-stream; charset=utf-8"}, b"")
    assert is_stream({"content-type": "text/plain"}, b"\n: wait\n")
    assert is_stream({}, b"\xef\xbb\xbfdata: {}")
    assert not is_stream({"content-type": "application/json"}, b'\n\n{"data": 1}')
    assert not is_stream({}, b"<html>data: x")


async def hear(headers: dict[str, str], *parts: bytes, status: int = 200) -> tuple[Any, Listener]:
    heard: list[str] = []

    def add(event: ServerEvent) -> bool:
        heard.append(event.data)
        return event.data == "[DONE]"

    listener = Listener(add)
    listener.begins(status, headers)
    async with Deadline(60) as deadline:
        for part in parts:
            listener.part(deadline, part)
    return heard, listener


async def test_a_listener_hears_events_as_they_come_and_nothing_after_the_last() -> None:
    typed = {"content-type": "text/event-stream"}
    heard, listener = await hear(typed, b"data: a\n\nda", b"ta: [DONE]\n\n", b"data: b\n\n")
    assert (heard, listener.is_over, listener.end()) == (["a", "[DONE]"], True, True)
    heard, listener = await hear(typed, b"data: a\n\ndata: b")
    assert (heard, listener.is_over) == (["a"], False)
    assert listener.end()
    assert heard == ["a", "b"]


async def test_a_listener_hears_through_packing() -> None:
    packed = gzip.compress(b"data: a\n\ndata: [DONE]\n\n")
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    heard, listener = await hear(headers, packed[:15], packed[15:])
    assert (heard, listener.is_over) == (["a", "[DONE]"], True)
    heard, listener = await hear(headers, b"no gzip at all")
    assert (heard, listener.end()) == ([], False)


async def test_a_listener_unpacks_no_more_than_an_answer_may_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sse, "UNPACKED_BYTES", 1000)
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    line = b"data: " + b"a" * 394
    few, many = (gzip.compress(b"\n\n".join([line] * n)) for n in (2, 3))
    assert (await hear(headers, few))[1].end()
    _, listener = await hear(headers, many[:40], many[40:])
    assert not listener.end()


async def test_a_listener_leaves_alone_what_is_no_stream() -> None:
    for headers in ({}, {"content-type": "application/json"}):
        heard, listener = await hear(headers, b"\n", b'{"a":', b"1}\ndata: x\n\n")
        assert (heard, listener.end()) == ([], False)
    heard, listener = await hear({}, b"\n\n", b"data: a\n\n")
    assert (heard, listener.end()) == (["a"], True)
    heard, listener = await hear({"content-type": "text/event-stream"}, b"data: a\n\n", status=400)
    assert (heard, listener.end()) == ([], False)
