"""Google's stream has no last word: it is whole once every candidate asked for tells why it
stopped."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.providers.chat_fold import IDLE_S, LAST_S
from desktop_app.providers.folding import fold_whole
from desktop_app.providers.gemini.fold import ContentFold
from tests.contract.streams import events


def stretch(reason: str | None = None, index: int = 0) -> dict[str, Any]:
    ended = {"finishReason": reason} if reason else {}
    return {"candidates": [{"index": index, "content": {"parts": [{"text": "half"}]}, **ended}]}


@pytest.mark.parametrize(
    ("told", "asked", "is_usable", "idle_s"),
    [
        ([], 1, False, None),
        ([{"promptFeedback": {"blockReason": "OTHER"}}], 1, False, None),
        ([stretch()], 1, False, IDLE_S),
        ([stretch(), stretch("STOP")], 1, True, LAST_S),
        ([stretch("STOP")], 2, False, IDLE_S),
        ([stretch("STOP"), stretch(index=1)], 2, False, IDLE_S),
        ([stretch("STOP"), stretch("SAFETY", 1)], 2, True, LAST_S),
        ([stretch(), '{"candidates":[{"con', stretch("STOP")], 1, False, IDLE_S),
        ([stretch(), stretch("STOP"), '{"usageMeta'], 1, True, LAST_S),
        ([stretch("STOP"), {"error": {"code": 503, "message": "no"}}], 1, False, IDLE_S),
    ],
)
def test_when_all_is_said(
    told: list[Any], asked: int, is_usable: bool, idle_s: float | None
) -> None:
    fold = ContentFold(asked)
    fold_whole(fold, events(*told))
    assert (fold.is_usable, fold.idle_s) == (is_usable, idle_s)
