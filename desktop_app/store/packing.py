"""Rows made ready for the store as a small database of their own: whatever needs no store is done
here, in any process, so that the one writer only copies from table to table."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

import orjson

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Packed
from desktop_app.domain.task import DraftValues, TaskState, digested, request_digest
from desktop_app.domain.text import Message, message
from desktop_app.store.codec import dump, dump_texts
from desktop_app.store.many import insert_columns
from desktop_app.store.stems import fold

_VARIANT = bytes(0x80 | byte & 0x3F for byte in range(256))

_ID = 36
_NOISE = (*range(19, 23), *range(24, 36))
"""Places of the random digits in an id."""

_DIGITS = b"0123456789abcdef"
_SERIALS = (
    b"".join(bytes([digit]) * 256 for digit in _DIGITS),
    b"".join(bytes([digit]) * 16 for digit in _DIGITS) * 16,
    _DIGITS * 256,
)
"""The first, second and third digit of the numbers from 0 to 4095."""

_Problem = tuple[str | None, str | None, str | None]
_NO_PROBLEM: _Problem = (None, None, None)

PART = 512
"""Rows in one database: so many stay in the processor's own memory while they are copied, and the
system is not asked for fresh memory each time."""

TABLES = """
CREATE TABLE task (row_no, task_id, key, stem, stem_fold, state DEFAULT 0, priority DEFAULT 0, lane,
                   blocked DEFAULT 0, error_class, error_code, note);
CREATE TABLE payload (prompt, params, cells, digest, extra)"""
"""One row a sheet's row in both, in its order. What most sheets have nothing to say in is left to
the defaults where none of the rows has: state, priority, lane, and what is wrong."""

_TASK = "INSERT INTO task (row_no, task_id, key, stem, stem_fold) VALUES {rows}"
_WHOLE_TASK = "INSERT INTO task VALUES {rows}"
_PAYLOAD = "INSERT INTO payload VALUES {rows}"


def pack(rows: Iterable[DraftValues], chunk: int) -> Iterator[Packed]:
    """So many rows at a time. A row with a problem or without a request becomes a FAILED one, class
    ``invalid``."""
    rows = iter(rows)
    # Whoever takes the chunks does so one after the other, but not always from the same thread.
    made = sqlite3.connect(
        "file:x?vfs=memdb", uri=True, isolation_level=None, check_same_thread=False
    )
    with closing(made):
        made.execute("PRAGMA journal_mode = off")
        made.executescript(TABLES)
        while parts := list(_parts(made, islice(rows, chunk))):
            counts, bad, images = zip(*parts, strict=True)
            yield Packed(sum(counts), sum(bad), images)


def _parts(
    made: sqlite3.Connection, rows: Iterator[DraftValues]
) -> Iterator[tuple[int, int, bytes]]:
    while of_rows := tuple(zip(*islice(rows, PART), strict=True)):
        yield len(of_rows[0]), _fill(made, of_rows), made.serialize()


def _fill(made: sqlite3.Connection, of_rows: tuple[tuple[Any, ...], ...]) -> int:
    """Make it hold these rows instead; returns how many can't be used."""
    row_nos, cells, prompts, params, extras, stems, keys, lanes, priorities, problems = of_rows
    failures: list[_Problem] = []
    if None in prompts or problems.count(None) < len(problems):
        failures = [
            _NO_PROBLEM if problem is None and prompt is not None else _said(problem)
            for problem, prompt in zip(problems, prompts, strict=True)
        ]
    bad = len(failures) - failures.count(_NO_PROBLEM)
    of_task = [row_nos, task_ids(len(row_nos)), keys, stems, [fold(stem) for stem in stems]]
    made.execute("BEGIN")
    made.execute("DELETE FROM task")
    made.execute("DELETE FROM payload")
    if bad or any(priorities) or any(lanes):
        rest = _rest(failures or [_NO_PROBLEM] * len(row_nos), priorities, lanes)
        insert_columns(made, _WHOLE_TASK, (), [*of_task, *rest])
    else:
        insert_columns(made, _TASK, (), of_task)
    prompt, of_params, extra, of_cells, digest = _payload(prompts, params, extras, cells)
    of_payload: list[Sequence[Any]] = [prompt, of_params, of_cells, digest]
    if extra.count(extra[0]) == len(extra):  # a sheet names none
        insert_columns(made, _PAYLOAD, extra[:1], of_payload)
    else:
        insert_columns(made, _PAYLOAD, (), [*of_payload, extra])
    made.execute("COMMIT")
    return bad


def payload_of(values: DraftValues) -> tuple[str, str, str, str, str]:
    """prompt, params, extra, cells, digest, as the store keeps them."""
    _, cells, prompt, params, extra, *_ = values
    (found,) = zip(*_payload([prompt], [params], [extra], [cells]), strict=True)
    return found


def task_ids(count: int) -> list[str]:
    """UUIDs of version 7: they grow, so that a million of them fill their index in order."""
    stamp = time.time_ns() // 1_000_000
    random = bytearray(os.urandom(count * 8))
    random[::8] = random[::8].translate(_VARIANT)
    noise = random.hex().encode()
    # Letter by letter of all of them at once: one by one they take three times as long.
    letters = bytearray(b"-" * (_ID * count))
    for place, digit in enumerate(_NOISE):
        letters[digit::_ID] = noise[place::16]
    for start in range(0, count, 0x1000):
        end = min(count, start + 0x1000)
        when = f"{stamp + (start >> 12):012x}"
        for place, letter in enumerate(f"{when[:8]}-{when[8:]}-7".encode()):
            letters[start * _ID + place : end * _ID : _ID] = bytes([letter]) * (end - start)
        for place, digits in enumerate(_SERIALS, start=15):
            letters[start * _ID + place : end * _ID : _ID] = digits[: end - start]
    text = letters.decode()
    return [text[at : at + _ID] for at in range(0, _ID * count, _ID)]


def _payload(
    prompts: Sequence[str | None],
    params: Sequence[Mapping[str, Any]],
    extras: Sequence[Mapping[str, Any]],
    cells: Sequence[Sequence[str]],
) -> tuple[list[str], list[str], list[str], list[str], list[str]]:
    of_params, in_params = _texts(params)
    of_extras, in_extras = _texts(extras)
    sha256, of_text = hashlib.sha256, orjson.dumps
    return (
        [prompt or "" for prompt in prompts],
        of_params,
        of_extras,
        list(map(dump_texts, cells)),
        [
            # ``request_digest``, for the million rows of a sheet.
            sha256(b"[%b, %b, %b]" % (of_text(prompt), of_param, of_extra)).hexdigest()[:32]
            if prompt is not None
            else request_digest(None)
            for prompt, of_param, of_extra in zip(prompts, in_params, in_extras, strict=True)
        ],
    )


def _texts(of_rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[bytes]]:
    """What parameters come to as text, as it is kept and as it goes into the digest: once for each
    of those that the rows of a chunk share."""
    ids = list(map(id, of_rows))
    count = ids.count(ids[0])
    if count == len(ids):
        return [dump(dict(of_rows[0]))] * count, [digested(of_rows[0]).encode()] * count
    shared = dict(zip(ids, of_rows, strict=True))
    kept = {at: dump(dict(values)) for at, values in shared.items()}
    hashed = {at: digested(values).encode() for at, values in shared.items()}
    return [kept[at] for at in ids], [hashed[at] for at in ids]


def _rest(
    failures: Sequence[_Problem], priorities: Sequence[int], lanes: Sequence[str | None]
) -> tuple[list[Any], ...]:
    pending, failed = int(TaskState.PENDING), int(TaskState.FAILED)
    classes, codes, notes = zip(*failures, strict=True)
    return (
        [pending if failure is _NO_PROBLEM else failed for failure in failures],
        list(priorities),
        [lane or None for lane in lanes],
        [int(bool(lane)) for lane in lanes],
        list(classes),
        list(codes),
        list(notes),
    )


def _said(problem: Any) -> _Problem:
    if problem is None:
        problem = message("store.no_request")
    said = problem if isinstance(problem, Message) else message("text.plain", text=str(problem))
    return FailureClass.INVALID.value, said.code, said.dump()
