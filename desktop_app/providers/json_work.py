"""JSON of many megabytes and base64 would stop the window's thread: big ones go to a worker."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.text import message

BIG = 64 * 1024
"""Bytes from which reading takes so long that it is done beside the loop."""


def encode_body(body: Mapping[str, Any]) -> bytes:
    """UTF-8 JSON, characters as they are. Raises ProviderFailure ``invalid`` for text that is no
    Unicode or numbers that are no JSON; nothing was sent then."""
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, TypeError):
        said = message("providers.bad_text")
        raise ProviderFailure(
            Failure(FailureClass.INVALID, "bad_text", said, sent=False, billed=False)
        ) from None


async def decode_json(raw: bytes) -> Any:
    """Parsed JSON. Raises ValueError."""
    try:
        return await asyncio.to_thread(json.loads, raw) if len(raw) > BIG else json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deep") from None


async def decode_base64(text: str) -> bytes:
    """The bytes; a ``data:`` prefix and line breaks are tolerated. Raises ValueError."""
    if len(text) <= BIG:
        return base64_bytes(text)
    return await asyncio.to_thread(base64_bytes, text)


def base64_bytes(text: str) -> bytes:
    """The same for other threads."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    compact = "".join(text.split())
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, ValueError) as trouble:
        raise ValueError("not base64") from trouble
