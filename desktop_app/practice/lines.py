"""Which call came over which line, and with which byte its answer ends: who knows how much a client
has read of a line can tell what it has, without trusting any clock."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any


class CountedTransport:
    """An asyncio transport that knows its peer's port, and counts what it was given to send."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.written = 0
        peer = transport.get_extra_info("peername")
        self.peer_port: int | None = peer[1] if isinstance(peer, tuple) else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send and count. On a line that is closing nothing is sent, nor counted."""
        if not self._transport.is_closing():
            self.written += len(data)
        self._transport.write(data)


@dataclass(slots=True)
class Passage:
    """One request from its head on, whether or not the rest of it came. ``answer_ends`` counts the
    bytes from the line's beginning; None while not all of the answer was handed over, and for
    good where the client was gone before."""

    key: str | None
    peer_port: int | None
    came_s: float
    answer_ends: int | None = None

    async def answered(self, line: CountedTransport) -> None:
        """The last byte was given to the line, just now."""
        if not line.is_closing():
            self.answer_ends = line.written
