"""Each call has a line to its host for itself, the warmest that is free, and none stays open for
nothing."""

from __future__ import annotations

import ssl
from collections.abc import Sequence

import httpcore
import httpx
import pytest

from desktop_app.providers.http.direct import DirectLines
from desktop_app.providers.http.lines import Coming
from tests.providers.scripted_stream import ANSWER, ScriptedBackend, ScriptedStream

URL = "http://host/v1"


class Kit:
    def __init__(self, streams: Sequence[ScriptedStream] = ()) -> None:
        self.now = 100.0
        self.backend = ScriptedBackend(streams)
        self.lines = DirectLines(
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            [],
            {"Accept": "*/*"},
            idle_s=1.0,
            backend=self.backend,
            monotonic=lambda: self.now,
        )

    async def ask(
        self, url: str = URL, method: str = "GET", content: bytes | None = None
    ) -> Coming:
        return await self.lines.ask(method, httpx.URL(url), {"X-Own": "1"}, content, 9.0)

    async def call(self, url: str = URL) -> bytes:
        coming = await self.ask(url)
        body = b"".join([part async for part in coming.aiter_raw()])
        await coming.aclose()
        return body

    @property
    def closed(self) -> list[int]:
        return [stream.closed for stream in self.backend.made]


async def read(*answers: Coming) -> None:
    for answer in answers:
        assert b"".join([part async for part in answer.aiter_raw()]) == b"body"
        await answer.aclose()


async def test_calls_at_once_share_no_line_and_the_warmest_is_used_again() -> None:
    kit = Kit()
    first, second, third = [await kit.ask() for _ in range(3)]
    assert len(kit.backend.made) == 3
    await read(second, first)
    await first.aclose()  # once more frees nothing twice
    before = len(kit.backend.made[0].written)
    again = await kit.ask()
    assert len(kit.backend.made[0].written) > before
    await kit.ask()
    await kit.ask()
    assert len(kit.backend.made) == 4
    await read(third, again)
    assert kit.closed == [0, 0, 0, 0]


async def test_what_is_said_of_every_request() -> None:
    kit = Kit()
    await read(await kit.ask("http://me:secret@host:8080/a?b=c", "POST", b"{}"))
    await read(await kit.ask("http://host:8080/", "POST"))
    await read(await kit.ask("http://host:8080/"))
    (stream,) = kit.backend.made
    common = b"Accept: */*\r\nX-Own: 1\r\n"
    assert stream.written == (
        b"POST /a?b=c HTTP/1.1\r\nHost: host:8080\r\n" + common + b"Content-Length: 2\r\n\r\n{}"
        b"POST / HTTP/1.1\r\nHost: host:8080\r\n" + common + b"Content-Length: 0\r\n\r\n"
        b"GET / HTTP/1.1\r\nHost: host:8080\r\n" + common + b"\r\n"
    )
    assert kit.backend.asked == [("host", 8080, 9.0)]


async def test_hosts_share_no_line() -> None:
    kit = Kit()
    for url in (URL, "http://other/v1", "http://host:81/v1", "https://host/v1", URL):
        assert await kit.call(url) == b"body"
    asked = [(host, port) for host, port, _ in kit.backend.asked]
    assert asked == [("host", 80), ("other", 80), ("host", 81), ("host", 443)]
    assert [stream.tls_hosts for stream in kit.backend.made] == [[], [], [], ["host"]]


async def test_a_call_that_fails_closes_its_line() -> None:
    kit = Kit([ScriptedStream()])
    with pytest.raises(httpx.RemoteProtocolError):
        await kit.ask()
    assert kit.closed == [1]
    assert await kit.call() == b"body"
    assert kit.closed == [1, 0]


async def test_an_answer_that_is_not_read_closes_its_line_and_ends() -> None:
    kit = Kit([ScriptedStream(ANSWER[:-2], ANSWER[-2:])])
    coming = await kit.ask()
    parts = coming.aiter_raw()
    assert await anext(parts) == b"bo"
    await coming.aclose()
    assert [part async for part in parts] == []
    assert kit.closed == [1]


async def test_an_answer_that_is_over_hears_nothing_of_the_next() -> None:
    kit = Kit()
    coming = await kit.ask()
    await read(coming)
    following = await kit.ask()
    assert [part async for part in coming.aiter_raw()] == []
    await read(following)
    assert len(kit.backend.made) == 1


async def test_lines_that_nobody_needs_are_closed_when_a_call_ends() -> None:
    kit = Kit()
    await read(*[await kit.ask() for _ in range(3)], await kit.ask("http://other/v1"))
    kit.now += 1.5
    fresh = await kit.ask()
    # The warmest were too cold already; those to other hosts go with the call's end.
    assert kit.closed == [1, 1, 1, 0, 0]
    await read(fresh)
    assert kit.closed == [1, 1, 1, 1, 0]
    kit.now += 0.5
    await kit.call()
    assert len(kit.backend.made) == 5


async def test_a_line_that_ended_while_it_was_idle_is_not_used() -> None:
    kit = Kit()
    await kit.call()
    kit.backend.made[0].is_readable = True
    await kit.call()
    assert kit.closed == [1, 0]


async def test_all_are_closed_at_the_end_busy_ones_too() -> None:
    kit = Kit()
    busy, free = await kit.ask(), await kit.ask()
    await read(free)
    await kit.lines.aclose()
    assert kit.closed == [1, 1]
    await busy.aclose()
    assert kit.closed == [1, 1]
    assert await kit.call() == b"body"
    assert kit.closed == [1, 1, 0]


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (httpcore.ConnectTimeout("slow"), httpx.ConnectTimeout),
        (httpcore.ConnectError("refused"), httpx.ConnectError),
    ],
)
async def test_who_cannot_be_reached_is_told_in_the_librarys_words(
    trouble: Exception, told: type[Exception]
) -> None:
    kit = Kit()
    kit.backend.trouble = trouble
    with pytest.raises(told) as came:
        await kit.ask()
    assert came.value.__cause__ is trouble


async def test_whom_nobody_trusts_hears_nothing_and_his_line_is_closed() -> None:
    stream = ScriptedStream(ANSWER)
    stream.tls_trouble = httpcore.ConnectError("certificate")
    kit = Kit([stream])
    with pytest.raises(httpx.ConnectError):
        await kit.ask("https://host/v1")
    assert (stream.written, stream.closed) == (b"", 1)


@pytest.mark.parametrize("url", ["ftp://host/v1", "/v1", "http:///v1"])
async def test_what_is_no_address_of_a_host_is_refused(url: str) -> None:
    kit = Kit()
    with pytest.raises(httpx.UnsupportedProtocol):
        await kit.ask(url)
    assert kit.backend.asked == []


async def test_a_header_said_twice_is_one_and_names_are_lower_case() -> None:
    answer = b"HTTP/1.1 204 No\r\nX-A: 1\r\nx-a: 2\r\nLink: y\r\n\r\n"
    coming = await Kit([ScriptedStream(answer)]).ask()
    assert (coming.status_code, coming.headers) == (204, {"x-a": "1, 2", "link": "y"})
