"""A request body that is read from disk while it leaves, so that ten uploads at once hold no
picture whole."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from desktop_app.providers.json_work import encode_body


class Piece(Protocol):
    """A part of a body that is not in memory. ``stretches`` may block, and raises ProviderFailure
    where the rest can't be had: the request then never becomes whole."""

    @property
    def length(self) -> int: ...
    def stretches(self) -> Iterator[bytes]: ...


@dataclass(frozen=True, slots=True)
class Upload:
    """A body in pieces, and its content type."""

    content_type: str
    pieces: Sequence[bytes | Piece]

    @property
    def length(self) -> int:
        """Bytes in all."""
        return sum(len(p) if isinstance(p, bytes) else p.length for p in self.pieces)

    async def stretches(self) -> AsyncGenerator[bytes, None]:
        """The body in order. Files are read in worker threads."""
        for piece in self.pieces:
            if isinstance(piece, bytes):
                yield piece
                continue
            reading = piece.stretches()
            try:
                while (stretch := await asyncio.to_thread(next, reading, None)) is not None:
                    yield stretch
            finally:
                with contextlib.suppress(ValueError):  # a cancelled call's thread still reads
                    reading.close()  # type: ignore[attr-defined]


class Leaving:
    """An upload on its way. ``is_whole``: its last byte was handed on; until then the server has no
    request that it could work on, or bill."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._left = upload.length

    @property
    def is_whole(self) -> bool:
        """Whether there may be a request at the other end."""
        return self._left <= 0

    async def stretches(self) -> AsyncGenerator[bytes, None]:
        """The body in order."""
        async with contextlib.aclosing(self._upload.stretches()) as stretches:
            async for stretch in stretches:
                self._left -= len(stretch)
                yield stretch


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file in a form; ``content`` is as in ``Upload``."""

    field: str
    name: str
    mime: str
    content: bytes | Piece


def form_upload(fields: Mapping[str, Any], files: Iterable[FormFile]) -> Upload:
    """``multipart/form-data``: texts as they are, other values as JSON writes them. Raises
    ProviderFailure for text that is no Unicode."""
    boundary = f"batchwright-{secrets.token_hex(16)}"
    encode_body(fields)  # says what can't be sent
    pieces: list[bytes | Piece] = []
    for name, value in fields.items():
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}"\r\n\r\n'
        pieces.append(f"{head}{said}\r\n".encode())
    for file in files:
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(file.field)}"; '
            f'filename="{_quoted(file.name)}"\r\nContent-Type: {file.mime}\r\n\r\n'
        )
        pieces += (head.encode("utf-8", "replace"), file.content, b"\r\n")
    pieces.append(f"--{boundary}--\r\n".encode())
    return Upload(f"multipart/form-data; boundary={boundary}", pieces)


def json_upload(body: Mapping[str, Any], held: Mapping[str, Sequence[bytes | Piece]]) -> Upload:
    """JSON in which each text that is a key of ``held`` is replaced by those pieces, which must
    hold nothing that JSON would escape. Keys are found by themselves: make them up at random.
    Raises ProviderFailure as ``encode_body`` does."""
    pieces: list[bytes | Piece] = []
    rest = encode_body(body)
    for key, content in held.items():
        before, _, rest = rest.partition(key.encode())
        pieces += (before, *content)
    return Upload("application/json", [*pieces, rest])


def _quoted(text: str) -> str:
    """As browsers write a name."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
