"""The socket that tells how far a server is goes to the connection's own server alone."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

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
    async with asyncio.timeout(60):
        await tried_again.wait()
    await heard.close()
    await line.close()
    assert server.seen[0].headers["x-api-key"] == KEY
    assert other.seen == []


async def test_a_server_that_tells_of_all_nodes_at_once_is_understood(
    server: ScriptedServer,
) -> None:
    connection = COMFY.connection(server.url)
    line = VendorLine(connection, KEY, HttpClient(connection, KEY, FakeClock()), profile=COMFYUI)
    heard = Progress(line, "me")
    peek = heard.watch("job", {"3": "KSampler", "8": "VAE Decode"})

    def told(**nodes: Any) -> str:
        data = {"prompt_id": "job", "nodes": {name.strip("n"): one for name, one in nodes.items()}}
        heard._take(json.dumps({"type": "progress_state", "data": data}))
        return peek().progress

    done = {"state": "finished", "value": 20, "max": 20}
    assert told(n3={"state": "running", "value": 8, "max": 20}) == "KSampler: 8/20"
    assert told(n3=done, n8={"state": "running", "value": 0, "max": 1}) == "VAE Decode"
    assert told(n3=done, n8="odd") == "VAE Decode"
    heard._take('{"type": "progress_state", "data": {"prompt_id": "job"}}')
    assert peek().progress == "VAE Decode"
    await heard.close()
    await line.close()
