"""``manifest.jsonl``: what lies in a folder of results, readable without this program."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from array import array
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from desktop_app.domain.ports.manifest import ListedLast
from desktop_app.domain.reach import reachable
from desktop_app.domain.safe_names import numbered

_STEM, _SUFFIX = "manifest", ".jsonl"
_MOST_FILES = 100
_BLOCK = 1 << 16
_NUMBERS = ("result", "n", "of", "batch")


class ManifestFiles:
    """Implements ``ports.ResultLists``. Lines are only ever added, after those that are there; a
    file of that name that is not ours, or that a person has changed at its end, is left alone, and
    ``manifest-2.jsonl`` is taken. Everything that blocks runs in worker threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, Path] = {}

    async def append(self, out_dir: str, records: Sequence[Mapping[str, Any]]) -> bool:
        """False where the folder is gone, full or read-only; nothing of it is there then."""
        return await asyncio.to_thread(self._append, out_dir, records)

    async def last(self, out_dir: str, batch_id: int) -> ListedLast | None:
        """Half a line at the end is cut off, as is a result of which not all files are listed."""
        return await asyncio.to_thread(self._last, out_dir, batch_id)

    async def listed(self, out_dir: str, batch_id: int) -> Container[tuple[str, str]]:
        """Nothing where it can't be read."""
        return await asyncio.to_thread(self._listed, out_dir, batch_id)

    def _append(self, out_dir: str, records: Sequence[Mapping[str, Any]]) -> bool:
        lines = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
        data = lines.encode("utf-8", "replace")
        with self._lock:
            try:
                file = self._file(out_dir)
                # Without a buffer, which would be written once more where it did not fit.
                with file.open("ab", buffering=0) as stream:
                    size = stream.seek(0, os.SEEK_END)
                    if stream.write(data) != len(data):
                        stream.truncate(size)
                        return False
            except OSError:
                self._files.pop(out_dir, None)
                return False
        return True

    def _last(self, out_dir: str, batch_id: int) -> ListedLast | None:
        with self._lock:
            try:
                file = self._file(out_dir)
                if not file.exists():
                    return ListedLast(there=False)
                for record in _backwards(file):
                    if record["batch"] == batch_id:
                        return ListedLast(True, record["result"], str(record["task_id"]))
            except OSError:
                self._files.pop(out_dir, None)
                return None
        return ListedLast(there=True)

    def _listed(self, out_dir: str, batch_id: int) -> Container[tuple[str, str]]:
        with self._lock:
            try:
                with self._file(out_dir).open("rb") as lines:
                    records = filter(None, map(_record, lines))
                    return _Listed(
                        (str(record["task_id"]), str(record["file"]))
                        for record in records
                        if record["batch"] == batch_id
                    )
            except OSError:
                return ()

    def _file(self, out_dir: str) -> Path:
        """The list of a folder; its end is mended when it is first used. Raises OSError."""
        known = self._files.get(out_dir)
        if known is not None and known.exists():
            return known
        folder = reachable(Path(out_dir))
        if not folder.is_dir():
            raise FileNotFoundError(out_dir)
        for number in range(1, _MOST_FILES):
            name = f"{_STEM}{_SUFFIX}" if number == 1 else numbered(_STEM, number, _SUFFIX)
            file = folder / name
            if not file.exists() or _mended(file):
                self._files[out_dir] = file
                return file
        raise FileExistsError(out_dir)


class _Listed(Container[tuple[str, str]]):
    """Which (task_id, file) a list names, in 8 bytes each: there may be a million. That two of a
    million share a mark is a chance of one in 30 million."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._marks = array("Q", sorted(map(_mark, pairs)))

    def __contains__(self, pair: object) -> bool:
        mark = _mark(pair)
        at = bisect_left(self._marks, mark)
        return at < len(self._marks) and self._marks[at] == mark


def _mark(pair: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(pair).encode(), digest_size=8).digest(), "big")


def _mended(file: Path) -> bool:
    """Whether the file is a list of ours; half a line of a crash, and lines of a result that is not
    listed whole, are cut off."""
    with file.open("rb+") as stream:
        size = stream.seek(0, os.SEEK_END)
        end, last = _whole_lines(stream, size)
        if size and last is None:
            return end == 0 and _is_ours_cut_short(stream, size)
        if last is not None:
            missing = last["n"] if last["n"] != last["of"] else 0
            while missing and end:
                end = _line_start(stream, end)
                missing -= 1
        if end != size:
            stream.truncate(end)
    return True


def _whole_lines(stream: Any, size: int) -> tuple[int, Mapping[str, Any] | None]:
    """(where the last whole line ends, its record where it is ours)."""
    end = size
    if size:
        stream.seek(size - 1)
        if stream.read(1) != b"\n":
            end = _line_start(stream, size + 1)
    if not end:
        return 0, None
    start = _line_start(stream, end)
    stream.seek(start)
    return end, _record(stream.read(end - start))


def _is_ours_cut_short(stream: Any, size: int) -> bool:
    stream.seek(0)
    ours: bool = stream.read(min(size, 10)).startswith(b'{"result"'[:size])
    if ours:
        stream.truncate(0)
    return ours


def _line_start(stream: Any, end: int) -> int:
    """Where the line begins whose end of line is just before ``end``."""
    at = end - 1
    while at > 0:
        start = max(0, at - _BLOCK)
        stream.seek(start)
        found = stream.read(at - start).rfind(b"\n")
        if found >= 0:
            return int(start + found + 1)
        at = start
    return 0


def _backwards(file: Path) -> Iterator[Mapping[str, Any]]:
    with file.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end > 0:
            start = _line_start(stream, end)
            stream.seek(start)
            record = _record(stream.read(end - start))
            if record is not None:
                yield record
            end = start


def _record(line: bytes) -> Mapping[str, Any] | None:
    """A line of ours, or None."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    if not isinstance(found, dict) or not {*_NUMBERS, "task_id", "file"} <= set(found):
        return None
    ours = all(type(found[name]) is int for name in _NUMBERS) and 1 <= found["n"] <= found["of"]
    return found if ours else None
