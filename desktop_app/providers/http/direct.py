"""Lines straight to their hosts. Of a short call the library's own way to send it (a request and an
answer in two layers each, a pool, a lock and a trace for every step) takes more than all else that
is done for it (measured: half of its instructions); h11, which it stands on, does not.
"""

from __future__ import annotations

import ssl
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple

import h11
import httpcore
import httpx

from desktop_app.providers.http.h11_line import H11Line
from desktop_app.providers.http.lines import Content
from desktop_app.providers.http.tap import TappedBackend

_PORTS = {"http": 80, "https": 443}
_WITH_BODIES = frozenset({"POST", "PUT", "PATCH"})

_Origin = tuple[str, str, int]


class _Place(NamedTuple):
    origin: _Origin
    target: bytes
    host: bytes
    """As its header says it."""


class DirectLines:
    """Implements ``Lines``. A call takes the line to its host that was used last: it is the
    warmest. One that nobody needed for ``idle_s`` is used no more, so that a stale socket can't
    look like a lost answer, and closed when a call ends."""

    def __init__(
        self,
        tls: ssl.SSLContext,
        options: Iterable[tuple[int, int, int]],
        headers: Mapping[str, str],
        *,
        idle_s: float,
        backend: httpcore.AsyncNetworkBackend | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """``options`` are set on each socket; ``headers`` go with every request."""
        tls.set_alpn_protocols(["http/1.1"])
        self._tls = tls
        self._options = tuple(options)
        self._headers = dict(headers)
        self._idle_s = idle_s
        self._backend = backend or TappedBackend()
        self._monotonic = monotonic
        self._all: set[H11Line] = set()
        self._free: dict[_Origin, deque[tuple[float, H11Line]]] = {}
        self._known: tuple[httpx.URL | None, _Place] = None, _Place(("", "", 0), b"", b"")

    async def ask(
        self,
        method: str,
        url: httpx.URL,
        headers: Mapping[str, str],
        content: Content,
        connect_s: float,
    ) -> _Coming:
        """See ``Lines``."""
        place = self._place_of(url)
        said = [(b"Host", place.host)]
        for name, value in {**self._headers, **headers}.items():
            said.append((name.encode("ascii"), value.encode("ascii")))
        if not isinstance(content, AsyncGenerator) and (content or method in _WITH_BODIES):
            said.append((b"Content-Length", b"%d" % len(content or b"")))
        line = await self._take(place.origin) or await self._open(place.origin, connect_s)
        try:
            await line.say(method, place.target, said, content)
            head = await line.head()
        except BaseException:
            await self._close(line)
            raise
        return _Coming(line, head, lambda: self._end(line, place.origin))

    async def aclose(self) -> None:
        """See ``Lines``."""
        lines, self._all = self._all, set()
        self._free.clear()
        for line in lines:
            await line.aclose()

    def _place_of(self, url: httpx.URL) -> _Place:
        """Most calls go to the address of the one before."""
        if url is not self._known[0]:
            if url.scheme not in _PORTS or not url.host:
                raise httpx.UnsupportedProtocol("No http:// or https:// address of a host.")
            host = url.raw_host.decode("ascii")
            origin = url.scheme, host, url.port or _PORTS[url.scheme]
            self._known = url, _Place(origin, url.raw_path, url.netloc)
        return self._known[1]

    async def _take(self, origin: _Origin) -> H11Line | None:
        free = self._free.get(origin)
        while free:
            since, line = free.pop()
            if self._monotonic() - since <= self._idle_s and not line.has_ended:
                return line
            await self._close(line)
        return None

    async def _open(self, origin: _Origin, connect_s: float) -> H11Line:
        scheme, host, port = origin
        try:
            stream = await self._backend.connect_tcp(host, port, connect_s, None, self._options)
            if scheme == "https":
                try:
                    stream = await stream.start_tls(self._tls, host, connect_s)
                except BaseException:
                    await stream.aclose()
                    raise
        except httpcore.ConnectTimeout as trouble:
            raise httpx.ConnectTimeout(str(trouble)) from trouble
        except httpcore.ConnectError as trouble:
            raise httpx.ConnectError(str(trouble)) from trouble
        line = H11Line(stream)
        self._all.add(line)
        return line

    async def _end(self, line: H11Line, origin: _Origin) -> None:
        now = self._monotonic()
        if line in self._all and line.serves_again():
            self._free.setdefault(origin, deque()).append((now, line))
        else:
            await self._close(line)
        for free in list(self._free.values()):
            while free and now - free[0][0] > self._idle_s:
                await self._close(free.popleft()[1])

    async def _close(self, line: H11Line) -> None:
        self._all.discard(line)
        await line.aclose()


class _Coming:
    """Implements ``Coming``."""

    def __init__(
        self, line: H11Line, head: h11.Response, on_end: Callable[[], Awaitable[None]]
    ) -> None:
        self.status_code: int = head.status_code
        self._line = line
        self._head = head
        self._on_end = on_end
        self._is_open = True

    @property
    def headers(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for raw_name, raw in self._head.headers:
            name, value = raw_name.decode("latin-1"), raw.decode("latin-1")
            found[name] = f"{found[name]}, {value}" if name in found else value
        return found

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        # Whoever ends it early has no more to do with the line, which another call may have.
        while self._is_open and (part := await self._line.part()) is not None:
            yield part

    async def aclose(self) -> None:
        if self._is_open:
            self._is_open = False
            await self._on_end()
