"""The moment a request begins to leave decides between "nothing was sent" and "may be billed"."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

_STARTS = frozenset({"http11.send_request_headers.started", "http2.send_request_headers.started"})


def begin_hook(on_begin: Callable[[], None]) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
    """A httpcore trace callback that calls ``on_begin`` once the line stands, before any byte.

    A CONNECT to a proxy goes through the same events, but is not the request.
    """

    async def hook(event: str, info: Mapping[str, Any]) -> None:
        if event in _STARTS and getattr(info.get("request"), "method", b"") != b"CONNECT":
            on_begin()

    return hook
