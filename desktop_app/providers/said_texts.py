"""A model's words as they are kept: the answer as a result, what it thought beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.domain.ports import Content
from desktop_app.providers.chat_answer import MIMES
from desktop_app.providers.chat_request import SAVE_AS

_THINKING_CHARS = 16_000


def as_content(text: str, params: Mapping[str, Any]) -> Content:
    """The result. ``params`` say what kind of file it becomes."""
    mime = MIMES.get(str(params.get(SAVE_AS)), "text/plain")
    return Content(text.encode("utf-8", "replace"), mime, text)


def kept_thinking(text: str) -> str:
    """As much of a thought as is kept."""
    text = text.strip()
    return text if len(text) <= _THINKING_CHARS else text[: _THINKING_CHARS - 1] + "…"
