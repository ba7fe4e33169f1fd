"""Each call has a line for itself, the warmest that is free, and none stays open for nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from desktop_app.providers.http.small_pools import SmallPools

URL = "http://host/"


class Body(httpx.AsyncByteStream):
    def __init__(self, *, breaks: bool = False) -> None:
        self.breaks = breaks
        self.closed = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"bo"
        yield b"dy"

    async def aclose(self) -> None:
        self.closed += 1
        if self.breaks:
            raise httpx.ReadError("broken")


class Pool(httpx.AsyncBaseTransport):
    def __init__(self, number: int) -> None:
        self.number = number
        self.calls = 0
        self.closed = 0
        self.trouble: Exception | None = None
        self.body = Body()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        del request
        self.calls += 1
        if self.trouble is not None:
            raise self.trouble
        return httpx.Response(200, headers={"pool": str(self.number)}, stream=self.body)

    async def aclose(self) -> None:
        self.closed += 1


class Kit:
    def __init__(self) -> None:
        self.now = 100.0
        self.made: list[Pool] = []
        self.pools = SmallPools(self._make, idle_s=1.0, monotonic=lambda: self.now)

    def _make(self) -> Pool:
        self.made.append(Pool(len(self.made)))
        return self.made[-1]

    async def call(self) -> httpx.Response:
        return await self.pools.handle_async_request(httpx.Request("GET", URL))


def numbers(*responses: httpx.Response) -> list[int]:
    return [int(each.headers["pool"]) for each in responses]


async def test_calls_at_once_share_no_line_and_the_warmest_is_used_again() -> None:
    kit = Kit()
    first, second, third = [await kit.call() for _ in range(3)]
    assert numbers(first, second, third) == [0, 1, 2]
    assert await second.aread() == b"body"
    await second.aclose()
    await first.aclose()
    await first.aclose()  # once more frees nothing twice
    assert numbers(await kit.call(), await kit.call(), await kit.call()) == [0, 1, 3]


async def test_a_call_that_fails_leaves_its_line_to_the_next() -> None:
    kit = Kit()
    kit.made[0].trouble = httpx.ConnectError("refused")
    for _ in range(3):
        with pytest.raises(httpx.ConnectError):
            await kit.call()
    assert (len(kit.made), kit.made[0].calls) == (1, 3)
    kit.made[0].trouble = None
    response = await kit.call()
    kit.made[0].body.breaks = True
    with pytest.raises(httpx.ReadError):
        await response.aclose()
    assert numbers(await kit.call()) == [0]


async def test_lines_that_nobody_needs_are_closed_one_a_call() -> None:
    kit = Kit()
    for response in [await kit.call() for _ in range(4)]:
        await response.aclose()
    kit.now += 1.5
    for _ in range(5):
        await (await kit.call()).aclose()
    # The last one was used just now, however often.
    assert [pool.closed for pool in kit.made] == [1, 1, 1, 0]
    assert kit.made[3].calls == 6


async def test_all_are_closed_at_the_end_busy_ones_too() -> None:
    kit = Kit()
    busy, free = await kit.call(), await kit.call()
    await free.aclose()
    await kit.pools.aclose()
    assert [pool.closed for pool in kit.made] == [1, 1]
    await busy.aclose()
    assert numbers(await kit.call()) == [2]
