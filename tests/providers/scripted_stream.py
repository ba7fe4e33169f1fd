"""A line whose other side says what it was told to, in place of a socket."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Sequence
from typing import Any

import httpcore

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody"


class ScriptedStream(httpcore.AsyncNetworkStream):
    """Says ``script``, an item a read (an exception is raised), and then its end."""

    def __init__(self, *script: bytes | Exception) -> None:
        self.script = list(script)
        self.written = b""
        self.closed = 0
        self.is_readable = False
        self.write_trouble: Exception | None = None
        self.tls_trouble: Exception | None = None
        self.tls_hosts: list[str | None] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del max_bytes, timeout
        said = self.script.pop(0) if self.script else b""
        if isinstance(said, Exception):
            raise said
        return said

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        if self.write_trouble is not None:
            raise self.write_trouble
        self.written += buffer

    async def aclose(self) -> None:
        self.closed += 1

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        del ssl_context, timeout
        self.tls_hosts.append(server_hostname)
        if self.tls_trouble is not None:
            raise self.tls_trouble
        return self

    def get_extra_info(self, info: str) -> Any:
        return self.is_readable if info == "is_readable" else None


class ScriptedBackend(httpcore.AsyncNetworkBackend):
    """Hands out the given streams in turn, and then ones that answer whatever is asked."""

    def __init__(self, streams: Sequence[ScriptedStream] = ()) -> None:
        self._next = list(streams)
        self.made: list[ScriptedStream] = []
        self.asked: list[tuple[str, int, float | None]] = []
        self.trouble: Exception | None = None

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        del local_address, socket_options
        self.asked.append((host, port, timeout))
        if self.trouble is not None:
            raise self.trouble
        self.made.append(self._next.pop(0) if self._next else ScriptedStream(*[ANSWER] * 9))
        return self.made[-1]
