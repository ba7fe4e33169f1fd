"""Calls back when a job has ended, signed as self-made gateways sign."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from desktop_app.practice.orders import CallbackWish

SIGNATURE = "X-Practice-Signature"
TIMESTAMP = "X-Practice-Timestamp"
LIMIT_S = 10.0


def signed(wish: CallbackWish, body: bytes) -> dict[str, str]:
    """The headers of a call: the time, and the HMAC of time and body."""
    if not wish.secret:
        return {}
    stamp = str(int(time.time()))
    mac = hmac.digest(wish.secret.encode(), f"{stamp}.".encode() + body, "sha256")
    return {TIMESTAMP: stamp, SIGNATURE: f"sha256={mac.hex()}"}


async def call(url: str, body: bytes, headers: Mapping[str, str]) -> int | None:
    """The status of the answer; None where there was none in time."""
    try:
        async with asyncio.timeout(LIMIT_S):
            return await _post(url, body, headers)
    except (OSError, ValueError, TimeoutError):
        return None


async def _post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=secure or None)
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        lines = [f"POST {path or '/'} HTTP/1.1", f"Host: {parts.netloc}", "Connection: close"]
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await writer.drain()
        found = (await reader.readline()).split()
        if len(found) < 2:
            raise ValueError("no answer")
        return int(found[1])
    finally:
        writer.close()
