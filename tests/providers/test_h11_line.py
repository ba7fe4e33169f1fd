"""One connection: what leaves, what counts as the answer, and when another call may follow."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import httpcore
import httpx
import pytest

from desktop_app.providers.http.h11_line import H11Line
from desktop_app.providers.http.lines import Content
from tests.providers.scripted_stream import ANSWER, ScriptedStream

HEADERS = [(b"Host", b"h"), (b"Content-Length", b"2")]
HEAD = b"POST /v1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n"


async def call(
    stream: ScriptedStream, content: Content = b"{}", line: H11Line | None = None
) -> tuple[H11Line, int, bytes]:
    line = line or H11Line(stream)
    await line.say("POST", b"/v1", HEADERS, content)
    head = await line.head()
    body = b""
    while (part := await line.part()) is not None:
        body += part
    return line, head.status_code, body


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_an_answer_is_read_however_it_comes_and_the_line_serves_again(size: int) -> None:
    stream = ScriptedStream(*[ANSWER[at : at + size] for at in range(0, len(ANSWER), size)])
    line, status, body = await call(stream)
    assert (stream.written, status, body) == (HEAD + b"{}", 200, b"body")
    assert line.serves_again()
    stream.script = [ANSWER]
    assert (await call(stream, line=line))[1:] == (200, b"body")


async def test_a_body_leaves_piece_by_piece() -> None:
    async def pieces() -> AsyncGenerator[bytes, None]:
        yield b"{"
        assert stream.written == HEAD + b"{"
        yield b"}"

    stream = ScriptedStream(ANSWER)
    line, _, _ = await call(stream, pieces())
    assert stream.written == HEAD + b"{}"
    assert line.serves_again()


async def test_what_comes_before_the_answer_is_not_the_answer() -> None:
    stream = ScriptedStream(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", ANSWER)
    assert (await call(stream))[1:] == (200, b"body")


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ([], httpx.RemoteProtocolError),
        ([b"HTTP/1.1 200 OK\r\n"], httpx.RemoteProtocolError),
        ([ANSWER[:-1]], httpx.RemoteProtocolError),
        ([b"no HTTP at all\r\n\r\n"], httpx.RemoteProtocolError),
        ([b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"], httpx.RemoteProtocolError),
        ([ANSWER[:-1], httpcore.ReadError("reset")], httpx.ReadError),
    ],
)
async def test_an_answer_that_breaks_off_is_none(
    script: list[bytes | Exception], trouble: type[Exception]
) -> None:
    stream = ScriptedStream(*script)
    line = H11Line(stream)
    with pytest.raises(trouble):
        await call(stream, line=line)
    assert not line.serves_again()


async def test_who_closes_before_he_has_heard_all_may_have_answered() -> None:
    stream = ScriptedStream(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n")
    stream.write_trouble = httpcore.WriteError("broken pipe")
    line, status, _ = await call(stream)
    assert (status, line.serves_again()) == (413, False)


async def test_a_header_that_is_none_does_not_leave() -> None:
    stream = ScriptedStream(ANSWER)
    with pytest.raises(httpx.LocalProtocolError):
        await H11Line(stream).say("GET", b"/", [(b"Host", b"h"), (b"Evil", b"a\r\nb: c")], None)
    assert stream.written == b""


async def test_more_than_was_promised_does_not_leave() -> None:
    with pytest.raises(httpx.LocalProtocolError):
        await H11Line(ScriptedStream(ANSWER)).say("POST", b"/v1", HEADERS, b"{} ")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 4\r\n\r\nbody",
        b"HTTP/1.0 200 OK\r\ncontent-length: 4\r\n\r\nbody",
        b"HTTP/1.1 200 OK\r\n\r\nbody",
        ANSWER + b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nanother",
    ],
)
async def test_a_line_that_may_say_what_nobody_asked_serves_no_other_call(answer: bytes) -> None:
    line, status, body = await call(ScriptedStream(answer))
    assert (status, body, line.serves_again()) == (200, b"body", False)


async def test_a_half_read_or_closed_line_serves_no_other_call() -> None:
    half = H11Line(ScriptedStream(ANSWER[:-1]))
    await half.say("POST", b"/v1", HEADERS, b"{}")
    await half.head()
    assert not half.serves_again()
    stream = ScriptedStream(ANSWER)
    line, _, _ = await call(stream)
    await line.aclose()
    await line.aclose()
    assert (line.serves_again(), stream.closed) == (False, 1)
