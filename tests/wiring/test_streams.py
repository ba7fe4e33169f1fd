"""A streamed chat through the real engine, store, files and adapter: looked at while it comes, kept
where it is whole, and in doubt, with its words, where it breaks off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.batch import Batch, RunState, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.connection import Connection, OnUnknown
from desktop_app.domain.ports import RawAnswer
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.views import TaskDetail
from desktop_app.engine.engine import Engine
from desktop_app.exports.result_file import ResultKeeper
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.store.store import Store, open_store
from tests.contract.cases import CHAT
from tests.contract.server import ScriptedServer
from tests.contract.streams import delta, open_ended, streamed, usage
from tests.engine.fakes import FakeAwake, FakeSecrets

S = TaskState
END = (delta("", "stop"), usage(3, 4), "[DONE]")


class World:
    """One row, its server, and the rooms that take it there and back."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.folder = folder
        self.server = server
        self.changed = asyncio.Event()
        self.store: Store
        self.engine: Engine

    async def open(self) -> None:
        self.store = await open_store(
            self.folder / "store.db", boot_id="b", on_change=lambda *_: self.changed.set()
        )
        clock = SystemClock()
        self.engine = Engine(
            store=self.store.engine,
            actions=self.store.actions,
            connections=self.store.connections,
            adapters=AdapterRegistry(),
            files=ResultKeeper(clock, min_free_bytes=0),
            secrets=FakeSecrets(),
            awake=FakeAwake(),
            clock=clock,
            bus=Bus(),
        )

    async def close(self) -> None:
        await self.engine.stop()
        await self.store.close()

    async def row(self) -> int:
        made = Connection("c", "openai-chat", f"{self.server.url}/v1", "m-1", proxy="none",
                          on_unknown=OnUnknown.HOLD, params={"stream": True})  # fmt: skip
        connection = await self.store.connections.save(made)
        mapping = SheetMapping(prompt_column="prompt")
        batch = Batch(0, "one", "s.csv", "h", "f", ("prompt",), mapping, connection.id,
                      str(self.folder / "out"), 0.0)  # fmt: skip
        batch_id = await self.store.imports.begin(batch)
        draft = Draft(2, ("a cat",), Request("a cat"), "0002_a cat")
        await self.store.imports.add(batch_id, [draft])
        await self.store.imports.seal(batch_id)
        return batch_id

    async def rests_in(self, state: TaskState) -> TaskDetail:
        async with asyncio.timeout(30):
            while True:
                self.changed.clear()
                detail = await self.store.pages.detail(1)
                assert detail is not None
                if detail.row.state is state:
                    return detail
                await self.changed.wait()

    async def seen(self, true: Callable[[Any], bool]) -> Any:
        async with asyncio.timeout(30):
            while True:
                preview = self.engine.preview(1)
                if preview is not None and true(preview):
                    return preview
                await asyncio.sleep(0.005)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    server = ScriptedServer()
    await server.start()
    made = World(tmp_path, server)
    await made.open()
    yield made
    await made.close()
    await server.close()


async def test_a_stream_that_breaks_off_is_in_doubt_with_its_words(world: World) -> None:
    world.server.on(CHAT.path, open_ended(streamed(delta("half an "), delta("answer"))))
    batch_id = await world.row()
    await world.engine.start()
    await world.engine.resume(batch_id)
    await world.seen(lambda preview: preview.text == "half an answer")
    assert not list(world.folder.rglob("*.txt"))
    await world.server.close()
    detail = await world.rests_in(S.UNCERTAIN)
    (attempt,) = detail.attempts
    assert (attempt.body, attempt.billed) == ("half an answer", "yes")
    assert world.engine.preview(1) is None


async def test_all_words_without_the_last_are_in_doubt_and_not_bought_again(world: World) -> None:
    told = streamed(delta("42"), delta("", "stop"), usage(3, 4))
    world.server.on(CHAT.path, told)
    batch_id = await world.row()
    await world.engine.start()
    await world.engine.resume(batch_id)
    detail = await world.rests_in(S.UNCERTAIN)
    (attempt,) = detail.attempts
    assert (attempt.error_code, attempt.body, attempt.billed) == ("cut_body", "42", "yes")
    assert detail.row.output is None
    assert len(world.server.seen) == 1


async def test_a_whole_stream_is_a_result_with_its_thoughts(world: World) -> None:
    thought, said = delta(reasoning_content="because"), delta("42, 你好")
    world.server.on(CHAT.path, streamed(thought, said, *END))
    batch_id = await world.row()
    await world.engine.start()
    await world.engine.resume(batch_id)
    detail = await world.rests_in(S.SUCCESS)
    assert (detail.text, detail.thinking) == ("42, 你好", "because")
    assert detail.row.output is not None
    text = await asyncio.to_thread(Path(detail.row.output).read_text, "utf-8")
    assert text == "42, 你好"
    assert len(world.server.seen) == 1


@pytest.mark.parametrize(
    ("end", "state", "text"), [(END, S.SUCCESS, "42"), (END[:-1], S.UNCERTAIN, None)]
)
async def test_a_stream_whose_program_died_is_read_again_and_not_bought_again(
    world: World, end: tuple[Any, ...], state: TaskState, text: str | None
) -> None:
    batch_id = await world.row()
    await world.store.engine.set_run_state(batch_id, RunState.RUNNING)
    (claim,) = await world.store.engine.claim(batch_id, 1, 1.0)
    headers = {"content-type": "text/event-stream"}
    body = streamed(delta("4"), delta("2"), *end).body.split(b"\r\n")[1]
    world.store.engine.keep_raw(claim, RawAnswer(200, headers, body, 1.0))
    await world.close()
    await world.open()
    await world.engine.start()
    detail = await world.rests_in(state)
    assert detail.text == text
    assert detail.attempts[-1].body == ("" if text else "42")
    assert world.server.seen == []
