"""A chat is whole with its last word alone; once every answer asked for has its reason to stop,
that is waited for no longer than it takes."""

from __future__ import annotations

import pytest

from desktop_app.providers.chat_fold import IDLE_S, LAST_S, ChatFold
from desktop_app.providers.folding import fold_whole
from tests.contract.streams import delta, events, usage

ERROR = {"error": {"code": 502, "message": "Provider disconnected"}}
TORN = '{"id":"c-1","choices":[{"index":0,"delta":{"content":"wo'


@pytest.mark.parametrize(
    ("told", "asked", "is_usable", "idle_s"),
    [
        ([], 1, False, None),
        ([delta("", role="assistant")], 1, False, None),
        ([delta("half")], 1, False, IDLE_S),
        ([delta("half"), "[DONE]"], 1, False, IDLE_S),
        ([delta("all", "stop")], 1, False, LAST_S),
        ([delta("all", "stop"), "[DONE]"], 1, True, LAST_S),
        ([delta("all", "stop"), "[DON"], 1, False, LAST_S),
        ([delta("all"), delta(reason="length"), usage(1, 2)], 1, False, LAST_S),
        ([delta("all"), delta(reason="length"), usage(1, 2), "[DONE]"], 1, True, LAST_S),
        ([delta("all", "stop"), ERROR], 1, False, IDLE_S),
        ([delta("all", "stop"), ERROR, "[DONE]"], 1, False, IDLE_S),
        ([delta("one", "stop")], 2, False, IDLE_S),
        ([delta("one", "stop"), "[DONE]"], 2, True, IDLE_S),
        ([delta("one", "stop"), delta("two", index=1)], 2, False, IDLE_S),
        ([delta("one", "stop"), delta("two", index=1), "[DONE]"], 2, False, IDLE_S),
        ([delta("one", "stop"), delta("two", "stop", index=1)], 2, False, LAST_S),
        ([delta("one", "stop"), delta("two", "stop", index=1), "[DONE]"], 2, True, LAST_S),
        ([delta("one", "stop"), delta("two", index=1)], 1, False, IDLE_S),
        (["[DONE]"], 1, True, None),
        ([delta("half"), TORN], 1, False, IDLE_S),
        ([delta("half"), TORN, delta("rest", "stop"), "[DONE]"], 1, False, IDLE_S),
        ([delta("one", "stop"), TORN, delta("two", "stop", index=1), "[DONE]"], 2, False, IDLE_S),
        ([delta("all"), delta(reason="stop"), TORN], 1, False, LAST_S),
        ([delta("all"), delta(reason="stop"), TORN, "[DONE]"], 1, True, LAST_S),
        ([delta("all"), "processing", delta(reason="stop"), "[DONE]"], 1, True, LAST_S),
    ],
)
def test_when_it_is_whole(
    told: list[object], asked: int, is_usable: bool, idle_s: float | None
) -> None:
    fold = ChatFold(asked)
    fold_whole(fold, events(*told))
    assert (fold.is_usable, fold.idle_s) == (is_usable, idle_s)
    assert ERROR in told or (fold.answer() is not None) is is_usable
