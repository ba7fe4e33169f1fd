"""What a person should know of a result that is one all the same. Apart from attempts, because
every row on the screen asks for it."""

from __future__ import annotations

from functools import reduce

from desktop_app.domain.text import Message, message

PARTIAL = "partial"
"""Flags a result of which less came than was asked for, or than could be used."""

CUT_OFF = "length"
"""Flags a text that ends where its limit of length was."""

NOT_JSON = "not_json"
"""Flags a text that was asked for in JSON and can't be read as such."""

OTHER_MODEL = "other_model"
"""Flags a result of another model than was asked."""

HALF_READ = "half_read"
"""Flags a result whose model can have read no more than a part of the prompt."""

THINKING = "reasoning"
"""Where ``usage`` holds what the model said to itself before it answered."""

NOTES = {
    PARTIAL: "store.in_part",
    CUT_OFF: "store.cut_off",
    NOT_JSON: "store.not_json",
    OTHER_MODEL: "store.other_model",
    HALF_READ: "store.half_read",
}
"""What each flag is called to a person, in the order in which several are said."""


def flags_note(flags: tuple[str, ...]) -> Message | None:
    """What a person should know of a result that is one all the same."""
    said = [message(code) for flag, code in NOTES.items() if flag in flags]
    if not said:
        return None
    return reduce(lambda all_, one: message("store.and_also", first=all_, second=one), said)
