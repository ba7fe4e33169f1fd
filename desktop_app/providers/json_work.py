"""JSON of many megabytes and base64 would stop the window's thread: big ones go to a worker. What
JSON can write and nothing else can keep (half a character) is made whole as it is read."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.text import message

BIG = 64 * 1024
"""Bytes from which reading takes so long that it is done beside the loop."""

_OF_ADDRESSES = str.maketrans("-_", "+/")
_WRITER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_HALVES = re.compile(rb"\\u[dD][89abAB]|\\u[dD][c-fC-F]")


def encode_body(body: Mapping[str, Any]) -> bytes:
    """UTF-8 JSON, characters as they are. Raises ProviderFailure ``invalid`` for text that is no
    Unicode or numbers that are no JSON; nothing was sent then."""
    try:
        return _WRITER.encode(body).encode("utf-8")
    except (ValueError, TypeError):
        said = message("providers.bad_text")
        raise ProviderFailure(
            Failure(FailureClass.INVALID, "bad_text", said, sent=False, billed=False)
        ) from None


async def decode_json(raw: bytes) -> Any:
    """Parsed JSON. Raises ValueError."""
    return await asyncio.to_thread(parsed, raw) if len(raw) > BIG else parsed(raw)


def parsed(raw: bytes) -> Any:
    """The same for other threads, and for what is small. Raises ValueError."""
    try:
        found = json.loads(raw)
        return mended(found) if _HALVES.search(raw) else found
    except RecursionError:
        raise ValueError("nested too deep") from None


def mended(found: Any) -> Any:
    """Parsed JSON in which every text is one that can be stored: an escape may write half of a
    character (cut in the middle of an emoji), which no encoding has. Halves that meet are one."""
    if isinstance(found, str):
        return found if found.isascii() else _whole(found)
    if isinstance(found, Mapping):
        return {mended(name): mended(inside) for name, inside in found.items()}
    return [mended(inside) for inside in found] if isinstance(found, list) else found


def _whole(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def is_data_url(text: str) -> bool:
    """Whether an address is its content itself."""
    return text[:5].lower() == "data:"


async def decode_base64(text: str) -> bytes:
    """The bytes; a ``data:`` prefix and line breaks are tolerated, and the letters that addresses
    have for ``+`` and ``/``. Raises ValueError."""
    if len(text) <= BIG:
        return base64_bytes(text)
    return await asyncio.to_thread(base64_bytes, text)


def base64_bytes(text: str) -> bytes:
    """The same for other threads."""
    if is_data_url(text):
        text = text.partition(",")[2]
    compact = "".join(text.split()).translate(_OF_ADDRESSES)
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, ValueError) as trouble:
        raise ValueError("not base64") from trouble
