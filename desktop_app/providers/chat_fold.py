"""Puts a chat that comes word by word together to the answer it would have been in one piece."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop_app.domain.ports import Preview
from desktop_app.providers.error_body import has_error
from desktop_app.providers.http.sse import ServerEvent
from desktop_app.providers.thinking import apart

IDLE_S = 120.0
"""Once words come, a longer silence is a line that nobody closed."""

LAST_S = 15.0
"""The same once all is said, and no more than a count of it and the end may come."""

_DONE = "[DONE]"
_BETWEEN = "\n\n"
_THOUGHTS = ("reasoning_content", "reasoning")


@dataclass(slots=True)
class _Choice:
    content: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    reason: str | None = None
    error: Mapping[str, Any] | None = None

    def add(self, said: Mapping[str, Any]) -> None:
        self.content += words_of(said.get("content"))
        thought = next((said[name] for name in _THOUGHTS if said.get(name)), None)
        self.thinking += words_of(thought)
        self.refusal += words_of(said.get("refusal"))

    def whole(self, index: int) -> Mapping[str, Any]:
        message: dict[str, Any] = {"content": "".join(self.content)}
        if self.thinking:
            message[_THOUGHTS[0]] = "".join(self.thinking)
        if self.refusal:
            message["refusal"] = "".join(self.refusal)
        choice = {"index": index, "message": message, "finish_reason": self.reason}
        return choice if self.error is None else {**choice, "error": self.error}


class ChatFold:
    """See ``Fold``. Several answers may come interleaved, each with its reason to stop; whole they
    are with ``[DONE]`` alone. ``asked`` is how many there must be for all to be said."""

    def __init__(self, asked: int = 1) -> None:
        self._asked = asked
        self._choices: dict[int, _Choice] = {}
        self._model: str | None = None
        self._usage: Mapping[str, Any] | None = None
        self._timings: Mapping[str, Any] | None = None
        self._error: Mapping[str, Any] | None = None
        self._is_done = False
        self._is_torn = False

    @property
    def idle_s(self) -> float | None:
        """See ``Fold``: a model may think for minutes before its first word."""
        if self._is_said:
            return LAST_S
        return IDLE_S if self.has_begun else None

    @property
    def has_begun(self) -> bool:
        """See ``Fold``."""
        return any(choice.content or choice.thinking for choice in self._choices.values())

    @property
    def is_usable(self) -> bool:
        """See ``Fold``: half an answer is none, and one without its end may be half."""
        return self._is_done and self._has_reasons and self._error is None

    @property
    def _is_said(self) -> bool:
        is_all = len(self._choices) >= self._asked and self._has_reasons
        return is_all and self._error is None

    @property
    def _has_reasons(self) -> bool:
        told = all(choice.reason is not None for choice in self._choices.values())
        return told and not self._is_torn

    def add(self, event: ServerEvent) -> bool:
        """See ``Fold``."""
        if event.data.strip() == _DONE:
            self._is_done = True
            return True
        chunk = event.json
        if chunk is None:
            self._is_torn |= event.is_torn and not self._is_said
            return False
        if has_error(chunk):
            self._error = self._error or chunk
        if isinstance(chunk.get("model"), str):
            self._model = self._model or chunk["model"]
        self._usage = _figures(chunk, "usage") or self._usage
        self._timings = _figures(chunk, "timings") or self._timings
        listed = chunk.get("choices")
        for choice in listed if isinstance(listed, list) else ():
            if isinstance(choice, Mapping):
                self._add(choice)
        return False

    def _add(self, choice: Mapping[str, Any]) -> None:
        index = choice.get("index")
        kept = self._choices.setdefault(index if isinstance(index, int) else 0, _Choice())
        # Some servers that were asked for a stream say all in one event, as if they were not.
        said = choice.get("delta") or choice.get("message")
        if isinstance(said, Mapping):
            kept.add(said)
        if choice.get("finish_reason"):
            kept.reason = str(choice["finish_reason"])
        if isinstance(choice.get("error"), Mapping):
            kept.error = choice["error"]

    def peek(self) -> Preview:
        """See ``Fold``."""
        texts, thoughts = [], []
        for _, choice in sorted(self._choices.items()):
            text, thought = apart("".join(choice.content))
            texts.append(text)
            thoughts.append("".join(choice.thinking) or thought)
        return Preview(
            _BETWEEN.join(text for text in texts if text),
            _BETWEEN.join(thought for thought in thoughts if thought),
        )

    def answer(self) -> Mapping[str, Any] | None:
        """See ``Fold``."""
        if self._error is not None:
            return self._error
        if not (self._is_done and self._has_reasons):
            return None
        found: dict[str, Any] = {
            "model": self._model,
            "choices": [choice.whole(index) for index, choice in sorted(self._choices.items())],
        }
        usage = self._usage or _counted(self._timings)
        return found if usage is None else {**found, "usage": usage}


def words_of(content: object) -> list[str]:
    """The words of a message, in parts; some servers send a list of them."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, Mapping))
        return [part for part in parts if isinstance(part, str)]
    return [content] if isinstance(content, str) and content else []


def _figures(chunk: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    found = chunk.get(name)
    return found if isinstance(found, Mapping) and found else None


def _counted(timings: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """llama.cpp says how many tokens it took also where it was not asked to count them."""
    if timings is None:
        return None
    parts = [timings.get(name, 0) for name in ("prompt_n", "cache_n", "predicted_n")]
    if not all(isinstance(part, int) for part in parts):
        return None
    asked, said = parts[0] + parts[1], parts[2]
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
