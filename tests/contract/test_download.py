"""A result that was paid for is fetched with patience, but never more than fits, and never as
something else than a result."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, ProviderFailure
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.text import Translator
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.transport import HttpLimits
from desktop_app.providers.pictures import picture_mime
from tests.contract.cases import IMAGES, KEY, PNG, FakeClock, call
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply

MOST = 100_000
Fetch = Callable[..., Awaitable[bytes]]


@pytest.fixture
async def fetch(clock: FakeClock) -> AsyncIterator[Fetch]:
    """``fetch(url, base=..., **limits)``: as an adapter fetches a picture."""
    opened: list[HttpClient] = []

    async def get(url: str, base: str = "http://127.0.0.1:1/v1", **limits: Any) -> bytes:
        bounds = HttpLimits(**{"picture_bytes": MOST, **limits})
        client = HttpClient(Connection("c", "openai-images", base, "m"), KEY, clock, bounds)
        opened.append(client)
        return await client.download(url, lambda found: picture_mime(found) is not None)

    yield get
    for client in opened:
        await client.close()


async def missed(fetching: Awaitable[bytes]) -> Failure:
    with pytest.raises(ProviderFailure) as caught:
        await fetching
    failure = caught.value.failure
    assert (failure.kind, failure.billed) == (F.UNKNOWN, True)
    assert KEY not in repr(failure)
    return failure


async def test_a_body_that_is_cut_is_fetched_again(
    other: ScriptedServer, fetch: Fetch, clock: FakeClock
) -> None:
    other.on("/a.png", Reply(200, PNG, cut=9), Reply(drop=True), Reply(200, PNG))
    assert await fetch(f"{other.url}/a.png") == PNG
    assert clock.slept == [0.5, 1.0]


async def test_what_says_to_be_too_large_is_not_read(other: ScriptedServer, fetch: Fetch) -> None:
    other.on("/a.png", Reply(200, b"", {"content-length": "100001"}, drip=b""))
    assert (await missed(fetch(f"{other.url}/a.png"))).code == "too_large"
    assert len(other.seen) == 1


async def test_what_grows_too_large_is_left(other: ScriptedServer, fetch: Fetch) -> None:
    chunk = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    other.on("/a.png", Reply(200, chunk, {"transfer-encoding": "chunked"}, drip=chunk))
    assert (await missed(fetch(f"{other.url}/a.png"))).code == "too_large"
    assert len(other.seen) == 1


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_a_decompression_bomb_is_refused(
    other: ScriptedServer, fetch: Fetch, coding: str
) -> None:
    packed = (gzip.compress if coding == "gzip" else zlib.compress)(PNG + bytes(50_000_000))
    assert len(packed) < MOST
    other.on("/a.png", Reply(200, packed, {"content-encoding": coding}))
    assert (await missed(fetch(f"{other.url}/a.png"))).code == "too_large"
    assert len(other.seen) == 1


async def test_a_picture_that_was_packed_unasked_is_unpacked(
    other: ScriptedServer, fetch: Fetch
) -> None:
    other.on("/a.png", Reply(200, gzip.compress(PNG), {"content-encoding": "gzip"}))
    assert await fetch(f"{other.url}/a.png") == PNG
    assert other.seen[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(("status", "tries"), [(401, 1), (403, 1), (404, 4), (410, 1)])
async def test_an_address_past_its_time_is_expired(
    other: ScriptedServer, fetch: Fetch, status: int, tries: int
) -> None:
    other.on("/a.png", Reply(status, b"<Code>AccessDenied</Code>"))
    failure = await missed(fetch(f"{other.url}/a.png?sig=abc"))
    assert failure.code == "expired"
    assert "/a.png?sig=abc" in failure.body
    assert "no longer hands it out" in Translator().say(failure.said)
    assert len(other.seen) == tries


async def test_a_page_in_the_place_of_a_picture_is_asked_for_again(
    other: ScriptedServer, fetch: Fetch
) -> None:
    page = Reply(200, b"<html>wait</html>", {"content-type": "text/html; charset=utf-8"})
    other.on("/a.png", page, Reply(200, PNG))
    assert await fetch(f"{other.url}/a.png") == PNG
    other.on("/b.png", page)
    failure = await missed(fetch(f"{other.url}/b.png"))
    assert failure.code == "not_a_picture"
    assert "text/html" in failure.body


async def test_a_trickle_ends_at_the_deadline(other: ScriptedServer, fetch: Fetch) -> None:
    other.on("/a.png", Reply(200, b"x", {"content-length": "90000"}, drip=b"x"))
    failure = await missed(fetch(f"{other.url}/a.png", download_s=0.3))
    assert (failure.code, len(other.seen)) == ("download_failed", 1)
    assert "timeout" in failure.body


async def test_a_silent_line_leaves_time_for_another_try(
    other: ScriptedServer, fetch: Fetch
) -> None:
    silent = Reply(200, b"x", {"content-length": "90000"}, drip=b"")
    other.on("/a.png", silent, silent, Reply(200, PNG))
    assert await fetch(f"{other.url}/a.png", download_stall_s=0.2) == PNG


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a.example/x", "a.png", "http://", ""])
async def test_only_the_web_is_asked(fetch: Fetch, url: str) -> None:
    assert (await missed(fetch(url))).code == "download_failed"


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "169.254.169.254", "0.0.0.0"]
)
async def test_a_distant_provider_can_not_make_this_computer_call_itself(
    other: ScriptedServer, fetch: Fetch, host: str
) -> None:
    other.on("/a.png", Reply(200, PNG))
    url = f"http://{host.format(port=other.port)}/a.png"
    failure = await missed(fetch(url, base="https://api.example/v1"))
    assert "an address of this computer" in failure.body
    assert other.seen == []


async def test_the_pictures_of_one_answer_are_fetched_at_once_and_in_order(
    server: ScriptedServer, other: ScriptedServer, open_adapter: Open
) -> None:
    urls = [{"url": f"{other.url}/{n}.png"} for n in range(3)]
    for n in range(3):
        other.on(f"/{n}.png", Reply(200, PNG + bytes([n])))
    server.on(IMAGES.path, json_reply({"data": urls}))
    answer = await open_adapter(IMAGES.connection(server.url)).submit(call())
    assert [content.data[-1] for content in answer.contents] == [0, 1, 2]
    assert len(server.seen) == 1
