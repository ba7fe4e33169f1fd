"""Results lie on other hosts: they are fetched without the key, and only the fetch is repeated."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.text import message
from desktop_app.providers.http.proxies import proxy_for
from desktop_app.providers.http.reading import IDENTITY, read_body
from desktop_app.providers.http.transport import HttpLimits, open_client
from desktop_app.providers.redact import Scrubber

_HOPS = 5
_FIRST_WAIT_S = 0.5
_PASSING = frozenset({404, 408, 425, 429})  # 404: storage may lag behind the answer


@dataclass(frozen=True, slots=True)
class _Missed:
    """A try that brought nothing. ``final``: another one would not either."""

    reason: str
    final: bool = False
    too_large: bool = False


class Downloader:
    """Fetches result URLs exactly as given (signed URLs must not be re-encoded)."""

    def __init__(
        self,
        proxy_setting: str,
        tls: ssl.SSLContext,
        clock: Clock,
        limits: HttpLimits,
        scrub: Scrubber,
    ) -> None:
        self._proxy_setting = proxy_setting
        self._tls = tls
        self._clock = clock
        self._limits = limits
        self._scrub = scrub
        self._clients: dict[str | None, httpx.AsyncClient] = {}

    async def fetch(self, url: str) -> bytes:
        """The bytes behind ``url``. Raises ProviderFailure ``unknown``: the result was billed, and
        its address is in ``body`` so that a person can still fetch it."""
        missed = _Missed("")
        try:
            async with asyncio.timeout(self._limits.download_s):
                for number in range(self._limits.download_tries):
                    if number:
                        await self._clock.sleep(_FIRST_WAIT_S * 2 ** (number - 1))
                    found = await self._try(url)
                    if isinstance(found, bytes):
                        return found
                    missed = found
                    if missed.final:
                        break
        except TimeoutError:
            missed = _Missed("timeout")
        raise ProviderFailure(self._failure(url, missed)) from None

    async def _try(self, url: str) -> bytes | _Missed:
        try:
            for _ in range(_HOPS):
                client = await self._client(url)
                async with client.stream("GET", url, headers=IDENTITY) as response:
                    if response.has_redirect_location:
                        url = urljoin(url, response.headers["location"])
                        continue
                    return await self._body(response)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError):
            return _Missed("bad address", final=True)
        except (httpx.HTTPError, OSError) as trouble:
            return _Missed(type(trouble).__name__)
        return _Missed("too many redirects", final=True)

    async def _body(self, response: httpx.Response) -> bytes | _Missed:
        status = response.status_code
        if status >= 400:
            return _Missed(f"HTTP {status}", final=status < 500 and status not in _PASSING)
        found = await read_body(response, self._limits.picture_bytes)
        if found.over:
            return _Missed("too large", final=True, too_large=True)
        if not found.complete or not found.data:
            return _Missed("cut short")
        return found.data

    async def _client(self, url: str) -> httpx.AsyncClient:
        proxy = await asyncio.to_thread(proxy_for, url, self._proxy_setting)
        if proxy not in self._clients:
            self._clients[proxy] = open_client(proxy, self._tls, self._limits)
        return self._clients[proxy]

    def _failure(self, url: str, missed: _Missed) -> Failure:
        if missed.too_large:
            megabytes = self._limits.picture_bytes // (1024 * 1024)
            code, said = "too_large", message("providers.too_large", megabytes=megabytes)
        else:
            host = urlsplit(url).netloc.rpartition("@")[2]
            code = "download_failed"
            said = message("providers.download_failed", host=host, text=missed.reason)
        body = self._scrub(f"{missed.reason}: {url}", 2000)
        return Failure(FailureClass.UNKNOWN, code, said, body=body, billed=True)

    async def close(self) -> None:
        """Close every line."""
        for client in self._clients.values():
            await client.aclose()
