"""Some local models think aloud before they answer, inside the answer itself: it is kept apart."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


def apart(text: str) -> tuple[str, str]:
    """The answer, and what was thought before it. Thinking that has not ended, or was cut, has no
    answer yet."""
    begun = text.lstrip()
    if not begun.startswith(_OPEN):
        # Of a text that has just begun nobody can say yet.
        return ("", "") if begun and _OPEN.startswith(begun) else (text, "")
    thought, ended, rest = begun[len(_OPEN) :].partition(_CLOSE)
    return rest.lstrip() if ended else "", thought
