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


async def test_silence_after_something_came_ends_it_sooner() -> None:
    async def wait(found: list[Deadline]) -> None:
        async with Deadline(3600) as deadline:
            found.append(deadline)
            for _ in range(3):
                deadline.heard(0.05)
                await asyncio.sleep(0)
            await asyncio.Event().wait()

    found: list[Deadline] = []
    with pytest.raises(TimeoutError):
        await wait(found)
    assert found[0].went_silent


async def test_what_comes_puts_the_end_off() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with Deadline(3600, frozen_s=60) as deadline:
        while loop.time() - began < 0.3:
            deadline.heard(0.2)
            await asyncio.sleep(0.01)
    assert not deadline.went_silent


async def test_no_silence_is_too_long_while_none_was_named() -> None:
    async with Deadline(3600) as deadline:
        deadline.heard(0.02)
        deadline.heard(None)
        await asyncio.sleep(0.06)
    assert not deadline.went_silent


async def test_the_deadline_of_the_whole_holds_for_who_keeps_talking() -> None:
    async def talk() -> None:
        async with Deadline(0.05) as deadline:
            while True:
                deadline.heard(60)
                await asyncio.sleep(0.001)

    with pytest.raises(TimeoutError):
        await talk()


async def test_a_word_that_lay_there_while_all_stood_still_ends_the_silence() -> None:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    async with Deadline(3600, frozen_s=0.05, read_s=0.1) as deadline:
        deadline.heard(0.02)
        asyncio.get_running_loop().call_soon(_stand_still, theirs)
        assert await reader.readexactly(6) == b"answer"
        deadline.heard(60)
        await asyncio.sleep(0.2)
    assert not deadline.went_silent
    writer.close()
    theirs.close()


async def test_the_deadline_of_the_whole_may_come_while_a_silent_line_is_closed() -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))

    async def wait() -> None:
        async with Deadline(0.05) as deadline:
            deadline.heard(0.01)
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.1)

    with pytest.raises(TimeoutError):
        await wait()
    assert faults == []
