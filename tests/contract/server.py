"""A small scripted HTTP server: it can do on a socket what no framework lets a test do."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came over the line. Header names are lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Reply:
    """What to do with a request.

    ``drop``: cut the line without a byte. ``cut``: announce the body, send this many bytes of it
    (or all of it), and cut without a word. ``hang``: never answer (until the server is closed).
    ``drip``: after the body send this every 10 ms, or nothing, until a side closes.
    ``before``: called first.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    cut: int | None = None
    hang: bool = False
    drip: bytes | None = None
    before: Callable[[], None] = lambda: None


def json_reply(
    found: Any,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **more: Any,
) -> Reply:
    body = json.dumps(found, ensure_ascii=False).encode()
    return Reply(status, body, {"content-type": "application/json", **(headers or {})}, **more)


class ScriptedServer:
    """Answers each path with its replies in order, the last one for ever. Unknown paths: 404.

    ``seen`` are the requests in order, but those to paths set ``aside``.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.seen: list[Seen] = []
        self.connections = 0
        self.port = 0
        self._replies: dict[str, list[Reply]] = {}
        self._aside: dict[str, Reply] = {}
        self._server: asyncio.Server | None = None
        self.line_ended = asyncio.Event()  # a line was closed from this side
        self._closing = asyncio.Event()
        self._arrived = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def on(self, path: str, *replies: Reply) -> None:
        """Set the replies of a path (the target up to ``?``)."""
        self._replies[path] = list(replies)

    def aside(self, path: str, reply: Reply) -> None:
        """Answer a path (without a host, whichever a proxy is asked for), unseen."""
        self._aside[path] = reply

    async def arrival(self) -> None:
        """Wait until a request has been read whole."""
        await self._arrived.wait()

    async def start(self) -> None:
        # A client that keeps its line open answers no farewell; asyncio would wait 30 s for one.
        patience = {} if self._tls is None else {"ssl_shutdown_timeout": 0.1}
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", 0, ssl=self._tls, **patience
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self._closing.set()
        if self._server is not None:
            self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while await self._serve_one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:
            pass  # closing; a cancelled handler would be logged by asyncio
        finally:
            writer.close()
            with suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()
            self.line_ended.set()
            self._tasks.discard(task)

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        seen = await self._read(reader)
        path = seen.target.partition("?")[0]
        unseen = self._aside.get(urlsplit(path).path) if path not in self._replies else None
        if unseen is None:
            self.seen.append(seen)
            self._arrived.set()
        reply = unseen or self._next(path)
        reply.before()
        if reply.hang:
            await self._closing.wait()
            return False
        if reply.drop:
            writer.transport.abort()
            return False
        headers = {"content-length": str(len(reply.body)), **reply.headers}
        if "transfer-encoding" in headers:
            del headers["content-length"]
        lines = [f"HTTP/1.1 {reply.status} X", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")
        if seen.method == "HEAD":
            await writer.drain()
            return True
        writer.write(reply.body if reply.cut is None else reply.body[: reply.cut])
        await writer.drain()
        while reply.drip is not None and not self._closing.is_set():
            writer.write(reply.drip)
            await writer.drain()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), 0.01)
        return reply.cut is None and reply.drip is None

    def _next(self, path: str) -> Reply:
        replies = self._replies.get(path)
        if not replies:
            return json_reply({"error": {"message": f"no {path}", "type": "not_found"}}, 404)
        return replies.pop(0) if len(replies) > 1 else replies[0]

    @staticmethod
    async def _read(reader: asyncio.StreamReader) -> Seen:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {}
        for line in rest:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        return Seen(method, target, headers, body)
