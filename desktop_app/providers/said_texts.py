"""A model's words as the result that is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.domain.ports import Content
from desktop_app.providers.chat_answer import MIMES
from desktop_app.providers.chat_request import SAVE_AS


def as_content(text: str, params: Mapping[str, Any]) -> Content:
    """The result. ``params`` say what kind of file it becomes."""
    mime = MIMES.get(str(params.get(SAVE_AS)), "text/plain")
    return Content(text.encode("utf-8", "replace"), mime, text)
