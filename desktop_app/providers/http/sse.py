"""Answers that come event by event: read the same while they come and when they are whole."""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# The package hands out nothing but readers of its own responses; ours are read elsewhere.
from httpx_sse._decoders import SSEDecoder, SSELineDecoder

from desktop_app.providers.http.deadline import Deadline
from desktop_app.providers.http.reading import is_packed

FAREWELL_S = 2.0
"""How long a line may stay open after its server has said that nothing more will come."""

UNPACKED_BYTES = 96 * 1024 * 1024
"""Of a packed answer no more is heard: a little of it may become more than there is memory."""

_ZLIB_OR_GZIP = 47
_FIRST_LINES = (b"data:", b"event:", b"id:", b"retry:", b":")
_BLANK = b" \t\r\n\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event; ``name`` is ``message`` where it bears none."""

    name: str
    data: str

    @property
    def json(self) -> Mapping[str, Any] | None:
        """The object it holds; None where it holds none (``[DONE]``)."""
        if not self.data.lstrip().startswith("{"):
            return None
        try:
            found = json.loads(self.data)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, Mapping) else None

    @property
    def is_torn(self) -> bool:
        """Whether it was to hold an object that can't be read: what it said is lost."""
        return self.data.lstrip().startswith("{") and self.json is None


class EventReader:
    """Bytes in, events out, however they are cut. Never fails."""

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._lines = SSELineDecoder()
        self._events = SSEDecoder()

    def feed(self, data: bytes) -> list[ServerEvent]:
        """The events that these bytes complete."""
        text = self._text.decode(data)
        return self._read(self._lines.decode(text)) if text else []

    def end(self) -> list[ServerEvent]:
        """The last event, where the body ended without the blank line after it."""
        last = self._text.decode(b"", True)
        lines = self._lines.decode(last) if last else []
        return self._read([*lines, *self._lines.flush(), ""])

    def _read(self, lines: list[str]) -> list[ServerEvent]:
        found = []
        for line in lines:
            if line.startswith("{"):
                # Some servers tell of trouble in a bare line of JSON; no field begins like that.
                found.append(ServerEvent("message", line))
            elif (event := self._events.decode(line)) is not None and event.data:
                found.append(ServerEvent(event.event, event.data))
        return found


def read_events(body: bytes) -> list[ServerEvent]:
    """Every event of a whole body."""
    reader = EventReader()
    return [*reader.feed(body), *reader.end()]


def is_stream(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether a body is a stream of events: by its type, or by its first line where the server
    gives another."""
    if "text/event-stream" in headers.get("content-type", "").lower():
        return True
    return body[:1024].lstrip(_BLANK).startswith(_FIRST_LINES)


class Listener:
    """Listens to one answer as it comes. Reading parts must cost no more than their length.

    ``hear`` is given each event of a good answer; ``is_over`` becomes True with the event for
    which it returns True: the vendor says that no more will come. ``idle_s``: the longest silence
    from now on that is no trouble (None: any), to be set by whoever hears.
    """

    def __init__(self, hear: Callable[[ServerEvent], bool]) -> None:
        self._hear = hear
        self._listens = False
        self._reader: EventReader | None = None
        self._unpack: Callable[[bytes], bytes] = bytes
        self._is_told = False
        self.is_over = False
        self.idle_s: float | None = None

    def begins(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of the answer is in."""
        if 200 <= status < 300:
            self._listens = True
            self._is_told = "text/event-stream" in headers.get("content-type", "").lower()
            if is_packed(headers.get("content-encoding", "")):
                self._unpack = _unpacking(UNPACKED_BYTES)

    def part(self, deadline: Deadline, data: bytes) -> bool:
        """Some more of its body. Whether the answer is whole, though its line may stay open: then
        not for long."""
        if not self.is_over:
            self._listen(data)
            deadline.heard(self.idle_s)
            if self.is_over:
                deadline.again(FAREWELL_S)
        return self.is_over

    def _listen(self, data: bytes) -> None:
        if not self._listens:
            return
        try:
            plain = self._unpack(data)
        except zlib.error:
            self._listens = False
            return
        if not self._is_told and plain.strip(_BLANK):
            if not is_stream({}, plain):
                self._listens = False
                return
            self._is_told = True
        if self._reader is None:  # most answers come in one piece, and need none
            self._reader = EventReader()
        for event in self._reader.feed(plain):
            self.is_over = self._hear(event) or self.is_over

    def end(self) -> bool:
        """Its body has ended. Whether all of it was a stream, and has been heard."""
        if not (self._listens and self._is_told):
            return False
        for event in () if self.is_over or self._reader is None else self._reader.end():
            self.is_over = self._hear(event) or self.is_over
        return True


def _unpacking(most: int) -> Callable[[bytes], bytes]:
    """Unpacks part by part. Raises zlib.error, also where more than ``most`` bytes come of it."""
    unpacker, left = zlib.decompressobj(_ZLIB_OR_GZIP), most

    def unpack(data: bytes) -> bytes:
        nonlocal left
        plain = unpacker.decompress(data, left + 1)
        left -= len(plain)
        if left < 0:
            raise zlib.error("too much")
        return plain

    return unpack
