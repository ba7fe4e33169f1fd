"""Whether an answer is text worth keeping, and whether to name it Markdown."""

from __future__ import annotations

import re

from desktop_app.domain.errors import BadResult
from desktop_app.domain.text import message

_MARKDOWN = re.compile(
    r"^#{1,6} \S|^```|^\|? ?:?-{3,}:? ?\||\*\*\S[^*\n]*\*\*|^(?:[-*] |\d+\. ).+\n+(?:[-*] |\d+\. )",
    re.MULTILINE,
)


def check_text(text: str) -> tuple[str, str]:
    """(suffix, mime). Raises BadResult for a blank answer."""
    if not text.strip():
        raise BadResult(message("exports.empty_text"))
    if _MARKDOWN.search(text):
        return (".md", "text/markdown")
    return (".txt", "text/plain")
