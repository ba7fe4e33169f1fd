"""One list is read at a time, and what has changed meanwhile neither ends it nor is forgotten."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncGenerator, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import Sort, TaskFilter
from desktop_app.ui.grid import loader as module
from desktop_app.ui.grid.loader import Loader
from desktop_app.ui.tasks import Spawner


class Shown:
    """A list that keeps what it is brought."""

    def __init__(self) -> None:
        self.ids = array("q")
        self.ended = 0
        self.kept: set[int] = set()
        self.awaiting: set[int] = set()

    def held(self) -> set[int]:
        return self.kept

    def take(
        self, ids: array[int], places: dict[int, int], sought: set[int], *, more: bool
    ) -> None:
        self.ids = ids

    def may_grow(self) -> bool:
        return not self.kept

    def whole(self) -> None:
        pass

    def append(self, ids: array[int], places: dict[int, int]) -> None:
        self.ids.extend(ids)

    def look(self, *, ended: bool) -> None:
        self.ended += ended


class Kit:
    """A loader over chunks that come when ``gate`` opens."""

    def __init__(self, chunks: int = 3) -> None:
        self.shown = Shown()
        self.trouble: list[Message] = []
        self.spawn = Spawner(self.trouble.append)
        self.gate = asyncio.Event()
        self.chunks = chunks
        self.read: list[tuple[Sort, bool]] = []
        self.left: list[Sort] = []
        self.fault: Exception | None = None
        services = SimpleNamespace(queries=SimpleNamespace(id_chunks=self.id_chunks))
        context: Any = SimpleNamespace(spawn=self.spawn, services=services)
        self.loader = Loader(context, self.shown)

    async def id_chunks(
        self, which: TaskFilter, sort: Sort, descending: bool
    ) -> AsyncGenerator[array[int], None]:
        self.read.append((sort, descending))
        try:
            for n in range(self.chunks):
                if n:
                    await self.gate.wait()
                if self.fault is not None:
                    raise self.fault
                yield array("q", [10 * n, 10 * n + 1])
        except asyncio.CancelledError:
            self.left.append(sort)
            raise

    def show(self, sort: Sort, descending: bool = False) -> None:
        self.loader.show(TaskFilter(), sort, descending)


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Kit]:
    monkeypatch.setattr(module, "EVERY_S", 0.0)
    monkeypatch.setattr(module, "SHARE", 1.0)
    return Kit


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_another_list_leaves_the_one_on_its_way_in_the_middle(
    kit: Callable[..., Kit],
) -> None:
    made = kit()
    made.show(Sort.NOTE)
    await turns()
    assert list(made.shown.ids) == [0, 1]
    made.show(Sort.PICTURE, True)
    await turns()
    assert made.left == [Sort.NOTE]
    assert made.loader.is_busy
    made.gate.set()
    await made.spawn.settle()
    assert made.read == [(Sort.NOTE, False), (Sort.PICTURE, True)]
    assert list(made.shown.ids) == [0, 1, 10, 11, 20, 21]
    assert (made.loader.is_known, made.loader.is_busy, made.shown.ended) == (True, False, 1)


async def test_one_that_was_not_begun_is_never_read(kit: Callable[..., Kit]) -> None:
    made = kit()
    for sort in Sort:
        made.show(sort)
    made.gate.set()
    await made.spawn.settle()
    assert made.read == [(list(Sort)[-1], False)]


async def test_what_changes_while_a_list_is_read_has_it_read_once_more_and_not_from_the_start(
    kit: Callable[..., Kit],
) -> None:
    made = kit()
    made.show(Sort.NOTE)
    for _ in range(4):
        await turns()
        made.loader.refresh()
    assert made.left == []
    assert list(made.shown.ids) == [0, 1]  # the first rows are there
    made.gate.set()
    await made.spawn.settle()
    assert made.read == [(Sort.NOTE, False)] * 2
    assert made.left == []


async def test_another_list_leaves_a_refresh_too(kit: Callable[..., Kit]) -> None:
    made = kit()
    made.gate.set()
    made.show(Sort.NOTE)
    await made.spawn.settle()
    made.gate.clear()
    made.loader.refresh()
    await turns()
    assert made.read == [(Sort.NOTE, False)] * 2
    made.show(Sort.TIME)
    await turns()
    assert made.left == [Sort.NOTE]
    made.gate.set()
    await made.spawn.settle()
    assert made.read[2:] == [(Sort.TIME, False)]
    made.loader.refresh()  # and the next one is served
    await made.spawn.settle()
    assert made.read[3:] == [(Sort.TIME, False)]


async def test_a_list_that_cannot_be_read_is_no_longer_waited_for(
    kit: Callable[..., Kit],
) -> None:
    made = kit()
    made.fault = OperatorError(message("store.disk_full"))
    made.show(Sort.NOTE)
    await made.spawn.settle()
    assert made.trouble == [message("store.disk_full")]
    assert (made.loader.is_busy, made.loader.is_known, made.shown.ended) == (False, False, 1)
    made.fault = None
    made.gate.set()
    made.loader.refresh()
    await made.spawn.settle()
    assert (made.loader.is_known, list(made.shown.ids)) == (True, [0, 1, 10, 11, 20, 21])


async def test_the_end_of_the_program_leaves_a_list_without_a_word(
    kit: Callable[..., Kit],
) -> None:
    made = kit()
    made.show(Sort.NOTE)
    await turns()
    made.loader.refresh()
    await made.spawn.finish()
    assert (made.left, made.trouble, made.shown.ended) == ([Sort.NOTE], [], 0)
