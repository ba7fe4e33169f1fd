"""Finds a vendor's words for an error where its file says they are."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from desktop_app.providers.error_body import ErrorBody, Reading, error_of
from desktop_app.providers.job_file.model import Words


def reading_of(words: Words) -> Reading:
    """The usual places, and before them those that the file names."""

    def read(found: Any, text: str = "") -> ErrorBody:
        usual = error_of(found, text)
        codes = [str(code) for path in words.codes for code in path.every(found) if _is_word(code)]
        says = [said for path in words.says if (said := path.word(found))]
        said = says[0] if says else usual.message
        return replace(
            usual,
            codes=tuple(dict.fromkeys((*codes, *usual.codes))),
            message="" if said in codes else said,
        )

    return read


def has_words(words: Words, found: Any, state: str) -> bool:
    """Whether an answer says what went wrong, besides the word for the job's ``state``."""
    codes = [str(code) for path in words.codes for code in path.every(found) if _is_word(code)]
    return any(code != state for code in codes) or any(path.word(found) for path in words.says)


def is_own(words: Words, raw: bytes) -> bool:
    """Whether an error is written as the vendor writes its own: JSON with words where the file says
    they are, or in one of the usual places where it says nothing of that."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return False
    if words.codes or words.says:
        return has_words(words, found, "")
    usual = error_of(found)
    return bool(usual.fields and (usual.codes or usual.message))


def _is_word(code: Any) -> bool:
    return isinstance(code, str | int) and not isinstance(code, bool) and code != ""
