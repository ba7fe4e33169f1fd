"""A provider that calls, as a real one does: over a socket, byte by byte where a test wants it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from desktop_app.domain.clock import SystemClock
from desktop_app.domain.ports import CallbackRule
from desktop_app.domain.ports.callbacks import Addressee, Caller, Heard, ListeningPlace
from desktop_app.providers.callbacks.listener import Listener
from tests.engine.fakes import FakeSecrets


@dataclass
class Desk:
    """Knows attempts 1 to 9. ``trouble`` is raised where a call is acted on."""

    rule: CallbackRule = field(default_factory=lambda: CallbackRule("none"))
    secret: str | None = None
    calls: list[tuple[int, str | None]] = field(default_factory=list)
    trouble: Exception | None = None
    heard: Heard = Heard.POLLED
    hold: asyncio.Event | None = None
    anew: Callable[[], Awaitable[str | None]] | None = None
    came: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def caller(self, whose: Addressee) -> Caller | None:
        self.came.release()
        if self.hold is not None:
            await self.hold.wait()
        if whose.attempt_pk > 9:
            return None
        return Caller(self.rule, self.secret, lambda body: body["id"], self.anew)

    async def called(self, whose: Addressee, job_id: str | None) -> Heard:
        if self.trouble is not None:
            raise self.trouble
        self.calls.append((whose.attempt_pk, job_id))
        return self.heard


@asynccontextmanager
async def listening(
    desk: Desk, place: ListeningPlace | None = None, secrets: FakeSecrets | None = None
) -> AsyncIterator[Listener]:
    """A real listener on a free port of this machine."""
    listener = Listener(desk, secrets or FakeSecrets(), SystemClock())
    await listener.open(place or ListeningPlace())
    try:
        yield listener
    finally:
        await listener.close()


async def send(url: str, *pieces: bytes, apart_s: float = 0.0) -> int:
    """Bytes as they are; the status of the answer, 0 where the line was cut without one."""
    parts = urlsplit(url)
    try:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except ConnectionError:
        return 0
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(apart_s)
        line = await reader.readline()
        return int(line.split()[1]) if line else 0
    except ConnectionError:
        return 0
    finally:
        writer.close()


def request(
    url: str,
    body: bytes = b'{"id": "j1"}',
    headers: Mapping[str, str] | None = None,
    method: str = "POST",
) -> bytes:
    """One whole request."""
    parts = urlsplit(url)
    lines = [f"{method} {parts.path} HTTP/1.1", f"Host: {parts.netloc}"]
    given = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines += [f"{name}: {value}" for name, value in {**given, **(headers or {})}.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def post(
    url: str, body: bytes = b'{"id": "j1"}', headers: Mapping[str, str] | None = None
) -> int:
    """Call; the status of the answer."""
    return await send(url, request(url, body, headers))
