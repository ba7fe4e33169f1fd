"""Nothing that a slot started is lost, its error least of all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.ui.tasks import Latest, Spawner


async def test_an_operator_error_is_shown_and_not_logged() -> None:
    shown: list[Message] = []
    spawn = Spawner(shown.append)

    async def work() -> None:
        raise OperatorError(message("text.plain", text="no folder"))

    spawn(work())
    await spawn.settle()
    assert shown == [message("text.plain", text="no folder")]


@pytest.mark.expect_log("a window action failed")
async def test_any_other_error_is_logged_and_shown(caplog: pytest.LogCaptureFixture) -> None:
    shown: list[Message] = []
    spawn = Spawner(shown.append)

    async def work() -> None:
        raise ValueError("broken")

    spawn(work())
    await spawn.settle()
    assert "broken" in caplog.text
    assert "a window action failed" in caplog.text
    # Its sentence may quote a key or a prompt: the screen tells of the kind alone.
    assert [said.values for said in shown] == [{"what": "ValueError"}]


async def test_finish_cancels_and_then_starts_nothing_more() -> None:
    shown: list[Message] = []
    spawn = Spawner(shown.append)
    ran: list[str] = []

    async def forever() -> None:
        await asyncio.Event().wait()

    async def late() -> None:
        ran.append("late")

    spawn(forever())
    await asyncio.sleep(0)
    await spawn.finish()
    spawn(late())
    await asyncio.sleep(0)
    assert not spawn.busy
    assert (shown, ran) == ([], [])


async def test_latest_runs_once_more_however_often_it_is_asked() -> None:
    gate = asyncio.Event()
    runs: list[int] = []
    spawn = Spawner(lambda said: None)

    async def work() -> None:
        runs.append(1)
        await gate.wait()

    latest: Any = Latest(spawn, work)
    for _ in range(5):
        latest()
        await asyncio.sleep(0)
    assert len(runs) == 1
    gate.set()
    await spawn.settle()
    assert len(runs) == 2


async def test_latest_can_run_again_after_a_failure() -> None:
    spawn = Spawner(lambda said: None)
    runs: list[int] = []

    async def work() -> None:
        runs.append(1)
        if len(runs) == 1:
            raise OperatorError(message("text.plain", text="once"))

    latest = Latest(spawn, work)
    latest()
    await spawn.settle()
    latest()
    await spawn.settle()
    assert len(runs) == 2
