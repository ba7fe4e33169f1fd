"""Answers of providers from the moment their last byte is in until what they came to is committed:
a program that is killed while it decodes one has not lost it.

A file an answer, in the system's memory only: after a power cut it may be cut short, and then it
can't be read as an answer, or its picture does not decode. The key in its first line keeps it
apart from an attempt of the same number in a restored database. A file that is not needed any more
is cut short and serves again: where thousands are made and removed, file systems look long for a
place that was not in use a moment ago (measured on ext4: half a millisecond for each new file, in
whatever folder).
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from desktop_app.domain.ports import RawAnswer

_log = logging.getLogger(__name__)

SPARE = 64
_NONE = 1
"""Bytes left of a file that serves again: no answer, and yet not nothing. A file that was cut to
nothing ext4 writes to the disk as soon as it is closed again."""


class RawAnswers:
    """An empty file lies open for the next answer, so that one write is all that an answer needs.

    ``keep`` and ``drop`` belong to one thread; ``left`` and then ``open`` come before, ``close``
    after them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[int, Path] = {}
        self._next: tuple[int, Path] | None = None
        self._spare: list[Path] = []
        self._count = 0

    def left(self) -> dict[int, str]:
        """Attempts whose whole answers an earlier process left, with their keys."""
        found = map(_read, sorted(self._folder.glob("*")))
        return {each[0]["attempt"]: each[0]["key"] for each in found if each is not None}

    def open(self, attempt_pks: Set[int]) -> None:
        """At start: keep what these attempts got from an earlier process, and nothing else."""
        for path in sorted(self._folder.glob("*")):
            found = _read(path)
            if found is None or found[0]["attempt"] not in attempt_pks:
                self._unlink(path)
            else:
                self._held[found[0]["attempt"]] = path
        self._count = max((int(path.name) for path in self._held.values()), default=0)
        self._prepare()

    def keep(self, attempt_pk: int, key: str, raw: RawAnswer) -> bool:
        """Write it, well under a millisecond a megabyte. Whether it is there now. Never raises:
        the answer is in hand."""
        head = {
            "attempt": attempt_pk,
            "key": key,
            "status": raw.status,
            "headers": dict(raw.headers),
            "elapsed_s": raw.elapsed_s,
            "bytes": len(raw.body),
        }
        data = b"".join((orjson.dumps(head), b"\n", raw.body))
        if self._next is None:
            self._prepare()
        if self._next is None:
            return False
        file, path = self._next
        try:
            if os.write(file, data) != len(data):
                raise OSError("short write")
        except OSError as error:
            _log.warning("an answer could not be put aside: %s", error)
            self.close()
            return False
        self._next = None
        os.close(file)
        self._held[attempt_pk] = path
        self._prepare()
        return True

    def of(self, attempt_pk: int, key: str) -> RawAnswer | None:
        """The whole answer of this very attempt, or None."""
        path = self._held.get(attempt_pk)
        found = None if path is None else _read(path)
        if found is None or found[0]["key"] != key:
            return None
        from desktop_app.domain.ports import RawAnswer

        head, body = found
        return RawAnswer(head["status"], head["headers"], body, head["elapsed_s"])

    def drop(self, attempt_pk: int) -> None:
        """It is not needed any more."""
        path = self._held.pop(attempt_pk, None)
        if path is None:
            return
        if len(self._spare) < SPARE:
            try:
                os.truncate(path, _NONE)
            except OSError as error:
                _log.debug("an answer that was put aside could not be emptied: %s", error)
            else:
                self._spare.append(path)
                return
        self._unlink(path)

    def close(self) -> None:
        """Leave what is held for the next start."""
        while self._spare:
            self._unlink(self._spare.pop())
        if self._next is not None:
            file, path = self._next
            self._next = None
            os.close(file)
            self._unlink(path)

    def _prepare(self) -> None:
        while self._spare:
            path = self._spare.pop()
            try:
                self._next = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0)), path
            except OSError:
                continue  # somebody has removed it
            return
        self._count += 1
        path = self._folder / str(self._count)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._next = os.open(path, flags, 0o600), path
        except OSError as error:
            _log.warning("no answer can be put aside: %s", error)

    def _unlink(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("an answer that was put aside could not be removed: %s", error)


def _read(path: Path) -> tuple[dict[str, Any], bytes] | None:
    """Head and body of a file that holds a whole answer."""
    try:
        top, _, body = path.read_bytes().partition(b"\n")
        head: dict[str, Any] = json.loads(top)
        return (head, body) if int(path.name) and head["bytes"] == len(body) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
