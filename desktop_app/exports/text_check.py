"""Whether an answer is text worth keeping, and whether to name it Markdown."""

from __future__ import annotations

import re

from desktop_app.domain.errors import BadResult
from desktop_app.domain.text import message

_MARKDOWN = re.compile(
    r"^#{1,6} \S|^```|^\|? ?:?-{3,}:? ?\||\*\*\S[^*\n]*\*\*|^(?:[-*] |\d+\. ).+\n+(?:[-*] |\d+\. )",
    re.MULTILINE,
)
_SIGNS = ("#", "```", "---", "**", "\n")
"""Each of its ways to be one needs one of these, which is soon seen."""


TEXT_MIMES = {".txt": "text/plain", ".md": "text/markdown", ".json": "application/json"}


def is_text(mime: str) -> bool:
    """Whether a provider that says so means words."""
    return mime.startswith("text/") or mime in TEXT_MIMES.values()


def check_text(text: str, mime: str = "") -> str:
    """The suffix: ``.json`` where ``mime`` says so, ``.md`` where it does or the text looks like
    it, else ``.txt``. Raises BadResult for a blank answer."""
    if not text.strip():
        raise BadResult(message("exports.empty_text"))
    if mime == TEXT_MIMES[".json"]:
        return ".json"
    if mime == TEXT_MIMES[".md"] or _looks_like_markdown(text):
        return ".md"
    return ".txt"


def _looks_like_markdown(text: str) -> bool:
    return any(sign in text for sign in _SIGNS) and _MARKDOWN.search(text) is not None
