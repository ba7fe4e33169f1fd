"""A lean line says and hears what the library's own does, TLS above it included."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import ByteStream

from desktop_app.providers.http import lean as room
from desktop_app.providers.http.lean import LeanStream, lean

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def line(serve: Serve) -> AsyncIterator[LeanStream]:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(once, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        made = lean(await anyio.connect_tcp("127.0.0.1", port))
        assert isinstance(made, LeanStream)
        try:
            yield made
        finally:
            await made.aclose()


async def all_of(stream: ByteStream, size: int = 65536) -> bytes:
    found = b""
    while True:
        try:
            found += await stream.receive(size)
        except anyio.EndOfStream:
            return found


@pytest.mark.parametrize("size", [1, 3, 65536])
async def test_what_is_said_comes_back_whole_and_then_the_end(size: int) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(10))
        await writer.drain()

    async with line(echo) as stream:
        await stream.send(b"0123")
        await stream.send(b"456789")
        assert await all_of(stream, size) == b"0123456789"
        assert stream.has_more


async def test_what_comes_while_nobody_reads_is_bounded_and_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "MOST", 1000)
    much = bytes(range(256)) * 80_000

    async def pour(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(much)
        await writer.drain()

    async with line(pour) as stream:
        while not stream._is_paused:  # noqa: ASYNC110 - the line tells nobody
            await asyncio.sleep(0)
        assert len(stream._came) < len(much)
        assert await all_of(stream) == much


async def test_much_is_said_to_one_who_listens_late() -> None:
    much, heard = b"x" * 30_000_000, asyncio.Event()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await heard.wait()
        writer.write(str(len(await reader.readexactly(len(much)))).encode())
        await writer.drain()

    async with line(listen) as stream:
        saying = asyncio.ensure_future(stream.send(much))
        await asyncio.sleep(0)
        assert not saying.done()
        heard.set()
        await saying
        assert await all_of(stream) == b"30000000"


async def test_one_who_gives_up_waiting_leaves_the_line_as_it_was() -> None:
    go = asyncio.Event()

    async def wait(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await go.wait()
        writer.write(b"late")
        await writer.drain()

    async with line(wait) as stream:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(stream.receive(), 0.01)
        assert not stream.has_more
        go.set()
        assert await all_of(stream) == b"late"


async def test_a_line_that_breaks_or_is_closed_says_so() -> None:
    async def abort(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)
        writer.transport.abort()

    async with line(abort) as stream:
        await stream.send(b"1")
        await stream.send(b"what is never read turns the end into a break")
        with pytest.raises((anyio.BrokenResourceError, anyio.EndOfStream)):
            await stream.receive()
        stream.connection_lost(ConnectionResetError())
        with pytest.raises(anyio.BrokenResourceError):
            await stream.receive()
        with pytest.raises(anyio.BrokenResourceError):
            await stream.send(b"2")
        await stream.aclose()
        with pytest.raises(anyio.ClosedResourceError):
            await stream.send(b"3")


async def test_a_reader_hears_of_a_close_meanwhile() -> None:
    async def wait(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with line(wait) as stream:
        reading = asyncio.ensure_future(stream.receive())
        await asyncio.sleep(0)
        await stream.aclose()
        with pytest.raises(anyio.ClosedResourceError):
            await reading
