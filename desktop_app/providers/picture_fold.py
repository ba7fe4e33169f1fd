"""Puts a stream of pictures together to the answer it would have been in one piece. Events are
megabytes long, so they are kept as they came and read where nobody waits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from desktop_app.domain.ports import Preview, UnfinishedPicture
from desktop_app.providers.error_body import has_error
from desktop_app.providers.http.sse import ServerEvent
from desktop_app.providers.json_work import base64_bytes

IDLE_S = 300.0
"""From one picture, finished or not, to the next. The first may take until the deadline."""

CUT = "cut"
"""Tells of an answer in one piece that its stream ended too early, with pictures in hand."""

_TYPE = re.compile(r'"type"\s*:\s*"([a-z_]+(?:\.[a-z_]+)*)"')
_EDGE = 512
_SHORT = 4096


class PictureFold:
    """See ``Fold``: OpenAI's events of generations and edits, and Ark's. Each finished picture is
    whole in itself, also where the stream is cut after it."""

    def __init__(self) -> None:
        self._finished: list[ServerEvent] = []
        self._failed: list[ServerEvent] = []
        self._last: ServerEvent | None = None
        self._seen = 0
        self._error: ServerEvent | None = None
        self._summary: ServerEvent | None = None
        self._is_over = False

    @property
    def idle_s(self) -> float | None:
        """See ``Fold``."""
        return IDLE_S if self.has_begun else None

    @property
    def has_begun(self) -> bool:
        """See ``Fold``."""
        return self._seen > 0

    @property
    def is_usable(self) -> bool:
        """See ``Fold``."""
        return bool(self._finished)

    def add(self, event: ServerEvent) -> bool:
        """See ``Fold``."""
        if event.data.strip() == "[DONE]":
            self._is_over = True
            return True
        kind = _kind(event).rpartition(".")[2]
        if kind == "partial_image":
            self._show(event)
        elif kind == "partial_succeeded":
            self._finish(event)
        elif kind == "partial_failed":
            self._failed.append(event)
        elif kind == "completed":
            # OpenAI's holds the picture; Ark's ends the group and holds what it took.
            self._summary = event
            if _has_picture(event):
                self._finish(event)
        elif kind == "error" or (len(event.data) < _SHORT and has_error(event.json or {})):
            self._error = event
        return False

    def _finish(self, event: ServerEvent) -> None:
        self._finished.append(event)
        self._show(event)

    def _show(self, event: ServerEvent) -> None:
        self._last = event
        self._seen += 1

    def peek(self) -> Preview:
        """See ``Fold``. Pictures that stay at the provider are told by their addresses."""
        last = self._last
        picture = None
        if last is not None and '"b64_json"' in last.data:
            picture = UnfinishedPicture(self._seen, lambda: _picture(last))
        addresses = (_address(event) for event in self._finished)
        return Preview("\n".join(address for address in addresses if address), picture=picture)

    def answer(self) -> Mapping[str, Any] | None:
        """See ``Fold``; takes long."""
        pictures = [found for event in self._finished if (found := event.json) is not None]
        failed = [{"error": _error(event)} for event in self._failed if event.json is not None]
        if not pictures and self._error is not None:
            return {"error": _error(self._error)}
        # Also an event that was cut has its kind, by which alone it was known so far.
        summary = self._summary.json if self._summary is not None else None
        whole = self._is_over or summary is not None
        lost = len(pictures) + len(failed) < len(self._finished) + len(self._failed)
        unread = lost or (self._summary is not None and summary is None)
        if not pictures and not failed and (unread or not whole):
            return None
        summary = summary or {}
        model = next((p["model"] for p in (*pictures, summary) if p.get("model")), None)
        cut = self._error is not None or lost or not whole
        found = {"data": [*pictures, *failed], "usage": summary.get("usage"), "model": model}
        return {**found, CUT: True} if cut else found


def _kind(event: ServerEvent) -> str:
    if event.name != "message":
        return event.name
    for part in (event.data[:_EDGE], event.data[-_EDGE:]):
        if (found := _TYPE.search(part)) is not None:
            return found[1]
    return ""


def _has_picture(event: ServerEvent) -> bool:
    return '"b64_json"' in event.data or '"url"' in event.data


def _picture(event: ServerEvent) -> bytes:
    found = event.json or {}
    return base64_bytes(str(found.get("b64_json") or ""))


def _address(event: ServerEvent) -> str:
    if len(event.data) > _SHORT:
        return ""
    return str((event.json or {}).get("url") or "")


def _error(event: ServerEvent) -> Any:
    found = event.json or {}
    return found.get("error") or found
