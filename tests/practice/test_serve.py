"""Serving in a loop of one's own."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path

import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol

from desktop_app.domain.text import OperatorError
from desktop_app.practice.config import PROFILES
from desktop_app.practice.environ import new_key
from desktop_app.practice.serve import serve
from tests.practice.practice_kit import FONT, Starter


async def test_signal_handlers_are_left_alone(start: Starter) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    await start()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


async def test_the_last_ledger_comes_back_and_open_calls_are_cut(start: Starter) -> None:
    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(
        serve(PROFILES["demo"], font=FONT, key="k", ready=port.set_result)
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", await port)
    body = b'{"model":"m","prompt":"mug"}'
    writer.write(
        b"POST /v1/images/generations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    )
    await asyncio.sleep(0.05)
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()


async def test_a_taken_port_and_a_missing_font_are_sentences() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(OperatorError) as error:
            await serve(PROFILES["demo"], font=FONT, key="k", port=taken.getsockname()[1])
        assert error.value.message.code == "practice.port_taken"
    with pytest.raises(OperatorError) as error:
        await serve(PROFILES["demo"], font=Path("none.otf"), key="k")
    assert error.value.message.code == "practice.no_font"


def test_keys_are_random_and_long() -> None:
    assert len({new_key() for _ in range(50)}) == 50
    assert len(new_key()) > 30


async def test_an_answer_leaves_at_once_and_waits_for_no_acknowledgement(
    start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []
    made = H11Protocol.connection_made

    def spy(self: H11Protocol, transport: asyncio.Transport) -> None:
        made(self, transport)
        asyncio.get_running_loop().call_soon(
            lambda: found.append(
                transport.get_extra_info("socket").getsockopt(
                    socket.IPPROTO_TCP, socket.TCP_NODELAY
                )
            )
        )

    monkeypatch.setattr(H11Protocol, "connection_made", spy)
    running = await start()
    await running.draw("mug")
    assert found
    assert all(found)
