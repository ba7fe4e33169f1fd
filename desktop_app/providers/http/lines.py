"""What a call is sent over, whatever stands behind it: a line straight to its host, or the library
and a proxy."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Protocol

import httpx

Content = bytes | AsyncGenerator[bytes, None] | None
"""A body: at hand, or piece by piece with its length among the headers."""


class Coming(Protocol):
    """An answer whose head is in. ``headers`` are found by names in lower case."""

    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...

    def aiter_raw(self) -> AsyncIterator[bytes]:
        """Its body as it comes, still packed, once. Raises httpx.TransportError where it breaks
        off."""
        ...

    async def aclose(self) -> None:
        """Nothing more of it is wanted. Its line serves again if all of it was read."""
        ...


class Lines(Protocol):
    """Lines to hosts; each call has one for itself, and none is opened before the first."""

    async def ask(
        self,
        method: str,
        url: httpx.URL,
        headers: Mapping[str, str],
        content: Content,
        connect_s: float,
    ) -> Coming:
        """Send, and wait for the head of the answer. Only connecting is timed: ``connect_s`` for
        TCP, and again for TLS. Adds what every request needs, and no cookie of an earlier answer,
        no user name of the address. Raises httpx.UnsupportedProtocol, httpx.TransportError, and
        what the pieces of ``content`` and the tap raise."""
        ...

    async def aclose(self) -> None:
        """Close all of them."""
        ...
