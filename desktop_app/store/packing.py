"""Rows made ready for the store, column by column: whatever needs no store is done here, in any
process, so that the one writer only writes."""

from __future__ import annotations

import hashlib
import marshal
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Packed
from desktop_app.domain.task import DraftValues, TaskState, digested, request_digest
from desktop_app.domain.text import Message, message
from desktop_app.store.codec import dump, dump_texts
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


class Columns(NamedTuple):
    """Columns of ``task`` and ``payload``, one value a row in each. ``rest`` are those of the task
    that most sheets have nothing to say in: state, priority, lane, blocked, error_class,
    error_code, note; None where none of the rows has."""

    row_no: list[int]
    task_id: list[str]
    key: list[str | None]
    stem: list[str]
    folded: list[str]
    rest: tuple[list[Any], ...] | None
    prompt: list[str]
    params: list[str]
    extra: list[str]
    cells: list[str]
    digest: list[str]


def pack(rows: Iterable[DraftValues]) -> Packed:
    """A row with a problem or without a request becomes a FAILED one, class ``invalid``."""
    of_rows = tuple(zip(*rows, strict=True))
    if not of_rows:
        return Packed(0, 0, b"")
    row_nos, cells, prompts, params, extras, stems, keys, lanes, priorities, problems = of_rows
    failures: list[_Problem] = []
    if None in prompts or problems.count(None) < len(problems):
        failures = [
            _NO_PROBLEM if problem is None and prompt is not None else _said(problem)
            for problem, prompt in zip(problems, prompts, strict=True)
        ]
    bad = len(failures) - failures.count(_NO_PROBLEM)
    rest = None
    if bad or any(priorities) or any(lanes):
        rest = _rest(failures or [_NO_PROBLEM] * len(row_nos), priorities, lanes)
    columns = Columns(
        list(row_nos),
        task_ids(len(row_nos)),
        list(keys),
        list(stems),
        [fold(stem) for stem in stems],
        rest,
        *_payload(prompts, params, extras, cells),
    )
    return Packed(len(row_nos), bad, marshal.dumps(tuple(columns)))


def unpack(packed: Packed) -> Columns:
    """The columns of ``pack``."""
    return Columns(*marshal.loads(packed.data))  # noqa: S302 - made by this very program


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
