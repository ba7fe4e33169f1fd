"""The one address that tells of new releases. It is asked when the operator asks, and never
otherwise: nothing about the operator is sent along."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any

import httpx

from desktop_app.domain.ports.updates import Release
from desktop_app.domain.text import OperatorError, message
from desktop_app.providers.http.proxies import proxy_for
from desktop_app.providers.http.transport import HttpLimits, open_client, tls_context

_TIMEOUT_S = 15.0
_MOST_NOTES = 6_000
_VERSION = re.compile(r"v?(\d+(?:\.\d+){1,3})")
_NONE_YET = 404


class WebReleases:
    """Implements ``ports.ReleaseFeed`` over HTTP, through the system's proxy. ``url``: in the form
    of GitHub's REST API for releases (``tag_name``, ``body``, ``html_url``); None: there is none
    to ask."""

    def __init__(self, url: str | None) -> None:
        self._url = url

    async def newest(self) -> Release | None:
        """See the port."""
        url = self._url
        if url is None:
            raise OperatorError(message("providers.releases_nowhere"))
        try:
            proxy, tls = await asyncio.to_thread(lambda: (proxy_for(url, "system"), tls_context()))
            async with asyncio.timeout(_TIMEOUT_S):
                async with open_client(proxy, tls, HttpLimits()) as client:
                    answer = await client.get(url)
        except (httpx.HTTPError, TimeoutError, OSError, ValueError, ImportError) as error:
            raise OperatorError(message("providers.releases_unreachable")) from error
        if answer.status_code == _NONE_YET:
            return None
        if answer.status_code != httpx.codes.OK:
            said = message("providers.releases_refused", status=answer.status_code)
            raise OperatorError(said)
        try:
            return _release(json.loads(answer.content))
        except (ValueError, KeyError, TypeError) as error:
            raise OperatorError(message("providers.releases_unreadable")) from error


def _release(told: Mapping[str, Any]) -> Release:
    """Raises ValueError, KeyError or TypeError where it is not of the form."""
    version = _VERSION.fullmatch(told["tag_name"])
    page = str(told["html_url"])
    if version is None or httpx.URL(page).scheme != "https":
        raise ValueError("neither a version nor a page")
    return Release(version[1], str(told.get("body") or "")[:_MOST_NOTES].strip(), page)
