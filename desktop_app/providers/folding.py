"""A stream is put together to what its vendor would have answered in one piece, so that what is
made of an answer, and every check of it, is written once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from desktop_app.domain.ports import Preview
from desktop_app.providers.http.sse import Listener, ServerEvent, read_events


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
    def keeps_parts(self) -> bool:
        """Whether what has come is a result in part, also where the rest never comes."""
        ...

    def peek(self) -> Preview:
        """What has come so far."""
        ...

    def answer(self) -> Mapping[str, Any] | None:
        """The answer in one piece; with ``error`` in it where the vendor told of trouble. None
        where the stream is not whole."""
        ...


def listener_of(fold: Fold) -> Listener:
    """One that folds what it hears."""

    def hear(event: ServerEvent) -> bool:
        over = fold.add(event)
        listener.idle_s = fold.idle_s
        return over

    listener = Listener(hear)
    return listener


def fold_whole(fold: Fold, body: bytes) -> None:
    """Put together what is in hand."""
    for event in read_events(body):
        if fold.add(event):
            return
