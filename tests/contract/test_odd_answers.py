"""Whatever stands where something else should: an answer is a result or a failure, never a fault of
the program, and what it holds can be stored."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from desktop_app.domain.errors import Failure, ProviderFailure
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports import Adapter, Answer, RawAnswer, RereadingAdapter
from desktop_app.domain.task import Request
from desktop_app.providers.anthropic.fold import MessageFold
from desktop_app.providers.folding import Fold
from desktop_app.providers.gemini.fold import ContentFold
from desktop_app.providers.http.sse import ServerEvent
from tests.contract.cases import Case

ODD: tuple[Any, ...] = (None, True, 5, -0.5, "x", [], {}, [5], [None], ["x"], {"x": 5}, [[]])
UNKEPT: tuple[Any, ...] = ("x\ud83d", ["\ud83d"], {"\udc00": "\ud83d"}, 10**30, -7)
"""What JSON can write and no store can keep: half a character, a number without bounds."""
ERROR = {
    "type": "error",
    "request_id": "r",
    "error": {
        "type": "invalid_request_error",
        "code": 400,
        "status": "INVALID_ARGUMENT",
        "message": "no",
        "details": [
            {"reason": "X", "retryDelay": "3s"},
            {"violations": [{"quotaId": "PerDay"}]},
        ],
        "extra_info": {},
    },
    "node_errors": {
        "4": {
            "class_type": "X",
            "errors": [{"type": "value_not_in_list", "message": "m", "details": "d"}],
            "dependent_outputs": ["9"],
        }
    },
    "promptFeedback": {"blockReason": "SAFETY"},
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside parsed JSON, itself included."""
    yield path
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from places(inside, (*path, key))
    elif isinstance(value, list):
        for index, inside in enumerate(value):
            yield from places(inside, (*path, index))


def odd(value: Any) -> Iterator[Any]:
    """Copies with something else in one place."""
    for path in places(value):
        for thing in (*ODD, *UNKEPT):
            if not path:
                yield thing
                continue
            changed = copy.deepcopy(value)
            at = changed
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = thing
            yield changed


@pytest.mark.parametrize("status", [200, 400, 429, 500])
async def test_no_answer_is_a_fault_of_the_program(
    case: Case, adapter: Adapter, status: int
) -> None:
    request = Request("p", {})
    reader = cast("RereadingAdapter", adapter)
    for body in (*odd(ERROR), *(odd(case.good) if status == 200 else ())):
        raw = RawAnswer(status, {}, json.dumps(body).encode(), 0.1)
        try:
            made = await reader.reread(request, raw)
        except ProviderFailure as trouble:
            assert trouble.failure.said.code  # noqa: PT017 - both ends are right
            assert_kept(trouble.failure)
        else:
            assert_kept(made)


def assert_kept(made: Answer | Job | Failure) -> None:
    """All that the store is given of it can be stored."""
    texts: list[str | None]
    if isinstance(made, Answer):
        texts = [*(one.text for one in made.contents), made.request_id]
        texts.append(json.dumps(dict(made.usage), ensure_ascii=False))
        assert made.tokens is None or 0 <= made.tokens < 2**53
        assert 0 <= made.billed_images < 2**53
    elif isinstance(made, Job):
        texts = [made.id, json.dumps(dict(made.context), ensure_ascii=False)]
    else:
        texts = [made.code, made.body, made.request_id, made.said.dump()]
        texts += [str(value) for value in made.said.values.values()]
    for text in texts:
        (text or "").encode()


CLAUDE_SAYS: list[Any] = [
    {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 3},
    },
    {"type": "message_stop"},
]
GEMINI_SAYS: list[Any] = [
    {"candidates": [{"index": 0, "content": {"parts": [{"text": "a", "thought": True}]}}]},
    {"candidates": [{"content": {"parts": [{"text": "b"}]}, "finishReason": "STOP"}]},
]


@pytest.mark.parametrize(
    ("fold_of", "said"),
    [(MessageFold, CLAUDE_SAYS), (ContentFold, GEMINI_SAYS)],
    ids=["anthropic", "gemini"],
)
def test_no_event_is_a_fault_of_the_program(fold_of: Callable[[], Fold], said: Any) -> None:
    for told in odd(said):
        fold = fold_of()
        for event in told if isinstance(told, list) else [told]:
            fold.add(ServerEvent("message", json.dumps(event)))
        fold.peek()
        assert isinstance(fold.answer(), dict | None)
