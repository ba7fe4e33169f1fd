"""The socket that tells how far a server is goes to the connection's own server alone."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest

from desktop_app.providers.comfy import progress
from desktop_app.providers.comfy.progress import Progress
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.profiles.comfyui import COMFYUI
from desktop_app.providers.vendor_line import Manner, VendorLine
from tests.contract.cases import COMFY, KEY, FakeClock
from tests.contract.server import Reply, ScriptedServer


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    made = ScriptedServer()
    await made.start()
    yield made
    await made.close()


@pytest.fixture
async def other() -> AsyncIterator[ScriptedServer]:
    made = ScriptedServer()
    await made.start()
    yield made
    await made.close()


async def test_a_redirect_is_not_followed(
    server: ScriptedServer, other: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_AGAIN_S", 0.0)
    tries, tried_again = itertools.count(1), asyncio.Event()

    def count() -> None:
        if next(tries) > 1:
            tried_again.set()

    there = {"location": f"ws://127.0.0.1:{other.port}/ws"}
    server.on("/ws", Reply(302, headers=there, before=count))
    connection = COMFY.connection(server.url)
    http = HttpClient(connection, KEY, FakeClock())
    # A header that no library knows for a key's.
    line = VendorLine(connection, KEY, http, Manner("X-API-Key", ""), profile=COMFYUI)
    heard = Progress(line, "me")
    heard.watch("job", {})()
    async with asyncio.timeout(10):
        await tried_again.wait()
    await heard.close()
    await line.close()
    assert server.seen[0].headers["x-api-key"] == KEY
    assert other.seen == []
