"""One line to each host, used again while it is warm and whole, and troubles in httpx's words."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator

import httpcore
import httpx
import pytest

from desktop_app.providers.http.direct import DirectLines
from desktop_app.providers.http.tap import TappedLines
from desktop_app.providers.http.transport import tls_context
from tests.contract.server import Reply, ScriptedServer

_LONG_S = 600.0


def lines_of(idle_s: float = _LONG_S, tls: ssl.SSLContext | None = None) -> DirectLines:
    return DirectLines(TappedLines(), tls or tls_context(), idle_s=idle_s)


@pytest.fixture
async def lines() -> AsyncIterator[DirectLines]:
    made = lines_of()
    yield made
    await made.aclose()


async def call(lines: DirectLines, url: str) -> httpx.Response:
    """An answer read to its end."""
    answer = await lines.handle_async_request(httpx.Request("GET", url))
    await answer.aread()
    return answer


async def test_a_line_is_used_again(server: ScriptedServer, lines: DirectLines) -> None:
    server.on("/", Reply(200, b"one"), Reply(404, b"two"))
    answers = [await call(lines, f"{server.url}/") for _ in range(2)]
    assert [(one.status_code, one.content) for one in answers] == [(200, b"one"), (404, b"two")]
    assert server.connections == 1


async def test_each_host_has_a_line_of_its_own(server: ScriptedServer, lines: DirectLines) -> None:
    server.on("/", Reply(200))
    by_name = f"http://localhost:{server.port}/"
    for url in (f"{server.url}/", by_name, f"{server.url}/", by_name):
        await call(lines, url)
    assert server.connections == 2


async def test_an_idle_line_is_made_anew(server: ScriptedServer) -> None:
    server.on("/", Reply(200))
    lines = lines_of(idle_s=-1.0)
    for _ in range(2):
        await call(lines, f"{server.url}/")
    await lines.aclose()
    assert server.connections == 2


async def test_a_line_that_the_host_ended_is_made_anew(
    server: ScriptedServer, lines: DirectLines
) -> None:
    server.on("/", Reply(200, headers={"connection": "close"}), Reply(200))
    for _ in range(2):
        await call(lines, f"{server.url}/")
    server.on("/", Reply(200, b"half", cut=4), Reply(200))
    await call(lines, f"{server.url}/")
    await server.line_ended.wait()
    assert (await call(lines, f"{server.url}/")).status_code == 200
    assert server.connections == 3


async def test_an_answer_that_is_left_ends_its_line(
    server: ScriptedServer, lines: DirectLines
) -> None:
    server.on("/", Reply(200, headers={"content-length": "1000000"}, drip=b"drop"), Reply(200))
    left = await lines.handle_async_request(httpx.Request("GET", f"{server.url}/"))
    async for part in left.aiter_raw():
        assert part.startswith(b"drop")
        break
    await left.aclose()
    await server.line_ended.wait()
    assert (await call(lines, f"{server.url}/")).status_code == 200
    assert server.connections == 2


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(drop=True), httpx.TransportError),
        (Reply(200, b"whole", cut=2), httpx.RemoteProtocolError),
        (Reply(200, headers={"content-length": "many"}), httpx.RemoteProtocolError),
    ],
)
async def test_troubles_are_those_of_httpx(
    server: ScriptedServer, lines: DirectLines, reply: Reply, kind: type[Exception]
) -> None:
    server.on("/", reply, Reply(200))
    with pytest.raises(kind) as caught:
        await call(lines, f"{server.url}/")
    assert isinstance(caught.value, httpx.TransportError)
    assert caught.value.__cause__ is not None
    assert (await call(lines, f"{server.url}/")).status_code == 200


async def test_nobody_there_and_no_such_way_of_speaking(lines: DirectLines) -> None:
    with pytest.raises(httpx.ConnectError):
        await call(lines, "http://127.0.0.1:1/")
    with pytest.raises(httpx.UnsupportedProtocol):
        await call(lines, "ftp://127.0.0.1/")


def test_every_trouble_of_the_lower_library_has_its_twin() -> None:
    kinds = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError)
    for name in httpcore.__all__:
        kind = getattr(httpcore, name, None)
        if isinstance(kind, type) and issubclass(kind, kinds):
            assert issubclass(getattr(httpx, name), httpx.TransportError)


async def test_a_handshake_that_is_given_up_leaves_no_line_open() -> None:
    came, ended = asyncio.Event(), asyncio.Event()

    async def says_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        came.set()
        while await reader.read(1024):
            pass
        writer.close()
        ended.set()

    server = await asyncio.start_server(says_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    lines = lines_of()
    waiting = asyncio.create_task(call(lines, f"https://127.0.0.1:{port}/"))
    await came.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await ended.wait()
    await lines.aclose()
    server.close()
    await server.wait_closed()
