"""A stream is put together to what its vendor would have answered in one piece, so that what is
made of an answer, and every check of it, is written once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from desktop_app.domain.ports import Preview
from desktop_app.providers.error_body import has_error
from desktop_app.providers.http.sse import Listener, ServerEvent, read_events
from desktop_app.providers.http.wire import Wire, headers_without_key

_OF_THE_BODY = ("content-encoding", "content-length", "transfer-encoding")


class Fold(Protocol):
    """Puts one stream together; each answer has its own. Nothing here raises."""

    @property
    def idle_s(self) -> float | None:
        """From now on the longest silence that is no trouble. None while the vendor may still be
        thinking, for which only the deadline of the whole is a bound."""
        ...

    def add(self, event: ServerEvent) -> bool:
        """Take the next event in. Whether the vendor says that it was the last one."""
        ...

    @property
    def has_begun(self) -> bool:
        """Whether some of the result has come, so that the call has cost something."""
        ...

    @property
    def is_usable(self) -> bool:
        """Whether what has come is a result, whole or in part, also where nothing more comes: its
        protocol's last word has been said. Where the protocol has none, what no more than a count
        can follow is the end."""
        ...

    def peek(self) -> Preview:
        """What has come so far."""
        ...

    def answer(self) -> Mapping[str, Any] | None:
        """The answer in one piece; with ``error`` in it where the vendor told of trouble. None
        where the stream is not whole: it lacks its end, or an event before it can't be read."""
        ...


class FoldListener(Listener):
    """Folds what it hears, and keeps the head of the answer, for one whose line breaks."""

    def __init__(self, fold: Fold) -> None:
        super().__init__(self._fold_in)
        self._fold = fold
        self._status = 0
        self._headers: Mapping[str, str] = {}
        self._loop_time = asyncio.get_running_loop().time
        self._began_at = self._loop_time()

    def begins(self, status: int, headers: Mapping[str, str]) -> None:
        """See ``Listener``."""
        self._status, self._headers = status, headers
        super().begins(status, headers)

    async def in_one_piece(self, scrub: Callable[[str], str]) -> Wire | None:
        """What was heard, where it is usable, as the whole answer that it would have been without
        a stream; None else."""
        elapsed_s = self._loop_time() - self._began_at
        if not (self.end() and self._fold.is_usable):
            return None
        body = await asyncio.to_thread(_in_one_piece, self._fold)
        if body is None:
            return None
        headers = headers_without_key(self._headers, scrub)
        for name in _OF_THE_BODY:
            headers.pop(name, None)
        headers["content-type"] = "application/json"
        return Wire(self._status, headers, body, elapsed_s)

    def _fold_in(self, event: ServerEvent) -> bool:
        over = self._fold.add(event)
        self.idle_s = self._fold.idle_s
        return over


def _in_one_piece(fold: Fold) -> bytes | None:
    found = fold.answer()
    return None if found is None or has_error(found) else json.dumps(found).encode()


def fold_whole(fold: Fold, body: bytes) -> None:
    """Put together what is in hand."""
    for event in read_events(body):
        if fold.add(event):
            return
