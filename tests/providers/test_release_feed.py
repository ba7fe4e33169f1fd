"""The feed's answers become a release, none, or a sentence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from desktop_app.domain.ports.updates import Release
from desktop_app.domain.text import OperatorError
from desktop_app.providers.release_feed import WebReleases

TOLD = {
    "tag_name": "v1.2.3",
    "body": "Mended: \u8868 sheets.\r\n",
    "html_url": "https://example.org/batchwright/releases/v1.2.3",
}


@asynccontextmanager
async def feed(status: str, body: bytes) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that gives one answer to everybody; with the heads of what it was asked."""
    heads: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/releases/latest", heads


async def test_a_release_is_read_and_nothing_is_told_of_who_asks() -> None:
    async with feed("200 OK", json.dumps(TOLD).encode()) as (url, heads):
        found = await WebReleases(url).newest()
    assert found == Release("1.2.3", "Mended: \u8868 sheets.", TOLD["html_url"])
    (head,) = heads
    names = {line.partition(":")[0].lower() for line in head.splitlines()[1:] if line}
    assert names <= {"host", "accept", "accept-encoding", "connection", "user-agent"}


async def test_a_copy_that_knows_no_feed_says_so() -> None:
    with pytest.raises(OperatorError) as told:
        await WebReleases(None).newest()
    assert told.value.message.code == "providers.releases_nowhere"


async def test_no_release_yet() -> None:
    async with feed("404 Not Found", b"{}") as (url, _):
        assert await WebReleases(url).newest() is None


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told.pop("tag_name"),
        lambda told: told.update(tag_name="nightly"),
        lambda told: told.update(html_url="file:///etc/passwd"),
        lambda told: told.update(html_url="http://example.org/"),
        lambda told: told.update(tag_name=None),
    ],
)
async def test_what_is_no_release_is_not_taken_for_one(
    change: Callable[[dict[str, Any]], object],
) -> None:
    told: dict[str, Any] = dict(TOLD)
    change(told)
    async with feed("200 OK", json.dumps(told).encode()) as (url, _):
        with pytest.raises(OperatorError) as raised:
            await WebReleases(url).newest()
    assert raised.value.message.code == "providers.releases_unreadable"


async def test_a_refusal_and_a_silence_are_said() -> None:
    async with feed("403 Forbidden", b"") as (url, _):
        with pytest.raises(OperatorError) as raised:
            await WebReleases(url).newest()
    assert raised.value.message.code == "providers.releases_refused"
    with pytest.raises(OperatorError) as raised:  # nobody listens there any more
        await WebReleases(url).newest()
    assert raised.value.message.code == "providers.releases_unreachable"
