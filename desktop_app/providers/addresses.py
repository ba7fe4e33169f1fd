"""Addresses of pictures are looked at before a run: what is dead is told by its row, and whatever
may still be good is left to the run."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from urllib.parse import urlsplit

from desktop_app.domain.clock import Clock
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import AddressNews
from desktop_app.domain.text import Message, message
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.download import Downloader
from desktop_app.providers.http.glance import BARRED, NO_HOST, Glance, glance
from desktop_app.providers.http.proxies import is_loopback, proxy_password
from desktop_app.providers.http.transport import HttpLimits, tls_context
from desktop_app.providers.redact import Scrubber

AT_ONCE = 8
GOOD_FOR_S = 600.0
"""So long is a good address believed; any other is looked at again after a tenth of that."""

_REMEMBERED = 20_000
_GONE = frozenset({404, 410})
_NO_PICTURES = ("text/", "audio/", "video/", "font/")
_NO_PICTURE = frozenset(
    {"application/json", "application/xml", "application/xhtml+xml", "application/pdf"}
)
_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg"}
_Key = tuple[str, str, tuple[str, ...]]


class PictureAddresses:
    """Implements ``ports.Addresses``. Remembers what it found for some minutes, since a sheet is
    checked again after every edit. Seconds: ``each_s`` for one address, ``all_s`` for a look."""

    def __init__(
        self,
        clock: Clock,
        limits: HttpLimits | None = None,
        *,
        each_s: float = 5.0,
        all_s: float = 20.0,
    ) -> None:
        self._clock = clock
        self._limits = limits or HttpLimits(connect_s=each_s)
        self._each_s = each_s
        self._all_s = all_s
        self._known: dict[_Key, tuple[float, Glance]] = {}

    async def look(
        self, connection: Connection, mimes: Sequence[str], urls: Sequence[str]
    ) -> AddressNews:
        """See ``ports.Addresses``."""
        kinds = tuple(mimes)
        found = {url: seen for url in urls if (seen := self._fresh(connection, kinds, url))}
        is_local = is_loopback(urlsplit(connection.base_url).hostname or "")
        if len(found) < len(urls):
            why = None if is_local else await self._no_line(connection)
            if why is not None:
                return AddressNews(offline=why)
            left = deque(url for url in urls if url not in found)
            await self._ask(connection, kinds, is_local, left, found)
        lost = [url for url, seen in found.items() if seen.trouble == NO_HOST]
        if lost and is_local and not any(_is_far(url) and found[url].status for url in found):
            # Nothing shows that the network is there, and without it no name is known.
            return AddressNews(offline=message("providers.dns", host=_host(lost[0])))
        judged = {url: _judged(url, seen, kinds) for url, seen in found.items()}
        return AddressNews(
            dead={url: said for url, said in judged.items() if isinstance(said, Message)},
            doubtful={url: said for url, said in judged.items() if said and isinstance(said, str)},
            unseen=len(urls) - len(found),
        )

    async def _ask(
        self,
        connection: Connection,
        kinds: tuple[str, ...],
        is_local: bool,
        left: deque[str],
        found: dict[str, Glance],
    ) -> None:
        tls = await asyncio.to_thread(tls_context)
        scrub = Scrubber([proxy_password(connection.proxy)])
        line = Downloader(connection.proxy, tls, self._clock, self._limits, scrub, local=is_local)

        async def work() -> None:
            while left:
                url = left.popleft()
                try:
                    async with asyncio.timeout(self._each_s):
                        found[url] = await glance(line, url, lambda kind: _fits(kind, kinds))
                except TimeoutError:
                    found[url] = Glance(trouble="timeout")
                self._remember((connection.proxy, url, kinds), found[url])

        try:
            async with asyncio.timeout(self._all_s), asyncio.TaskGroup() as group:
                for _ in range(min(AT_ONCE, len(left))):
                    group.create_task(work())
        except TimeoutError:
            pass
        finally:
            await line.close()

    async def _no_line(self, connection: Connection) -> Message | None:
        """Why the connection's own host can't be reached either."""
        http = HttpClient(connection, None, self._clock, self._limits)
        try:
            await http.check_line()
        except ProviderFailure as trouble:
            return trouble.failure.said
        finally:
            await http.close()
        return None

    def _fresh(self, connection: Connection, kinds: tuple[str, ...], url: str) -> Glance | None:
        at, seen = self._known.get((connection.proxy, url, kinds), (0.0, None))
        if seen is None:
            return None
        lasts = GOOD_FOR_S if seen.is_good else GOOD_FOR_S / 10
        return seen if self._clock.monotonic() - at < lasts else None

    def _remember(self, key: _Key, seen: Glance) -> None:
        if seen.trouble == NO_HOST:
            return
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[key] = (self._clock.monotonic(), seen)


def _judged(url: str, seen: Glance, kinds: tuple[str, ...]) -> Message | str:
    """The sentence of what is dead, or why nobody can say; empty where it is good."""
    shown = _shown(url)
    if seen.trouble == NO_HOST:
        return message("providers.address_no_host", host=_host(url), url=shown)
    if seen.trouble == BARRED:
        return message("providers.address_barred", url=shown)
    if seen.trouble:
        return seen.trouble
    if seen.status in _GONE:
        return message("providers.address_gone", url=shown, status=seen.status)
    if not seen.is_good:
        return f"HTTP {seen.status}"
    if _fits(seen.kind, kinds):
        return ""
    if seen.kind in _NO_PICTURE or seen.kind.startswith((*_NO_PICTURES, "image/")):
        taken = [kind.partition("/")[2].upper() for kind in kinds] or ["-"]
        return message("providers.address_kind", url=shown, kind=seen.kind, kinds=taken)
    return seen.kind or "?"


def _fits(kind: str, kinds: tuple[str, ...]) -> bool:
    return _ALIASES.get(kind, kind) in kinds if kinds else kind.startswith("image/")


def _is_far(url: str) -> bool:
    return not is_loopback(urlsplit(url).hostname or "")


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


def _shown(url: str) -> str:
    """Without what signs it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{_host(url)}{parts.path}"
