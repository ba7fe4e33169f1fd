"""Results lie on other hosts: they are fetched without the key, and only the fetch is repeated."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

import httpx

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import RESULT_EXPIRED
from desktop_app.domain.text import message
from desktop_app.providers.http.proxies import is_loopback, proxy_for
from desktop_app.providers.http.reading import IDENTITY, read_body
from desktop_app.providers.http.transport import HttpLimits, open_client
from desktop_app.providers.redact import Scrubber

_HOPS = 5
_FIRST_WAIT_S = 0.5
_DOCUMENT_S = 8.0
_PASSING = frozenset({404, 408, 425, 429})  # 404: storage may lag behind the answer
_EXPIRED = frozenset({401, 403, 404, 410})  # a signature past its time is "forbidden" to most

Wanted = Callable[[bytes], bool]
"""Whether bytes are what was asked for, by their first look."""


@dataclass(frozen=True, slots=True)
class _Missed:
    """A try that brought nothing. ``final``: another one would not either; ``code`` tells why."""

    reason: str
    final: bool = False
    code: str = "download_failed"


class NotFetched(ProviderFailure):
    """``final``: another try would bring nothing either."""

    def __init__(self, failure: Failure, *, final: bool) -> None:
        super().__init__(failure)
        self.final = final


class Downloader:
    """Fetches result URLs exactly as given (signed URLs must not be re-encoded).

    ``local``: the provider runs on this machine, and so may its results; any other provider's
    answer must not make this program call services of this machine.
    """

    def __init__(
        self,
        proxy_setting: str,
        tls: ssl.SSLContext,
        clock: Clock,
        limits: HttpLimits,
        scrub: Scrubber,
        *,
        local: bool = False,
    ) -> None:
        self._local = local
        self._proxy_setting = proxy_setting
        self._tls = tls
        self._clock = clock
        self._limits = limits
        self._scrub = scrub
        self._clients: dict[str | None, httpx.AsyncClient] = {}

    async def fetch(self, url: str, wanted: Wanted = bool) -> bytes:
        """The bytes behind ``url`` for which ``wanted`` is true; else the fetch is repeated, as
        after any trouble on the way, until tries or time are used up.

        Raises NotFetched ``unknown``, since the result was billed: ``expired`` (ask the
        provider for a fresh address, if it has one), ``too_large``, ``not_a_picture`` or
        ``download_failed``; ``body`` holds the address, so that a person can still fetch it.
        """
        missed = _Missed("")
        try:
            async with asyncio.timeout(self._limits.download_s):
                for number in range(self._limits.download_tries):
                    if number:
                        await self._clock.sleep(_FIRST_WAIT_S * 2 ** (number - 1))
                    found = await self._try(url, wanted)
                    if isinstance(found, bytes):
                        return found
                    missed = found
                    if missed.final:
                        break
        except TimeoutError:
            missed = _Missed("timeout")
        raise NotFetched(self._failure(url, missed), final=missed.final) from None

    async def document(self, url: str, most: int) -> bytes:
        """A public document of at most ``most`` bytes from exactly this address, which a person
        or a file gave (no answer), by one try. Raises NotFetched ``download_failed``."""
        try:
            async with asyncio.timeout(_DOCUMENT_S):
                client = await self.client(url)
                async with client.stream("GET", url, headers=IDENTITY) as response:
                    found = await read_body(response, most)
                is_whole = response.status_code == 200 and found.complete and not found.over
                if is_whole:
                    return found.data
                missed = _Missed(f"HTTP {response.status_code}, {len(found.data)} bytes")
        except (httpx.InvalidURL, httpx.HTTPError, OSError, ValueError) as trouble:
            missed = _Missed(type(trouble).__name__)
        raise NotFetched(self._failure(url, missed), final=False) from None

    async def _try(self, url: str, wanted: Wanted) -> bytes | _Missed:
        try:
            for _ in range(_HOPS):
                if self.is_barred(url):
                    return _Missed("an address of this computer", final=True)
                client = await self.client(url)
                async with client.stream("GET", url, headers=IDENTITY) as response:
                    if response.has_redirect_location:
                        url = urljoin(url, response.headers["location"])
                        continue
                    return await self._body(response, wanted)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError):
            return _Missed("bad address", final=True)
        except (httpx.HTTPError, OSError) as trouble:
            return _Missed(type(trouble).__name__)
        return _Missed("too many redirects", final=True)

    def is_barred(self, url: str) -> bool:
        """Whether an address is not to be asked at all: see ``local``. Raises ValueError."""
        return not self._local and _is_inside(urlsplit(url).hostname or "")

    async def _body(self, response: httpx.Response, wanted: Wanted) -> bytes | _Missed:
        status, most = response.status_code, self._limits.picture_bytes
        if status >= 400:
            code = RESULT_EXPIRED if status in _EXPIRED else "download_failed"
            return _Missed(f"HTTP {status}", status < 500 and status not in _PASSING, code)
        declared = response.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > most:
            return _Missed("too large", final=True, code="too_large")
        found = await read_body(response, most)
        if found.over:
            return _Missed("too large", final=True, code="too_large")
        if not found.complete or not found.data:
            return _Missed("cut short")
        if not wanted(found.data):
            kind = response.headers.get("content-type", "?").partition(";")[0]
            return _Missed(f"not a result but {kind}", code="not_a_picture")
        return found.data

    async def client(self, url: str) -> httpx.AsyncClient:
        """The line that leads to ``url``, without a key. Raises ValueError, ImportError."""
        proxy = await asyncio.to_thread(proxy_for, url, self._proxy_setting)
        if proxy not in self._clients:
            client = open_client(proxy, self._tls, self._limits)
            client.timeout = httpx.Timeout(
                self._limits.download_stall_s, connect=self._limits.connect_s
            )
            self._clients[proxy] = client
        return self._clients[proxy]

    def _failure(self, url: str, missed: _Missed) -> Failure:
        host = urlsplit(url).netloc.rpartition("@")[2]
        if missed.code == "too_large":
            megabytes = self._limits.picture_bytes // (1024 * 1024)
            said = message("providers.too_large", megabytes=megabytes)
        elif missed.code == "not_a_picture":
            said = message("providers.not_a_picture", host=host)
        elif missed.code == RESULT_EXPIRED:
            said = message("providers.download_expired", host=host, text=missed.reason)
        else:
            text = self._scrub.line(missed.reason)
            said = message("providers.download_failed", host=host, text=text)
        body = self._scrub(f"{missed.reason}: {url}", 2000)
        return Failure(FailureClass.UNKNOWN, missed.code, said, body=body, billed=True)

    async def close(self) -> None:
        """Close every line."""
        for client in self._clients.values():
            await client.aclose()


def _is_inside(host: str) -> bool:
    """Whether a host is this machine, or the place where clouds keep a machine's own keys."""
    if is_loopback(host):
        return True
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return False
    return address.is_link_local or address.is_unspecified
