"""What a vendor publishes is fetched from the address that was given and from no other, without the
key, and never more of it than fits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import ProviderFailure
from desktop_app.providers.http.client import HttpClient
from tests.contract.cases import KEY, FakeClock
from tests.contract.server import Reply, ScriptedServer

MOST = 1000
Fetch = Callable[[str], Awaitable[bytes]]


@pytest.fixture
async def fetch(clock: FakeClock) -> AsyncIterator[Fetch]:
    # The address is the file's: it may be of this computer though the connection's is not.
    client = HttpClient(Connection("c", "http-job", "https://api.example/v1", "m"), KEY, clock)

    async def get(url: str) -> bytes:
        return await (await client.keyless()).document(url, MOST)

    yield get
    await client.close()


async def test_it_comes_without_the_key(other: ScriptedServer, fetch: Fetch) -> None:
    other.on("/keys", Reply(200, b"x" * MOST))
    assert await fetch(f"{other.url}/keys") == b"x" * MOST
    assert KEY not in repr(other.seen)


CHUNK = b"200\r\n" + b"x" * 0x200 + b"\r\n"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, b"x" * (MOST + 1)),
        Reply(200, CHUNK, {"transfer-encoding": "chunked"}, drip=CHUNK),
        Reply(302, headers={"location": "/good"}),
        Reply(404, b"{}"),
        Reply(503, b"{}"),
        Reply(200, b"whole", cut=2),
        Reply(drop=True),
    ],
)
async def test_anything_else_is_none(reply: Reply, other: ScriptedServer, fetch: Fetch) -> None:
    other.on("/keys", reply)
    other.on("/good", Reply(200, b"good"))
    with pytest.raises(ProviderFailure) as caught:
        await fetch(f"{other.url}/keys")
    assert caught.value.failure.code == "download_failed"
    assert KEY not in repr(caught.value.failure)
    assert [seen.target for seen in other.seen] == ["/keys"]


@pytest.mark.parametrize("url", ["", "keys", "ftp://127.0.0.1/keys", "http://127.0.0.1:1/keys"])
async def test_nobody_there_is_told(url: str, fetch: Fetch) -> None:
    with pytest.raises(ProviderFailure) as caught:
        await fetch(url)
    assert caught.value.failure.code == "download_failed"
