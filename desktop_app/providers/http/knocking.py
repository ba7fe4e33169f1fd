"""A line is tried without a call: nothing is said on it, and nothing is paid for."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit


async def knock(address: str, seconds: float) -> None:
    """Connect to the host of an address, and close again. Raises OSError or TimeoutError."""
    door = urlsplit(address)
    port = door.port or (443 if door.scheme == "https" else 80)
    async with asyncio.timeout(seconds):
        _, writer = await asyncio.open_connection(door.hostname, port)
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
