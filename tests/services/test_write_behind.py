"""Chunks are stored in their order, some at a time, and none behind the back of who left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from desktop_app.services.write_behind import behind


class Numbers:
    """Chunks that need no closing."""

    def __init__(self, count: int) -> None:
        self._left = iter(range(count))

    def __aiter__(self) -> AsyncIterator[int]:
        return self

    async def __anext__(self) -> int:
        for number in self._left:
            return number
        raise StopAsyncIteration


async def test_some_are_on_their_way_together_and_are_told_in_their_order() -> None:
    under_way = most = 0

    async def store(number: int) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        # The later ones end first.
        for _ in range(9 - number):
            await asyncio.sleep(0)
        under_way -= 1

    told = [number async for number in behind(Numbers(9), store, at_once=3)]
    assert told == list(range(9))
    assert most == 3


async def test_no_chunk_is_told_before_it_is_stored() -> None:
    stored: list[int] = []

    async def store(number: int) -> None:
        await asyncio.sleep(0)
        stored.append(number)

    async for number in behind(Numbers(5), store, at_once=2):
        assert number in stored
    assert stored == list(range(5))


async def test_what_fails_is_raised_in_its_place_and_ends_the_others() -> None:
    begun: list[int] = []
    ended: list[int] = []

    async def store(number: int) -> None:
        begun.append(number)
        try:
            if number == 2:
                raise OSError("no space")
            if number > 2:
                await asyncio.Event().wait()
        finally:
            ended.append(number)

    told = behind(Numbers(9), store, at_once=4)
    assert [await anext(told), await anext(told)] == [0, 1]
    with pytest.raises(OSError, match="no space"):
        await anext(told)
    assert 3 in begun
    assert ended == begun


async def test_who_leaves_early_leaves_no_call_behind() -> None:
    begun: list[int] = []
    ended: list[int] = []

    async def store(number: int) -> None:
        begun.append(number)
        try:
            if number:
                await asyncio.Event().wait()
        finally:
            ended.append(number)

    async with aclosing(behind(Numbers(9), store, at_once=3)) as told:
        assert await anext(told) == 0
    assert begun == [0, 1, 2]
    assert ended == begun
