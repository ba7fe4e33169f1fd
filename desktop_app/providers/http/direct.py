"""The library's own lines without the pool that shares them out: a transport that serves one call
at a time has nothing to share (measured: a sixth of all that a short call costs)."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from types import TracebackType
from typing import Any

import anyio
import httpcore
import httpx

_SCHEMES = ("http", "https")
_TROUBLES = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError)
_Place = tuple[bytes, bytes, int | None]


class DirectLines(httpx.AsyncBaseTransport):
    """One line to each host, for one call at a time (see ``SmallPools``), without a proxy. A line
    that broke, that the host ended, or that was idle for ``idle_s`` is closed and made anew.

    Raises what httpx's own transport raises. Nothing is connected before the first call.
    """

    def __init__(
        self,
        backend: httpcore.AsyncNetworkBackend,
        tls: ssl.SSLContext,
        *,
        idle_s: float,
        socket_options: Sequence[tuple[int, int, int]] = (),
    ) -> None:
        self._backend = backend
        self._tls = tls
        self._idle_s = idle_s
        self._options = socket_options
        self._lines: dict[_Place, httpcore.AsyncHTTP11Connection] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See httpx."""
        url = request.url
        if url.scheme not in _SCHEMES:
            raise httpx.UnsupportedProtocol(f"no way to speak {url.scheme!r}", request=request)
        address = httpcore.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        try:
            line = await self._line(address, request)
            answer = await line.handle_async_request(
                httpcore.Request(
                    request.method,
                    address,
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        except _TROUBLES as trouble:
            raise _in_words_of_httpx(trouble) from trouble
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Stream(answer.stream),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close every line."""
        lines, self._lines = self._lines, {}
        for line in lines.values():
            await line.aclose()

    async def _line(
        self, address: httpcore.URL, request: httpx.Request
    ) -> httpcore.AsyncHTTP11Connection:
        for known, line in list(self._lines.items()):
            if not line.is_available() or line.has_expired():
                del self._lines[known]
                await line.aclose()
        place = address.scheme, address.host, address.port
        if place not in self._lines:
            self._lines[place] = await self._open(address.origin, request)
        return self._lines[place]

    async def _open(
        self, origin: httpcore.Origin, request: httpx.Request
    ) -> httpcore.AsyncHTTP11Connection:
        """A line on which nothing was said yet."""
        host = origin.host.decode("ascii")
        told: dict[str, Any] = request.extensions
        timeout_s = told.get("timeout", {}).get("connect")
        stream = await self._backend.connect_tcp(
            host, origin.port, timeout_s, socket_options=self._options
        )
        if origin.scheme == b"https":
            self._tls.set_alpn_protocols(["http/1.1"])
            try:
                stream = await stream.start_tls(
                    self._tls, told.get("sni_hostname") or host, timeout_s
                )
            except BaseException:
                with anyio.CancelScope(shield=True):
                    await stream.aclose()
                raise
        made: Any = httpcore.AsyncHTTP11Connection(origin, stream, self._idle_s)
        # Nobody else is on the line, and each passing of a lock costs a turn of the loop.
        made._state_lock = _Alone()
        line: httpcore.AsyncHTTP11Connection = made
        return line


class _Alone:
    """A lock for one."""

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


class _Stream(httpx.AsyncByteStream):
    """An answer's body, whose troubles are httpx's."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._parts: AsyncGenerator[bytes, None] = aiter(inner)
        self._ran_out = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._parts)
        except StopAsyncIteration:
            self._ran_out = True
            raise
        except _TROUBLES as trouble:
            raise _in_words_of_httpx(trouble) from trouble

    async def aclose(self) -> None:
        await self._inner.aclose()
        if not self._ran_out:
            # What the library leaves half read it ends in a task of its own, in the next turn.
            await self._parts.aclose()
            await asyncio.sleep(0)


def _in_words_of_httpx(trouble: Exception) -> httpx.TransportError:
    """Both libraries call their troubles by the same names."""
    kind = getattr(httpx, type(trouble).__name__, httpx.TransportError)
    made: httpx.TransportError = kind(str(trouble))
    return made
