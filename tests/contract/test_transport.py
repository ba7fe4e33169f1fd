"""How lines are opened: probed while silent, and trusting nothing but what they are given."""

from __future__ import annotations

import socket

import httpx
import pytest

from desktop_app.domain.clock import SystemClock
from desktop_app.domain.connection import Connection
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.transport import (
    HEADERS,
    HttpLimits,
    open_client,
    request_of,
    tls_context,
)
from tests.contract.server import Reply, ScriptedServer


async def test_a_silent_line_is_probed(server: ScriptedServer) -> None:
    server.on("/", Reply(200))
    async with (
        open_client(None, tls_context(), HttpLimits()) as client,
        client.stream("GET", server.url) as response,
    ):
        line = response.extensions["network_stream"].get_extra_info("socket")
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0


async def test_the_environment_is_not_trusted(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.on("/", Reply(302, headers={"location": "/elsewhere"}))
    async with open_client(None, tls_context(), HttpLimits()) as client:
        response = await client.get(server.url)
    assert response.status_code == 302
    assert [seen.target for seen in server.seen] == ["/"]
    assert server.seen[0].headers["user-agent"].startswith("Batchwright/")


async def test_no_call_says_what_an_earlier_answer_asked_it_to_remember(
    server: ScriptedServer,
) -> None:
    server.on("/", Reply(200, headers={"set-cookie": "who=you"}))
    http = HttpClient(Connection("c", "openai-chat", server.url, "m"), "sk-secret", SystemClock())
    for _ in range(2):
        await http.send("GET", f"{server.url}/", headers={}, body=None, timeout_s=9.0)
    await http.close()
    assert [seen.headers.get("cookie") for seen in server.seen] == [None, None]
    assert server.seen[1].headers["user-agent"].startswith("Batchwright/")


@pytest.mark.parametrize(("status", "kept"), [(200, 1_000), (400, 300)])
async def test_of_an_error_no_more_is_kept_than_its_bound(
    server: ScriptedServer, status: int, kept: int
) -> None:
    server.on("/", Reply(status, b"x" * 1_000))
    http = HttpClient(
        Connection("c", "openai-chat", server.url, "m"),
        "sk-secret",
        SystemClock(),
        HttpLimits(error_bytes=300),
    )
    wire = await http.send("GET", f"{server.url}/", headers={}, body=None, timeout_s=9.0)
    await http.close()
    assert (wire.status, len(wire.body), wire.complete) == (status, kept, kept == 1_000)


@pytest.mark.parametrize("content", [b"{}", b"", None])
@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize("url", ["http://me:pass@h:8080/a?b=c", "https://[::1]/v1", "http://h/"])
async def test_a_request_says_what_the_library_would_say(
    method: str, url: str, content: bytes | None
) -> None:
    own = {"Authorization": "Bearer k", "Content-Type": "application/json"}
    made = request_of(method, httpx.URL(url), own, content, HttpLimits())
    its = httpx.Request(method, url, headers={**HEADERS, **own}, content=content)
    assert sorted(made.headers.raw) == sorted(its.headers.raw)
    assert (made.method, made.url) == (its.method, its.url)
    assert made.headers.raw[0][0] == b"Host"
    assert isinstance(made.stream, httpx.AsyncByteStream)
    assert b"".join([part async for part in made.stream]) == (content or b"")
    assert made.extensions == {"timeout": {"connect": HttpLimits().connect_s}}
