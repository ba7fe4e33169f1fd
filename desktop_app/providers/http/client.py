"""One connection's line to its own host: the only place where a key meets a request."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import partial
from urllib.parse import urlsplit

import httpx

from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.text import message
from desktop_app.providers.http.deadline import Deadline
from desktop_app.providers.http.download import Downloader, Wanted
from desktop_app.providers.http.key_hosts import may_have_key
from desktop_app.providers.http.knocking import knock
from desktop_app.providers.http.proxies import (
    is_loopback,
    proxy_for,
    proxy_label,
    proxy_password,
)
from desktop_app.providers.http.quiet import silence
from desktop_app.providers.http.reading import IDENTITY, Body, read_body, run_out
from desktop_app.providers.http.sse import Listener
from desktop_app.providers.http.tap import JOINED_BYTES, Tap, tapped
from desktop_app.providers.http.transport import (
    HttpLimits,
    open_lines,
    request_of,
    tls_context,
)
from desktop_app.providers.http.upload import Leaving, Upload
from desktop_app.providers.http.wire import Wire as Wire  # what ``send`` returns
from desktop_app.providers.http.wire import headers_without_key
from desktop_app.providers.redact import Scrubber
from desktop_app.providers.transport_errors import (
    Line,
    fell_silent,
    setup_failure,
    too_large,
    transport_failure,
    upload_cut,
)


class HttpClient:
    """Sends to ``connection``'s host and those that ``send`` is told, follows no redirect, and
    downloads results without a key.

    Nothing is opened before the first call.
    """

    def __init__(
        self,
        connection: Connection,
        secret: str | None,
        clock: Clock,
        limits: HttpLimits | None = None,
    ) -> None:
        self.connection = connection
        self.clock = clock
        self.limits = limits or HttpLimits()
        self.scrub = Scrubber([secret, proxy_password(connection.proxy)])
        self.proxy: str | None = None  # label, known after ``ready``
        self._lines: httpx.AsyncBaseTransport | None = None
        self._downloader: Downloader | None = None
        self._opening = asyncio.Lock()
        self._url = "", httpx.URL()

    async def ready(self) -> httpx.AsyncBaseTransport:
        """Open the lines off the loop's thread: trust and proxy settings are read from disk.
        Raises ProviderFailure when the proxy setting is unusable."""
        if self._lines is not None:
            return self._lines
        async with self._opening:
            if self._lines is None:
                silence()
                proxy, tls = await asyncio.to_thread(self._settings)
                try:
                    lines = open_lines(proxy, tls)
                except (ValueError, ImportError, httpx.InvalidURL):
                    said = message("providers.bad_proxy", proxy=proxy_label(proxy) or "")
                    raise ProviderFailure(setup_failure("bad_proxy", said)) from None
                self.proxy = proxy_label(proxy)
                self._downloader = Downloader(
                    self.connection.proxy,
                    tls,
                    self.clock,
                    self.limits,
                    self.scrub,
                    local=is_loopback(urlsplit(self.connection.base_url).hostname or ""),
                )
                self._lines = lines
            return self._lines

    def _settings(self) -> tuple[str | None, ssl.SSLContext]:
        return proxy_for(self.connection.base_url, self.connection.proxy), tls_context()

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | Upload | None,
        timeout_s: float,
        on_begin: Callable[[], None] = lambda: None,
        on_whole: Callable[[Wire], None] = lambda _: None,
        listener: Listener | None = None,
        key_hosts: Sequence[str] = (),
    ) -> Wire:
        """Send and read the whole answer, whatever its status; ``listener`` hears it come. ``url``
        is on the connection's host or one of ``key_hosts``; ValueError else.

        ``timeout_s`` is the hard deadline from the moment the request begins to leave, which is
        when ``on_begin`` is called. ``on_whole`` is given a complete answer the moment its last
        byte is in, before anything else may run. Raises ProviderFailure (offline, unknown) when
        no status came, or when a good answer was too large; of an Upload that did not become whole
        ``transient``, and what its pieces raise.
        """
        if not may_have_key(url, self.connection, key_hosts):
            raise ValueError("a key goes to the connection's own host only")
        lines = await self.ready()
        content: bytes | AsyncGenerator[bytes, None] | None
        leaving: Leaving | None = None
        if isinstance(body, Upload):
            leaving = Leaving(body)
            content = leaving.stretches()
            headers = {**headers, "Content-Length": str(body.length)}
        else:
            content = body
        line = self._line(timeout_s)
        started: float | None = None
        told: Wire | None = None
        objection: Exception | None = None

        def begin() -> None:
            nonlocal started, objection
            if started is None:
                try:
                    on_begin()
                except Exception as trouble:
                    objection = trouble
                    raise
                started = self.clock.monotonic()
                deadline.again(timeout_s)

        def wire_of(status: int, headers: Mapping[str, str], body: Body) -> Wire:
            elapsed = self.clock.monotonic() - (started if started is not None else 0.0)
            return Wire(
                status, headers_without_key(headers, self.scrub), body.data, elapsed, body.complete
            )

        def whole(status: int, headers: Mapping[str, str], body: Body) -> None:
            nonlocal told
            if told is None:
                told = wire_of(status, headers, body)
                on_whole(told)

        tap = Tap(
            begin,
            lambda *came: whole(came[0], came[1], Body(came[2])),
            self.limits.answer_bytes,
            joins=isinstance(content, bytes) and 0 < len(content) <= JOINED_BYTES,
        )
        try:
            async with Deadline(self.limits.begin_s) as deadline:
                address = self._url_of(url)
                request = request_of(method, address, {**IDENTITY, **headers}, content, self.limits)
                with tapped(tap):
                    response = await lines.handle_async_request(request)
                    most = self.limits.most_bytes(response.status_code)
                    heads = response.headers if told is None else told.headers
                    hears = None if listener is None else partial(listener.part, deadline)
                    if listener is not None:
                        listener.begins(response.status_code, heads)
                    try:
                        if told is not None and len(told.body) <= most:
                            await run_out(response, told.body, hears)
                            return told
                        came = await read_body(
                            response,
                            most,
                            lambda body: whole(response.status_code, response.headers, body),
                            hears,
                        )
                    finally:
                        await response.aclose()
        except (httpx.UnsupportedProtocol, httpx.InvalidURL):
            said = message("providers.bad_url", url=self.scrub.line(url))
            raise ProviderFailure(setup_failure("bad_url", said)) from None
        except Exception as trouble:
            # Layers below httpx let exceptions of their own through; whatever it was, what counts
            # is whether the request had begun. Only what the caller and the pieces of an upload
            # object to is no line trouble.
            if trouble is objection or isinstance(trouble, ProviderFailure):
                raise
            if told is not None:
                return told  # all that was to come had come
            failure = transport_failure(trouble, line, self.scrub, begun=started is not None)
            if started is not None and leaving is not None and not leaving.is_whole:
                failure = upload_cut(failure, line)
            elif deadline.went_silent and listener is not None:
                failure = fell_silent(failure, line, listener.idle_s)
            # ``from None``: the library's exception holds the request, and the request the key.
            raise ProviderFailure(failure) from None
        finally:
            if isinstance(content, AsyncGenerator):
                await content.aclose()
        if came.over and response.status_code < 400:
            raise ProviderFailure(too_large(response.status_code, self.limits.answer_bytes))
        if told is not None and came.complete:
            return told
        return wire_of(response.status_code, response.headers, came)

    def _url_of(self, url: str) -> httpx.URL:
        """Most calls go to the address of the one before. Raises httpx.InvalidURL."""
        if url != self._url[0]:
            self._url = url, httpx.URL(url)
        return self._url[1]

    async def check_line(self) -> None:
        """See whether the way to the host is open, by a connection on which nothing is said (to
        the proxy where there is one). Raises ProviderFailure ``offline``."""
        await self.ready()
        try:
            await knock(self.proxy or self.connection.base_url, self.limits.connect_s)
        except (OSError, TimeoutError) as trouble:
            line = self._line(self.limits.connect_s)
            failure = transport_failure(trouble, line, self.scrub, begun=False)
            raise ProviderFailure(failure) from None

    def _line(self, timeout_s: float) -> Line:
        return Line(self.connection.host, self.proxy, self.limits.connect_s, timeout_s)

    async def download(self, url: str, wanted: Wanted = bool) -> bytes:
        """Fetch a result without any key, see ``Downloader.fetch``."""
        return await (await self.keyless()).fetch(url, wanted)

    async def keyless(self) -> Downloader:
        """What fetches without any key. Raises as ``ready``."""
        await self.ready()
        assert self._downloader is not None
        return self._downloader

    async def close(self) -> None:
        """Close every line."""
        if self._lines is not None:
            await self._lines.aclose()
        if self._downloader is not None:
            await self._downloader.close()
