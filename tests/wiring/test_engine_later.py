"""An engine that nobody has wanted anything of is not there, and nobody can tell."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.batch import RunState
from desktop_app.domain.ports import EngineControl
from desktop_app.wiring import HouseOptions, open_house
from desktop_app.wiring.engine_later import EngineLater
from tests.wiring.test_opening import import_rows


class Made:
    """Notes what it is asked."""

    def __init__(self, asked: list[str]) -> None:
        self._asked = asked

    def __getattr__(self, name: str) -> Any:
        def seen(*_: Any, **__: Any) -> str:
            self._asked.append(name)
            return name

        async def lever(*_: Any, **__: Any) -> str:
            return seen()

        return lever if inspect.iscoroutinefunction(getattr(EngineControl, name)) else seen


def later(asked: list[str]) -> EngineLater:
    def make() -> Any:
        asked.append("made")
        return Made(asked)

    return EngineLater(make, lambda: asked.append(f"loaded {threading.current_thread().name[:7]}"))


async def test_looking_at_it_and_ending_it_makes_none() -> None:
    asked: list[str] = []
    engine = later(asked)
    assert (engine.in_flight(), engine.banners(), engine.trouble()) == (0, (), None)
    assert engine.oldest_s() is None
    assert (dict(engine.account_states()), dict(engine.rates())) == ({}, {})
    assert engine.preview(1) is None
    engine.wake()
    assert await engine.drain(1.0) == 0
    await engine.stop()
    assert asked == []


@pytest.mark.parametrize(
    ("lever", "values"),
    [
        ("settle", ()),
        ("resume", (1,)),
        ("pause", (1,)),
        ("cancel", (None,)),
        ("ask", (1,)),
        ("look_again", ()),
        ("retry_account", (1,)),
        ("connection_changed", (1,)),
    ],
)
async def test_the_first_lever_makes_it_and_all_go_to_the_same(
    lever: str, values: tuple[Any, ...]
) -> None:
    asked: list[str] = []
    engine: Any = later(asked)
    await getattr(engine, lever)(*values)
    assert asked == ["made", lever]
    for seen in ("in_flight", "oldest_s", "account_states", "rates", "banners", "trouble", "wake"):
        getattr(engine, seen)()
    assert asked[2:] == [
        "in_flight",
        "oldest_s",
        "account_states",
        "rates",
        "banners",
        "trouble",
        "wake",
    ]
    assert await engine.drain(None) == "drain"
    await engine.stop()
    assert asked.count("made") == 1


async def test_a_start_imports_it_beside_the_loop() -> None:
    asked: list[str] = []
    await later(asked).start()
    assert asked == ["loaded asyncio", "made", "start"]


def test_a_house_is_open_without_an_engine(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from desktop_app.wiring import HouseOptions, open_house

async def go():
    async with open_house(HouseOptions(data_dir=Path({str(tmp_path / "data")!r}))) as house:
        status = await house.services.runs.status(None)
        await house.services.connections.views()
        assert not status.active
    print(*(name for name in sys.modules if name.startswith("desktop_app.engine")))

from pathlib import Path
asyncio.run(go())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


async def test_what_a_person_starts_in_a_window_waits_for_the_start_of_the_engine(
    tmp_path: Path,
) -> None:
    options = HouseOptions(data_dir=tmp_path / "data", language="en")
    async with open_house(options) as house:
        batch_id = await import_rows(house, tmp_path)
    async with open_house(replace(options, window=True)) as house:
        assert not await house.was_cut_short()
        pressed = asyncio.ensure_future(house.services.runs.start(batch_id))
        await asyncio.wait({pressed}, timeout=0.05)
        assert not pressed.done()
        await house.start_engine()
        await pressed
        assert await house.was_cut_short()
        summary = await house.services.queries.batch(batch_id)
        assert summary is not None
        assert summary.batch.run_state is RunState.RUNNING
