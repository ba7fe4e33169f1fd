"""Puts a message that comes block by block together to the one it would have been."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.domain.ports import Preview
from desktop_app.providers.chat_fold import IDLE_S, LAST_S
from desktop_app.providers.error_body import has_error
from desktop_app.providers.http.sse import ServerEvent

_DELTAS = {"text_delta": "text", "thinking_delta": "thinking"}


class MessageFold:
    """See ``Fold``. Its reason to stop says all; whole it is with ``message_stop`` alone."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._words: dict[int, list[str]] = {}
        self._error: Mapping[str, Any] | None = None
        self._is_torn = False
        self._is_over = False

    @property
    def idle_s(self) -> float | None:
        """See ``Fold``: from the first event on the vendor pings."""
        if self._is_said:
            return LAST_S
        return IDLE_S if self._message else None

    @property
    def has_begun(self) -> bool:
        """See ``Fold``."""
        return any(self._words.values())

    @property
    def is_usable(self) -> bool:
        """See ``Fold``: half an answer is none, and one without its end may be half."""
        return self._is_over and self._is_said

    @property
    def _is_said(self) -> bool:
        told = bool(self._message.get("stop_reason")) and not self._is_torn
        return told and self._error is None

    def add(self, event: ServerEvent) -> bool:
        """See ``Fold``."""
        told = event.json
        if told is None:
            self._is_torn |= event.is_torn and not self._is_said
            return False
        if has_error(told):
            self._error = self._error or told
        kind = told.get("type")
        if kind == "message_start" and isinstance(told.get("message"), Mapping):
            self._message.update(told["message"])
        elif kind == "content_block_start" and isinstance(told.get("content_block"), Mapping):
            self._begin(_index(told), told["content_block"])
        elif kind == "content_block_delta" and isinstance(told.get("delta"), Mapping):
            self._go_on(_index(told), told["delta"])
        elif kind == "message_delta":
            self._end(told)
        elif kind == "message_stop":
            self._is_over = True
        return self._is_over

    def _begin(self, index: int, block: Mapping[str, Any]) -> None:
        self._blocks[index] = dict(block)
        first = block.get(str(block.get("type")))
        self._words[index] = [first] if isinstance(first, str) and first else []

    def _go_on(self, index: int, delta: Mapping[str, Any]) -> None:
        name = _DELTAS.get(str(delta.get("type")))
        if name is not None and isinstance(delta.get(name), str):
            self._blocks.setdefault(index, {"type": name})
            self._words.setdefault(index, []).append(delta[name])

    def _end(self, told: Mapping[str, Any]) -> None:
        delta, usage = told.get("delta"), told.get("usage")
        if isinstance(delta, Mapping):
            self._message.update(delta)
        if isinstance(usage, Mapping):
            before = self._message.get("usage")
            counted = dict(before) if isinstance(before, Mapping) else {}
            self._message["usage"] = {**counted, **usage}

    def _whole(self) -> list[dict[str, Any]]:
        found = []
        for index, block in sorted(self._blocks.items()):
            kind = str(block.get("type"))
            words = {kind: "".join(self._words[index])} if kind in _DELTAS.values() else {}
            found.append({**block, **words})
        return found

    def peek(self) -> Preview:
        """See ``Fold``."""
        said = self._whole()
        return Preview(
            "".join(block["text"] for block in said if block.get("type") == "text"),
            "".join(block["thinking"] for block in said if block.get("type") == "thinking"),
        )

    def answer(self) -> Mapping[str, Any] | None:
        """See ``Fold``."""
        if self._error is not None:
            return self._error
        if not self.is_usable:
            return None
        return {**self._message, "content": self._whole()}


def _index(told: Mapping[str, Any]) -> int:
    index = told.get("index")
    return index if isinstance(index, int) else 0
