"""The feed's answers become a release, none, or a sentence."""

from __future__ import annotations

import asyncio
import contextlib
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
async def feed(
    status: str, body: bytes, *more: str, length: int | None = None
) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that gives one answer to everybody; with the heads of what it was asked. ``more``
    are lines of its head, ``length`` what it promises."""
    heads: list[str] = []
    promised = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {promised}", "Connection: close", *more]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write("".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + body)
        with contextlib.suppress(ConnectionError):  # who has read enough hangs up
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


async def code_of(url: str, within_s: float = 15.0) -> str:
    with pytest.raises(OperatorError) as raised:
        await WebReleases(url, within_s).newest()
    return raised.value.message.code


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><title>Sign in to the guest network</title>",
        b"",
        b"[]",
        b'"v1.2.3"',
        b"null",
        b"[" * 100_000,
        b"\xff\xfe\x00",
        json.dumps({**TOLD, "html_url": "https:///nowhere"}).encode(),
        json.dumps({**TOLD, "html_url": "https://exa mple\x00.org"}).encode(),
    ],
)
async def test_a_page_that_is_no_feed_is_said(body: bytes) -> None:
    async with feed("200 OK", body) as (url, _):
        assert await code_of(url) == "providers.releases_unreadable"


async def test_a_server_that_never_ends_is_left() -> None:
    body = json.dumps({**TOLD, "body": "x" * 5_000_000}).encode()
    async with feed("200 OK", body, length=10**12) as (url, _):
        assert await code_of(url) == "providers.releases_unreadable"


async def test_an_answer_cut_short_is_no_answer() -> None:
    body = json.dumps(TOLD).encode()
    async with feed("200 OK", body, length=len(body) + 1) as (url, _):
        assert await code_of(url) == "providers.releases_unreachable"


async def test_a_server_that_says_nothing_is_given_up() -> None:
    gone = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()  # until the other side has gone
        writer.close()
        gone.set()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        code = await code_of(f"http://127.0.0.1:{port}/", within_s=0.05)
        await gone.wait()
    assert code == "providers.releases_unreachable"


async def test_a_page_that_moved_is_followed_but_not_in_a_ring() -> None:
    told = json.dumps(TOLD).encode()
    async with (
        feed("200 OK", told) as (there, _),
        feed("301 Moved Permanently", b"", f"Location: {there}") as (url, heads),
    ):
        found = await WebReleases(url).newest()
    assert found is not None
    assert found.version == "1.2.3"
    assert len(heads) == 1
    async with feed("302 Found", b"", "Location: /releases/latest") as (url, heads):
        assert await code_of(url) == "providers.releases_refused"
        assert len(heads) == 3


@pytest.mark.parametrize(
    "change", [{"prerelease": True}, {"draft": True}, {"tag_name": "v1.3.0-rc.1"}]
)
async def test_what_is_not_for_everybody_yet_is_none(change: dict[str, object]) -> None:
    async with feed("200 OK", json.dumps({**TOLD, **change}).encode()) as (url, _):
        assert await WebReleases(url).newest() is None


async def test_long_notes_are_cut_and_say_so() -> None:
    async with feed("200 OK", json.dumps({**TOLD, "body": "字" * 100_000}).encode()) as (url, _):
        found = await WebReleases(url).newest()
    assert found is not None
    assert found.notes == "字" * 6_000 + " …"
