"""The body of a message, with the longest answer it may have: this vendor wants that told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.references import REFERENCE
from desktop_app.domain.task import Request
from desktop_app.providers.chat_request import SAVE_AS, STREAM
from desktop_app.providers.inline_pictures import Inline
from desktop_app.providers.request_fields import setting, with_extra
from desktop_app.providers.row_model import MODEL

_LONGEST = (
    (re.compile(r"claude-3-(opus|sonnet|haiku)"), 4_096),
    (re.compile(r"claude-3-5"), 8_192),
    (re.compile(r"claude"), 16_000),
)
_LONGEST_OF_OTHERS = 4_096


def message_body(
    connection: Connection, request: Request, pictures: Sequence[Inline]
) -> Mapping[str, Any]:
    """What is posted."""
    params, extra = setting(connection, request.params, request.extra)
    for ours in (MODEL, SAVE_AS, REFERENCE):
        params.pop(ours, None)
    system = params.pop("system", None)
    streamed = params.pop(STREAM, True)
    body: dict[str, Any] = {
        "model": connection.model,
        "max_tokens": params.pop("max_tokens", None) or longest(connection.model),
        "messages": [{"role": "user", "content": _content(request.prompt, pictures)}],
    }
    if system:
        body["system"] = str(system)
    if streamed:
        body["stream"] = True
    return with_extra({**body, **params}, extra)


def longest(model: str) -> int:
    """The longest answer (tokens) that a model is asked for where nobody said how long."""
    name = model.lower()
    return next((most for known, most in _LONGEST if known.search(name)), _LONGEST_OF_OTHERS)


def _content(prompt: str, pictures: Sequence[Inline]) -> str | list[dict[str, Any]]:
    if not pictures:
        return prompt
    # Pictures first: the vendor's own advice.
    return [*map(_block, pictures), {"type": "text", "text": prompt}]


def _block(picture: Inline) -> dict[str, Any]:
    if picture.url:
        return {"type": "image", "source": {"type": "url", "url": picture.url}}
    source = {"type": "base64", "media_type": picture.mime, "data": picture.data}
    return {"type": "image", "source": source}
