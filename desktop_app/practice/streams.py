"""A good answer in the events of a stream, as OpenAI sends them; each knows when it is due, so that
a person can watch the answer grow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_FIRST = 0.15
"""The share of its time after which an answer begins."""

_WORD = re.compile(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+")
"""A word with the space behind it; of scripts without spaces a character."""

ERROR = (
    b'data: {"error": {"message": "The practice server broke off.", "type": "server_error", '
    b'"param": null, "code": "server_error"}}\n\n'
)


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of whole events, due when this share (0 to 1) of the answer's time has passed."""

    due: float
    event: bytes


@dataclass(frozen=True, slots=True)
class Pieces:
    """What comes on the way; then ``ends``, which says that all is said; then what follows it."""

    on_the_way: tuple[Piece, ...]
    ends: bytes
    after: bytes

    @property
    def begins(self) -> float:
        """When the first of them is due."""
        return self.on_the_way[0].due if self.on_the_way else 1.0


def of_chat(body: bytes, *, counts: bool) -> Pieces:
    """From the body of a chat answer, word by word; ``counts``: with its tokens."""
    found = json.loads(body)
    head = {key: found[key] for key in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"

    def chunk(index: int, delta: Mapping[str, str], reason: str | None = None) -> bytes:
        choice = {"index": index, "delta": delta, "finish_reason": reason}
        return _event({**head, "choices": [choice]})

    pieces, ends = [], []
    for choice in found["choices"]:
        index = choice["index"]
        pieces.append(Piece(_FIRST, chunk(index, {"role": "assistant", "content": ""})))
        words = _WORD.findall(choice["message"]["content"])
        for place, word in enumerate(words, start=1):
            due = _FIRST + (1 - _FIRST) * place / (len(words) + 1)
            pieces.append(Piece(due, chunk(index, {"content": word})))
        ends.append(chunk(index, {}, choice["finish_reason"]))
    usage = _event({**head, "choices": [], "usage": found["usage"]}) if counts else b""
    pieces.sort(key=lambda piece: piece.due)
    return Pieces(tuple(pieces), b"".join(ends), usage + b"data: [DONE]\n\n")


def of_pictures(body: bytes, previews: Sequence[Sequence[str]], kind: str) -> Pieces:
    """From the body of a picture answer; ``previews`` are the base64 of each picture's unfinished
    ones; ``kind`` is ``image_generation`` or ``image_edit``."""
    found = json.loads(body)
    pieces = [
        Piece(
            _FIRST + (1 - _FIRST) * number / len(mine),
            _named(f"{kind}.partial_image", b64_json=data, partial_image_index=number),
        )
        for mine in previews
        for number, data in enumerate(mine)
    ]
    pieces.sort(key=lambda piece: piece.due)
    about = {key: found[key] for key in ("size", "output_format", "usage")}
    ends = (_named(f"{kind}.completed", **item, **about) for item in found["data"])
    return Pieces(tuple(pieces), b"".join(ends), b"")


def in_bursts(pieces: Sequence[Piece], least: float) -> Iterator[Piece]:
    """The same in fewer pieces: those due within ``least`` of the first of them come with the
    last. A fast answer would else cost more work than it is worth."""
    held: list[Piece] = []
    for piece in pieces:
        if held and piece.due - held[0].due >= least:
            yield _joined(held)
            held = []
        held.append(piece)
    if held:
        yield _joined(held)


def _joined(held: Sequence[Piece]) -> Piece:
    return Piece(held[-1].due, b"".join(piece.event for piece in held))


def _named(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\n".encode() + _event({"type": kind, **fields})


def _event(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"data: {text}\n\n".encode()
