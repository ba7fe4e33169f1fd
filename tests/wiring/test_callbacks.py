"""Callbacks in the whole house: heard while it runs tasks, and gone when it ends."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.domain.ports.callbacks import ListeningPlace
from desktop_app.domain.text import message
from desktop_app.providers.callbacks import listener
from desktop_app.services.practice_lines import JOBS, TEXTS
from desktop_app.wiring import HouseOptions, open_house
from tests.helpers.free_port import free_port
from tests.providers.callbacks.caller import post


@pytest.fixture
def options(tmp_path: Path) -> HouseOptions:
    return HouseOptions(data_dir=tmp_path / "data", language="en")


@pytest.fixture
def port() -> int:
    """A free one."""
    return free_port()


@pytest.mark.parametrize("window", [False, True])
async def test_it_listens_from_the_engines_start_to_the_end_of_the_house(
    options: HouseOptions, port: int, window: bool
) -> None:
    url = f"http://127.0.0.1:{port}/callbacks/x"
    chosen = replace(options, window=window, callbacks=ListeningPlace(port=port))
    async with open_house(chosen) as house:
        assert await post(url) == 0
        await house.start_engine()
        assert await post(url) == 404
    assert await post(url) == 0


async def test_the_settings_say_whether_it_listens(options: HouseOptions, port: int) -> None:
    url = f"http://127.0.0.1:{port}/callbacks/x"
    async with open_house(options) as house:
        await house.start_engine()
        preferences = house.services.preferences
        preferences.set("callbacks_port", port)
        assert await house.services.callbacks.apply() is None
        assert await post(url) == 0
        preferences.set("callbacks", True)
        assert await house.services.callbacks.apply() is None
        assert await post(url) == 404
        preferences.set("callbacks", False)
        assert await house.services.callbacks.apply() is None
        assert await post(url) == 0


async def test_a_taken_port_is_a_sentence_and_the_engine_runs(options: HouseOptions) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        chosen = replace(options, callbacks=ListeningPlace(port=port))
        async with open_house(chosen) as house:
            await house.start_engine()
            said = [banner.said for banner in (await house.services.runs.status(None)).banners]
            assert said == [message("callbacks.port_taken", host="127.0.0.1", port=port)]


async def test_it_ends_at_once_though_somebody_is_calling(
    options: HouseOptions, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "HEAD_S", 3600.0)
    async with (
        asyncio.timeout(120),
        open_house(replace(options, callbacks=ListeningPlace(port=port))) as house,
    ):
        await house.start_engine()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /callbacks/x HTTP/1.1\r\nHost: x\r\nContent-Le")
        await writer.drain()
        async with asyncio.timeout(60):
            await house.stop_engine()
        with pytest.raises(ConnectionResetError):
            await reader.read()
        writer.close()


async def test_the_practice_server_is_several_connections_on_one_server(
    options: HouseOptions,
) -> None:
    async with open_house(options) as house:
        connections = house.services.connections
        pictures, jobs = await connections.practice(), await connections.practice(JOBS)
        texts = await connections.practice(TEXTS)
        assert len({pictures.id, jobs.id, texts.id}) == 3
        assert pictures.base_url == jobs.base_url == texts.base_url
        assert (await connections.test(texts)).ok
        assert connections.makes(texts.adapter) == "text"
        assert (jobs.adapter, jobs.preset, jobs.callbacks) == ("http-job", "practice-jobs", True)
        assert (await connections.test(jobs)).ok
        assert house.services.callbacks.can_call(jobs.adapter, jobs.preset)
        offered = {preset.id for preset in connections.presets()}
        assert "practice-jobs" not in offered
        assert "replicate" in offered
