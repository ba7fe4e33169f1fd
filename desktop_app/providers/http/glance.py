"""A look at what lies behind an address, without fetching it: whether it is there, and its kind."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin

import httpx

from desktop_app.providers.http.download import Downloader
from desktop_app.providers.http.reading import IDENTITY, read_body
from desktop_app.providers.pictures import picture_mime
from desktop_app.providers.transport_errors import causes_of

_HOPS = 5
_FIRST_BYTES = 64

NO_HOST = "no host"
BARRED = "barred"


@dataclass(frozen=True, slots=True)
class Glance:
    """``status`` 0: no answer, ``trouble`` says why, ``NO_HOST`` and ``BARRED`` among the reasons.
    ``kind``: its MIME type, by its first bytes where they tell."""

    status: int = 0
    kind: str = ""
    trouble: str = ""

    @property
    def is_good(self) -> bool:
        """Whether something is there."""
        return 200 <= self.status < 300


async def glance(line: Downloader, url: str, is_wanted: Callable[[str], bool]) -> Glance:
    """Ask for the head alone, and then for the first bytes unless the head says that it is a
    wanted kind: many servers answer a HEAD otherwise, or no signature is good for one. Raises
    TimeoutError where the caller's time is up."""
    found = await _safely(line, "HEAD", url)
    if (found.is_good and is_wanted(found.kind)) or found.trouble in (NO_HOST, BARRED):
        return found
    return await _safely(line, "GET", url)


async def _safely(line: Downloader, method: str, url: str) -> Glance:
    try:
        return await _ask(line, method, url)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, ValueError, ImportError):
        return Glance(trouble="bad address")
    except (httpx.HTTPError, OSError) as trouble:
        is_lost = any(
            isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN
            for cause in causes_of(trouble)
        )
        return Glance(trouble=NO_HOST if is_lost else type(trouble).__name__)


async def _ask(line: Downloader, method: str, url: str) -> Glance:
    headers = dict(IDENTITY)
    if method == "GET":
        headers["Range"] = f"bytes=0-{_FIRST_BYTES - 1}"
    for _ in range(_HOPS):
        if line.is_barred(url):
            return Glance(trouble=BARRED)
        client = await line.client(url)
        async with client.stream(method, url, headers=headers) as response:
            if response.has_redirect_location:
                url = urljoin(url, response.headers["location"])
                continue
            told = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            head = b""
            if method == "GET" and response.status_code < 300:
                head = (await read_body(response, _FIRST_BYTES)).data
            return Glance(response.status_code, picture_mime(head) or told)
    return Glance(trouble="too many redirects")
