"""The one address that tells of new releases. It is asked when the operator asks, and never
otherwise: nothing about the operator is sent along."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx

from desktop_app.domain.ports.updates import Release
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.versions import version_of
from desktop_app.providers.http.proxies import proxy_for
from desktop_app.providers.http.transport import HttpLimits, open_client, tls_context

_TIMEOUT_S = 15.0
_MOST_NOTES = 6_000
_MOST_BYTES = 1_000_000
_MOST_MOVES = 3
_NONE_YET = 404


class WebReleases:
    """Implements ``ports.ReleaseFeed`` over HTTP, through the system's proxy. ``url``: in the form
    of GitHub's REST API for releases (``tag_name``, ``body``, ``html_url``); None: there is none
    to ask. ``within_s`` bounds the whole."""

    def __init__(self, url: str | None, within_s: float = _TIMEOUT_S) -> None:
        self._url = url
        self._within_s = within_s

    async def newest(self) -> Release | None:
        """See the port."""
        url = self._url
        if url is None:
            raise OperatorError(message("providers.releases_nowhere"))
        try:
            proxy, tls = await asyncio.to_thread(lambda: (proxy_for(url, "system"), tls_context()))
            async with asyncio.timeout(self._within_s):
                async with open_client(proxy, tls, HttpLimits()) as client:
                    status, body = await _fetch(client, httpx.URL(url))
        except (httpx.HTTPError, TimeoutError, OSError, ValueError, ImportError) as error:
            raise OperatorError(message("providers.releases_unreachable")) from error
        if status == _NONE_YET:
            return None
        if status != httpx.codes.OK:
            raise OperatorError(message("providers.releases_refused", status=status))
        try:
            return _release(json.loads(body))
        except (ValueError, KeyError, TypeError, httpx.InvalidURL, RecursionError) as error:
            raise OperatorError(message("providers.releases_unreadable")) from error


async def _fetch(client: httpx.AsyncClient, url: httpx.URL) -> tuple[int, bytes]:
    """Status and body, from where the page has moved to; never from a place less safe."""
    for _ in range(_MOST_MOVES):
        async with client.stream("GET", url) as answer:
            moved = answer.next_request
            if moved is None or (url.scheme, moved.url.scheme) == ("https", "http"):
                body = b""
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > _MOST_BYTES:
                        break  # no release is so long: what is cut off can't be read
                return answer.status_code, body
            url = moved.url
    return httpx.codes.LOOP_DETECTED, b""


def _release(told: Mapping[str, Any]) -> Release | None:
    """None for one that is not meant for everybody yet. Raises ValueError, KeyError or TypeError
    where it is not of the form."""
    name, page = str(told["tag_name"]), httpx.URL(str(told["html_url"]))
    version = version_of(name)
    if version is None or page.scheme != "https" or not page.host:
        raise ValueError("neither a version nor a page")
    if told.get("prerelease") or told.get("draft") or not version.is_final:
        return None
    return Release(name.strip().lstrip("vV"), _notes(told.get("body")), str(page))


def _notes(told: object) -> str:
    notes = str(told or "").strip()
    return notes if len(notes) <= _MOST_NOTES else notes[:_MOST_NOTES].rstrip() + " …"
