"""Bodies are read whole but never beyond a bound, and a break in the middle is told, not raised."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

import httpx

IDENTITY = {"Accept-Encoding": "identity"}
_ZLIB_OR_GZIP = 47
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})


@dataclass(frozen=True, slots=True)
class Body:
    """What came. ``complete``: the line stood to the end and the bytes could be unpacked;
    ``over``: there was more than the bound allows, and the rest was left."""

    data: bytes
    complete: bool = True
    over: bool = False


async def read_body(
    response: httpx.Response,
    limit: int,
    on_whole: Callable[[Body], None] = lambda _: None,
    on_part: Callable[[bytes], bool] | None = None,
) -> Body:
    """Read at most ``limit`` bytes. Deadlines are the caller's. ``on_whole`` is called with a body
    that is complete, once its last byte is in and before anything else may run. ``on_part`` is
    given the body's bytes as they come, and returns True where they say themselves that no more
    will follow."""
    found = bytearray()
    over = False
    whole: Body | None = None
    length = _length(response)

    def end() -> Body:
        encoding = response.headers.get("content-encoding", "identity")
        body = _unpacked(bytes(found), encoding, limit)
        if body.complete:
            on_whole(body)
        return body

    try:
        async for part in response.aiter_raw():
            if over:
                continue  # what was under way when the line was closed
            found += part
            if len(found) > limit:
                over = True
                # Closing, not leaving the loop: the library's nested generators must run out.
                await response.aclose()
            elif (on_part is not None and on_part(part)) or len(found) == length:
                # The library lets others run before it says that this was the end.
                whole = whole or end()
    except httpx.TransportError:
        return whole or Body(bytes(found[:limit]), complete=False, over=over)
    if over:
        return Body(bytes(found[:limit]), complete=False, over=True)
    return whole or end()


async def run_out(
    response: httpx.Response, body: bytes, on_part: Callable[[bytes], bool] | None = None
) -> None:
    """Let the library take note of the end of a ``body`` that is in hand already, so that its line
    is free for the next call."""
    if on_part is not None:
        on_part(body)
    if isinstance(response.stream, httpx.AsyncByteStream):
        async for _ in response.stream:
            pass


def is_packed(encoding: str) -> bool:
    """Whether a ``Content-Encoding`` names a way to unpack; others mean a set of characters."""
    return not _PACKED.isdisjoint(one.strip() for one in encoding.lower().split(","))


def _length(response: httpx.Response) -> int | None:
    """The bytes promised, where they are."""
    told = response.headers.get("content-length", "")
    return int(told) if told.isdecimal() and "transfer-encoding" not in response.headers else None


def _unpacked(data: bytes, encoding: str, limit: int) -> Body:
    """Some servers compress although they were asked not to."""
    if not is_packed(encoding):
        return Body(data)
    unpacker = zlib.decompressobj(_ZLIB_OR_GZIP)
    try:
        plain = unpacker.decompress(data, limit)
    except zlib.error:
        return Body(data, complete=False)
    if unpacker.unconsumed_tail:
        return Body(plain, complete=False, over=True)
    return Body(plain, complete=unpacker.eof)
