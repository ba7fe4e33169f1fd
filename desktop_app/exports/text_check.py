"""Whether an answer is text worth keeping, and whether to name it Markdown."""

from __future__ import annotations

import re

from desktop_app.domain.errors import BadResult
from desktop_app.domain.text import message

_MARKDOWN = re.compile(
    r"^#{1,6} \S|^```|^\|? ?:?-{3,}:? ?\||\*\*\S[^*\n]*\*\*|^(?:[-*] |\d+\. ).+\n+(?:[-*] |\d+\. )",
    re.MULTILINE,
)


TEXT_MIMES = {".txt": "text/plain", ".md": "text/markdown"}


def check_text(text: str, mime: str = "") -> str:
    """The suffix: ``.md`` where ``mime`` says so or the text looks like it, else ``.txt``.
    Raises BadResult for a blank answer."""
    if not text.strip():
        raise BadResult(message("exports.empty_text"))
    if mime == TEXT_MIMES[".md"] or _MARKDOWN.search(text):
        return ".md"
    return ".txt"
