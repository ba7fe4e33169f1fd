"""A line is taken again while it is good, and never by two calls at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from desktop_app.providers.http.transport import HttpLimits, open_client, tls_context
from tests.contract.server import Reply, ScriptedServer


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(None, tls_context(), HttpLimits()) as client:
        yield client


async def test_a_line_serves_one_call_after_another(
    server: ScriptedServer, client: httpx.AsyncClient
) -> None:
    server.on("/", *[Reply(body=b"yes")] * 3)
    for _ in range(3):
        assert (await client.get(server.url)).content == b"yes"
    assert server.connections == 1


async def test_a_line_is_not_free_before_its_answer_is_read_or_left(
    server: ScriptedServer, client: httpx.AsyncClient
) -> None:
    server.on("/", *[Reply(body=b"yes")] * 3)
    async with client.stream("GET", server.url):
        await client.get(server.url)
        assert server.connections == 2
    await client.get(server.url)
    assert server.connections == 2


async def test_a_cancelled_call_takes_its_line_along(
    server: ScriptedServer, client: httpx.AsyncClient
) -> None:
    server.on("/", Reply(hang=True), Reply())
    call = asyncio.create_task(client.get(server.url))
    await server.arrival()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await client.get(server.url)).status_code == 200
    assert server.connections == 2


async def test_a_line_is_not_used_for_another_host(
    server: ScriptedServer, other: ScriptedServer, client: httpx.AsyncClient
) -> None:
    server.on("/", Reply(), Reply())
    other.on("/", Reply())
    for url in (server.url, other.url, server.url):
        assert (await client.get(url)).status_code == 200
    assert (server.connections, other.connections) == (1, 1)


async def test_a_line_that_the_server_left_is_not_used(
    server: ScriptedServer, client: httpx.AsyncClient
) -> None:
    server.on("/", Reply())
    await client.get(server.url)
    await server.close()
    with pytest.raises(httpx.ConnectError):
        await client.get(server.url)


async def test_other_kinds_of_address_are_refused(client: httpx.AsyncClient) -> None:
    with pytest.raises(httpx.UnsupportedProtocol):
        await client.get("gopher://127.0.0.1/")
    with pytest.raises(httpx.UnsupportedProtocol):
        await client.get("127.0.0.1/")


async def test_closing_closes_what_is_out(server: ScriptedServer) -> None:
    server.on("/", Reply(hang=True))
    client = open_client(None, tls_context(), HttpLimits())
    call = asyncio.create_task(client.get(server.url))
    await server.arrival()
    await client.aclose()
    with pytest.raises(httpx.TransportError):
        await call
