"""What a model thinks before it answers is kept beside the answer; some local models think inside
the answer itself."""

from __future__ import annotations

import re

_OPEN, _CLOSE = "<think>", "</think>"
# Where a server's own template opens the thought, no more than its end comes, on a line by itself.
_END_ALONE = re.compile(r"(?:^|\n)[ \t]*</think>[ \t]*(?:\n|$)")
_KEPT_CHARS = 16_000


def apart(text: str) -> tuple[str, str]:
    """The answer, and what was thought before it. Thinking that has not ended, or was cut, has no
    answer yet."""
    begun = text.lstrip()
    if not begun.startswith(_OPEN):
        ended = _END_ALONE.search(text)
        if ended is not None and _OPEN not in text:
            return text[ended.end() :].lstrip(), text[: ended.start()]
        # Of a text that has just begun nobody can say yet.
        return ("", "") if begun and _OPEN.startswith(begun) else (text, "")
    thought, closed, rest = begun[len(_OPEN) :].partition(_CLOSE)
    return rest.lstrip() if closed else "", thought


def kept_thinking(text: str) -> str:
    """As much of a thought as is kept."""
    text = text.strip()
    return text if len(text) <= _KEPT_CHARS else text[: _KEPT_CHARS - 1] + "…"
