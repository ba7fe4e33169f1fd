"""Two moments decide what a crash leaves in doubt: just before a request's first byte leaves, and
just after the last one of its answer is in. The line itself knows both; the library above it lets
a millisecond pass first, in which a kill would cost a paid answer.
"""

from __future__ import annotations

import select
import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import anyio
import httpcore
import httpx
from anyio.abc import ByteStream

from desktop_app.providers.http.lean import LeanStream, lean

_HEAD_END = b"\r\n\r\n"
_HEAD_BYTES = 256 * 1024

JOINED_BYTES = 64 * 1024
"""The largest body that leaves together with its head: of more the copy costs more."""


class Tap:
    """Listens to one call on whatever line it takes.

    ``on_begin`` is called once, before its first byte leaves (a CONNECT to a proxy is not the
    request). ``on_whole(status, headers, body)`` is called once an answer of a told length, at
    most ``limit`` bytes, is in; of others, and of packed ones, only the library knows the end.
    Header names are lower case.

    ``joins``: the request's body is at hand, so that its head waits for it and both leave in one
    go: one call of the system, and one packet where there were two.
    """

    def __init__(
        self,
        on_begin: Callable[[], None],
        on_whole: Callable[[int, dict[str, str], bytes], None],
        limit: int,
        *,
        joins: bool = False,
    ) -> None:
        self._on_begin = on_begin
        self._on_whole = on_whole
        self._limit = limit
        self._joins = joins
        self._head_waits = b""
        self._begun = False
        self._came: bytearray | None = bytearray()
        self._head: tuple[int, dict[str, str], int, int] | None = None

    def leaving(self, data: bytes) -> bytes:
        """These bytes leave next; returns those that are to leave now."""
        if self._begun or data.startswith(b"CONNECT "):
            return data
        if self._joins and not self._head_waits and data.endswith(_HEAD_END):
            self._head_waits = data
            return b""
        data, self._head_waits = self._head_waits + data, b""
        self._begun = True
        self._on_begin()
        return data

    def arrived(self, data: bytes) -> None:
        """These bytes are in."""
        if not self._begun or self._came is None:
            return
        self._came += data
        if self._head is None and not self._read_head(self._came):
            return
        if self._head is not None:
            status, headers, start, end = self._head
            if len(self._came) >= end:
                body, self._came = bytes(self._came[start:end]), None
                self._on_whole(status, headers, body)

    def _read_head(self, came: bytearray) -> bool:
        """Whether the head is in."""
        start = came.find(_HEAD_END) + len(_HEAD_END)
        if start < len(_HEAD_END):
            if len(came) > _HEAD_BYTES:
                self._came = None
            return False
        first, *lines = bytes(came[: start - len(_HEAD_END)]).decode("latin-1").split("\r\n")
        status = first[9:12]
        if status.startswith("1"):
            del came[:start]
            return self._read_head(came)
        fields = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in fields}
        length = headers.get("content-length", "")
        packed = headers.keys() & {"content-encoding", "transfer-encoding"}
        if packed or not (length.isdecimal() and status.isdecimal()) or int(length) > self._limit:
            self._came = None
            return False
        self._head = int(status), headers, start, start + int(length)
        return True


_tap: ContextVar[Tap | None] = ContextVar("tap", default=None)


@contextmanager
def tapped(tap: Tap) -> Iterator[None]:
    """What this task says and hears over lines inside the block goes past ``tap``."""
    token = _tap.set(tap)
    try:
        yield
    finally:
        _tap.reset(token)


def lay_taps(transport: httpx.AsyncHTTPTransport) -> None:
    """Let every line of the transport go past the taps. httpx has no public way to say so."""
    transport._pool._network_backend = TappedLines()


class TappedLines(httpcore.AsyncNetworkBackend):
    """Opens lines that go past the taps."""

    def __init__(self) -> None:
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        made: Any = await self._inner.connect_tcp(
            host, port, timeout, local_address, socket_options
        )
        made._stream = lean(made._stream)
        return _Line(made, made._stream)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Line(httpcore.AsyncNetworkStream):
    """``inner`` makes nothing quick of a time-out that is none: without one, what it stands on is
    asked itself. ``bottom`` is the socket's own stream."""

    def __init__(self, inner: Any, bottom: ByteStream) -> None:
        self._inner = inner
        self._stream: ByteStream = inner._stream
        self._bottom = bottom
        self._end = _End(inner.get_extra_info("socket"))

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if timeout is None:
            data = await self._receive(max_bytes)
        else:
            data = await self._inner.read(max_bytes, timeout)
        if (tap := _tap.get()) is not None:
            tap.arrived(data)
        return data

    async def _receive(self, max_bytes: int) -> bytes:
        try:
            return await self._stream.receive(max_bytes)
        except anyio.EndOfStream:
            return b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as trouble:
            raise httpcore.ReadError(trouble) from trouble

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer and (tap := _tap.get()) is not None:
            buffer = tap.leaving(buffer)
        if not buffer:
            return
        if timeout is not None:
            await self._inner.write(buffer, timeout)
            return
        try:
            await self._stream.send(buffer)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as trouble:
            raise httpcore.WriteError(trouble) from trouble

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        made = await self._inner.start_tls(ssl_context, server_hostname, timeout)
        return _Line(made, self._bottom)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # asked twice a call: the libraries below make long work of it
            has_more = isinstance(self._bottom, LeanStream) and self._bottom.has_more
            return has_more or self._end.is_there
        return self._inner.get_extra_info(info)


class _End:
    """Whether something came on an idle line, which is its end; so is a line without a socket."""

    def __init__(self, line: Any) -> None:
        self._line = line
        self._look: Any = None
        if hasattr(select, "poll") and line is not None and line.fileno() >= 0:
            self._look = select.poll()
            self._look.register(line.fileno(), select.POLLIN)

    @property
    def is_there(self) -> bool:
        if self._line is None or self._line.fileno() < 0:
            return True
        if self._look is not None:
            return bool(self._look.poll(0))
        return bool(select.select([self._line.fileno()], [], [], 0)[0])
