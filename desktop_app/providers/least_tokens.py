"""Some servers cut a prompt that is too long and say nothing of it: only their count of its tokens
tells, where it is smaller than any count of all its words could be."""

from __future__ import annotations

import re

_LONG = 4000
_CHARS_PER_TOKEN = 3
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_WORD = re.compile(r"[^\W_]+")


def least_tokens(text: str) -> int:
    """Fewer than any tokenizer makes of this text: a word is one at least, and so are a few
    characters of a writing without spaces."""
    wide = sum(len(run) for run in _WIDE.findall(text))
    words = len(_WORD.findall(_WIDE.sub(" ", text)))
    return words + wide // _CHARS_PER_TOKEN


def is_half_read(text: str, counted: object) -> bool:
    """Whether ``counted`` tokens can't be all of it. Nothing is said of a text that fits every
    server, nor where nothing was counted."""
    if not isinstance(counted, int) or isinstance(counted, bool) or counted <= 0:
        return False
    return len(text) >= _LONG and least_tokens(text) > counted
