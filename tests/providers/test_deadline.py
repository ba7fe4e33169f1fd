"""Late is late, but not for what had arrived while everything stood still."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from desktop_app.providers.http.deadline import Deadline


async def test_a_silent_line_ends_at_the_deadline() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(TimeoutError):
        async with Deadline(0.05, read_s=60):
            await asyncio.Event().wait()
    assert loop.time() - began < 30


async def test_again_counts_anew() -> None:
    async def wait() -> None:
        async with Deadline(3600) as deadline:
            deadline.again(0.01)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await wait()


async def test_what_arrived_while_the_process_stood_still_is_read() -> None:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    async with Deadline(0.02, frozen_s=0.05):
        asyncio.get_running_loop().call_soon(_stand_still, theirs)
        assert await reader.readexactly(6) == b"answer"
    writer.close()
    theirs.close()


async def test_standing_still_gives_no_second_life_to_a_silent_line() -> None:
    async def wait() -> None:
        async with Deadline(0.02, frozen_s=0.05, read_s=0.02):
            asyncio.get_running_loop().call_soon(time.sleep, 0.1)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await wait()


def _stand_still(theirs: socket.socket) -> None:
    time.sleep(0.1)
    theirs.sendall(b"answer")
