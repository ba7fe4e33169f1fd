"""What the ledger knows of lines agrees with what a client read of them, byte for byte."""

from __future__ import annotations

import asyncio
import json

from desktop_app.practice.lines import CountedTransport, Passage
from tests.practice.practice_kit import KEY, Starter

BODY = json.dumps({"model": "practice", "prompt": "a mug", "size": "64x64"}).encode()


def head(key: str, length: int = len(BODY)) -> bytes:
    return (
        "POST /v1/images/generations HTTP/1.1\r\nHost: practice\r\n"
        f"Authorization: Bearer {KEY}\r\nContent-Type: application/json\r\n"
        f"Idempotency-Key: {key}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


async def read_answer(reader: asyncio.StreamReader) -> int:
    """How many bytes one answer had."""
    top = await reader.readuntil(b"\r\n\r\n")
    lengths = [
        int(line.split(b":")[1])
        for line in top.lower().split(b"\r\n")
        if line.startswith(b"content-length:")
    ]
    return len(top) + len(await reader.readexactly(lengths[0]))


async def test_an_answer_ends_where_the_client_has_read_it_whole(start: Starter) -> None:
    server = await start()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    port = writer.get_extra_info("sockname")[1]
    writer.write(head("one") + BODY)
    first = await read_answer(reader)
    writer.write(head("two") + BODY)
    second = await read_answer(reader)
    told = (await server.ledger(calls=True))["passages"]
    assert [(p["key"], p["peer_port"], p["answer_ends"]) for p in told] == [
        ("one", port, first),
        ("two", port, first + second),
    ]
    writer.close()
    await writer.wait_closed()


async def test_a_request_of_which_only_the_head_came_is_known(start: Starter) -> None:
    server = await start()
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(head("half") + BODY[:10])
    await writer.drain()
    # One loop serves all lines in the order in which they spoke.
    told = await server.ledger(calls=True)
    writer.close()
    await writer.wait_closed()
    assert [(p["key"], p["answer_ends"]) for p in told["passages"]] == [("half", None)]
    assert told["attempts"] == 0


async def test_an_answer_to_nobody_never_ends(start: Starter) -> None:
    server = await start()
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    line = CountedTransport(writer.transport)
    passage = Passage("gone", line.peer_port, 0.0)
    line.write(b"GET ")
    line.abort()
    line.write(b"never sent")
    await passage.answered(line)
    assert (line.written, passage.answer_ends) == (4, None)
