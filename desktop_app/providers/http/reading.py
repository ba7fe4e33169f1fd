"""Bodies are read whole but never beyond a bound, and a break in the middle is told, not raised."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import httpx

IDENTITY = {"Accept-Encoding": "identity"}
_ZLIB_OR_GZIP = 47


@dataclass(frozen=True, slots=True)
class Body:
    """What came. ``complete``: the line stood to the end and the bytes could be unpacked;
    ``over``: there was more than the bound allows, and the rest was left."""

    data: bytes
    complete: bool = True
    over: bool = False


async def read_body(response: httpx.Response, limit: int) -> Body:
    """Read at most ``limit`` bytes. Deadlines are the caller's."""
    found = bytearray()
    over = False
    try:
        async for part in response.aiter_raw():
            if over:
                continue  # what was under way when the line was closed
            found += part
            if len(found) > limit:
                over = True
                # Closing, not leaving the loop: the library's nested generators must run out.
                await response.aclose()
    except httpx.TransportError:
        return Body(bytes(found[:limit]), complete=False, over=over)
    if over:
        return Body(bytes(found[:limit]), complete=False, over=True)
    return _unpacked(bytes(found), response.headers.get("content-encoding", "identity"), limit)


def _unpacked(data: bytes, encoding: str, limit: int) -> Body:
    """Some servers compress although they were asked not to."""
    if encoding.lower() in ("", "identity"):
        return Body(data)
    unpacker = zlib.decompressobj(_ZLIB_OR_GZIP)
    try:
        plain = unpacker.decompress(data, limit)
    except zlib.error:
        return Body(data, complete=False)
    if unpacker.unconsumed_tail:
        return Body(plain, complete=False, over=True)
    return Body(plain, complete=unpacker.eof)
