"""What a model thinks before it answers is kept beside the answer; some local models think inside
the answer itself."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"
_KEPT_CHARS = 16_000


def apart(text: str) -> tuple[str, str]:
    """The answer, and what was thought before it. Thinking that has not ended, or was cut, has no
    answer yet."""
    begun = text.lstrip()
    if not begun.startswith(_OPEN):
        # Of a text that has just begun nobody can say yet.
        return ("", "") if begun and _OPEN.startswith(begun) else (text, "")
    thought, ended, rest = begun[len(_OPEN) :].partition(_CLOSE)
    return rest.lstrip() if ended else "", thought


def kept_thinking(text: str) -> str:
    """As much of a thought as is kept."""
    text = text.strip()
    return text if len(text) <= _KEPT_CHARS else text[: _KEPT_CHARS - 1] + "…"
