"""Puts an answer that comes in stretches together: each holds some parts, the last one the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.domain.ports import Preview
from desktop_app.providers.chat_fold import IDLE_S, LAST_S
from desktop_app.providers.error_body import has_error
from desktop_app.providers.gemini.lists import objects
from desktop_app.providers.http.sse import ServerEvent


class ContentFold:
    """See ``Fold``. The protocol has no last word: the end is the reason to stop of the last of
    the ``asked`` candidates."""

    def __init__(self, asked: int = 1) -> None:
        self._asked = asked
        self._rest: dict[str, Any] = {}
        self._candidates: dict[int, dict[str, Any]] = {}
        self._parts: dict[int, list[Mapping[str, Any]]] = {}
        self._error: Mapping[str, Any] | None = None
        self._is_torn = False

    @property
    def idle_s(self) -> float | None:
        """See ``Fold``."""
        if self.is_usable:
            return LAST_S
        return IDLE_S if self.has_begun else None

    @property
    def has_begun(self) -> bool:
        """See ``Fold``."""
        return any(self._parts.values())

    @property
    def is_usable(self) -> bool:
        """See ``Fold``: half an answer is none."""
        is_all = len(self._candidates) >= self._asked and self._has_ended
        return is_all and self._error is None

    @property
    def _has_ended(self) -> bool:
        ended = all(one.get("finishReason") for one in self._candidates.values())
        return ended and not self._is_torn

    def add(self, event: ServerEvent) -> bool:
        """See ``Fold``: no stretch says that it was the last one."""
        told = event.json
        if told is None:
            self._is_torn |= event.is_torn and not self.is_usable
            return False
        if has_error(told):
            self._error = self._error or told
        self._rest |= {key: value for key, value in told.items() if key != "candidates"}
        for one in objects(told.get("candidates")):
            self._add(one)
        return False

    def _add(self, candidate: Mapping[str, Any]) -> None:
        index = candidate.get("index")
        index = index if isinstance(index, int) else 0
        kept = self._candidates.setdefault(index, {"index": index})
        kept.update({key: value for key, value in candidate.items() if key != "content"})
        content = candidate.get("content")
        parts = objects(content.get("parts")) if isinstance(content, Mapping) else []
        self._parts.setdefault(index, []).extend(parts)

    def peek(self) -> Preview:
        """See ``Fold``."""
        texts, thoughts = [], []
        for _, parts in sorted(self._parts.items()):
            said = [(bool(part.get("thought")), str(part.get("text") or "")) for part in parts]
            texts.append("".join(text for thought, text in said if not thought))
            thoughts.append("".join(text for thought, text in said if thought))
        return Preview("\n\n".join(filter(None, texts)), "\n\n".join(filter(None, thoughts)))

    def answer(self) -> Mapping[str, Any] | None:
        """See ``Fold``: whole with a reason to stop for each candidate, or to have none."""
        if self._error is not None:
            return self._error
        if not self._candidates:
            return self._rest if "promptFeedback" in self._rest else None
        if not self._has_ended:
            return None
        candidates = [
            {**one, "content": {"parts": self._parts.get(index, [])}}
            for index, one in sorted(self._candidates.items())
        ]
        return {**self._rest, "candidates": candidates}
