"""A message is whole with its last word alone; once its reason to stop is told, that is waited for
no longer than it takes."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.providers.anthropic.fold import MessageFold
from desktop_app.providers.chat_fold import IDLE_S, LAST_S
from desktop_app.providers.folding import fold_whole
from tests.contract.streams import events

START = {"type": "message_start", "message": {"model": "m", "stop_reason": None}}
WORDS = {
    "type": "content_block_delta",
    "index": 0,
    "delta": {"type": "text_delta", "text": "half"},
}
END = {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {}}
STOP = {"type": "message_stop"}
ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@pytest.mark.parametrize(
    ("told", "is_usable", "idle_s"),
    [
        ([], False, None),
        ([START], False, IDLE_S),
        ([START, WORDS], False, IDLE_S),
        ([START, WORDS, {"type": "content_block_stop", "index": 0}], False, IDLE_S),
        ([START, WORDS, STOP], False, IDLE_S),
        ([START, WORDS, END], False, LAST_S),
        ([START, WORDS, END, STOP], True, LAST_S),
        ([START, WORDS, END, '{"type":"message_stop'], False, LAST_S),
        ([START, WORDS, END, '{"type":"pi', STOP], True, LAST_S),
        ([START, WORDS, END, ERROR], False, IDLE_S),
        ([START, WORDS, END, ERROR, STOP], False, IDLE_S),
        ([START, '{"type":"content_block_delta","ind', WORDS, END, STOP], False, IDLE_S),
    ],
)
def test_when_it_is_whole(told: list[Any], is_usable: bool, idle_s: float | None) -> None:
    fold = MessageFold()
    fold_whole(fold, events(*told))
    assert (fold.is_usable, fold.idle_s) == (is_usable, idle_s)
    assert ERROR in told or (fold.answer() is not None) is is_usable
