"""What an answer with a good status holds: a result, an error all the same, or part of either."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from desktop_app.domain.clock import Clock
from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.providers.error_body import error_of, has_error
from desktop_app.providers.error_map import Site, classify, found_wanting, judge
from desktop_app.providers.folding import Fold, fold_whole
from desktop_app.providers.http.client import Wire
from desktop_app.providers.http.sse import is_stream
from desktop_app.providers.json_work import BIG, decode_json, mended

WORDS_CHARS = 64 * 1024
"""As much of an answer that broke off is kept for a person."""

_OF_THE_ROW = (FailureClass.REFUSED, FailureClass.INVALID, FailureClass.UNKNOWN)


class AnswerReading:
    """Reads the answers of one vendor."""

    def __init__(self, site: Site, clock: Clock) -> None:
        self._site = site
        self._clock = clock

    async def of(
        self,
        wire: Wire,
        on_receive: Callable[[], None],
        folds: Callable[[], Fold] | None = None,
        heard: Fold | None = None,
    ) -> tuple[Mapping[str, Any], Wire]:
        """The parsed 2xx answer, in which no error is hidden, and the wire; that of a stream holds
        its words. ``folds`` makes what puts a stream together, ``heard`` is one that has heard all
        of it. Raises ProviderFailure for everything else."""
        if not 200 <= wire.status < 300:
            raise ProviderFailure(classify(self._site, wire, self._clock.now()))
        if folds is not None and _is_stream(wire):
            return await self._of_stream(wire, on_receive, heard or folds(), heard is not None)
        if not wire.complete:
            raise self.wanting(wire, FailureClass.UNKNOWN, "cut_body", billed=True)
        on_receive()
        try:
            found = await decode_json(wire.body)
        except ValueError:
            found = None
        if not isinstance(found, Mapping):
            raise self.wanting(wire, FailureClass.UNKNOWN, "unreadable", billed=True)
        if has_error(found):
            raise self.hidden_error(wire, found)
        return found, wire

    async def _of_stream(
        self, wire: Wire, on_receive: Callable[[], None], fold: Fold, heard: bool
    ) -> tuple[Mapping[str, Any], Wire]:
        def put_together() -> Mapping[str, Any] | None:
            if not heard:
                fold_whole(fold, wire.body)
            found = fold.answer()
            return None if found is None else mended(found)

        if wire.complete:
            on_receive()
        big = len(wire.body) > BIG
        found = await asyncio.to_thread(put_together) if big else put_together()
        if found is not None and has_error(found):
            broke = self._broken_off(wire, found) if fold.has_begun else None
            raise self._in_words(broke or self.hidden_error(wire, found), fold, found)
        if found is None or not wire.complete:
            cut = self.wanting(wire, FailureClass.UNKNOWN, "cut_body", billed=True)
            raise self._in_words(cut, fold)
        return found, replace(wire, body=_words(fold))

    def _broken_off(self, wire: Wire, found: Mapping[str, Any]) -> ProviderFailure:
        """The failure of an error in the middle: a matter of the row stays one, but where another
        try might help, some of this one has been made, and may be on the bill."""
        broke = self.hidden_error(wire, found)
        if broke.failure.kind in _OF_THE_ROW:
            return broke
        code, text = broke.failure.code, error_of(found).message
        return self.wanting(wire, FailureClass.UNKNOWN, "broken_answer", code=code, text=text)

    def with_what_came(self, broke: ProviderFailure, fold: Fold | None) -> ProviderFailure:
        """The failure of a line that broke while ``fold`` was listening."""
        if fold is None or not fold.has_begun or broke.failure.kind is not FailureClass.UNKNOWN:
            return broke
        return self._in_words(ProviderFailure(replace(broke.failure, billed=True)), fold)

    def _in_words(
        self, broke: ProviderFailure, fold: Fold, found: Mapping[str, Any] | None = None
    ) -> ProviderFailure:
        words = self._site.scrub(_words(fold, found).decode("utf-8", "replace"), WORDS_CHARS)
        return ProviderFailure(replace(broke.failure, body=words or broke.failure.body))

    def hidden_error(self, wire: Wire, found: Mapping[str, Any]) -> ProviderFailure:
        """The failure of an error inside a 200 answer."""
        text = wire.body[:65536].decode("utf-8", "replace")
        inside = self._site.read(found, text)
        return ProviderFailure(
            judge(self._site, wire, inside, inside.status or 0, self._clock.now())
        )

    def unanswered(self, wire: Wire, found: Mapping[str, Any]) -> ProviderFailure:
        """The failure of a good answer that has no place for a result: its own words, where there
        are any, say more than that it can't be read."""
        text = wire.body[:65536].decode("utf-8", "replace")
        if self._site.read(found, text).message:
            return self.hidden_error(wire, found)
        return self.wanting(wire, FailureClass.UNKNOWN, "unreadable", billed=True)

    def wanting(
        self,
        wire: Wire,
        kind: FailureClass,
        said: str,
        *,
        code: str = "",
        text: str = "",
        billed: bool | None = None,
    ) -> ProviderFailure:
        """The failure of a 200 answer that lacks what was asked for."""
        code = code or said
        return ProviderFailure(
            found_wanting(self._site, wire, kind, said, code=code, text=text, billed=billed)
        )


def _is_stream(wire: Wire) -> bool:
    # Some errors are announced as streams and are none.
    return is_stream(wire.headers, wire.body) and not wire.body.lstrip().startswith(b"{")


def _words(fold: Fold, error: Mapping[str, Any] | None = None) -> bytes:
    """What a person can read of a stream."""
    preview = fold.peek()
    parts = [preview.text or preview.thinking]
    if error is not None:
        parts.append(json.dumps(error.get("error", error), ensure_ascii=False))
    return "\n\n".join(part for part in parts if part).encode("utf-8", "replace")
