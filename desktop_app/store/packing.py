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
    failures = [
        _NO_PROBLEM if problem is None and prompt is not None else _said(problem)
        for problem, prompt in zip(problems, prompts, strict=True)
    ]
    bad = len(failures) - failures.count(_NO_PROBLEM)
    rest = _rest(failures, priorities, lanes) if bad or any(priorities) or any(lanes) else None
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
    noise = random.hex()
    found: list[str] = []
    for start in range(0, count, 0x1000):
        when = f"{stamp + (start >> 12):012x}"
        head = f"{when[:8]}-{when[8:]}-7"
        found += [
            f"{head}{serial:03x}-{noise[at : at + 4]}-{noise[at + 4 : at + 16]}"
            for serial, at in enumerate(range(start * 16, min(count, start + 0x1000) * 16, 16))
        ]
    return found


def _payload(
    prompts: Sequence[str | None],
    params: Sequence[Mapping[str, Any]],
    extras: Sequence[Mapping[str, Any]],
    cells: Sequence[Sequence[str]],
) -> tuple[list[str], list[str], list[str], list[str], list[str]]:
    known = _Known()
    of_params = [known.text(values) for values in params]
    of_extras = [known.text(values) for values in extras]
    return (
        [prompt or "" for prompt in prompts],
        [text for text, _ in of_params],
        [text for text, _ in of_extras],
        list(map(dump_texts, cells)),
        [
            request_digest(None) if prompt is None else _digest(prompt, of_param, of_extra)
            for prompt, (_, of_param), (_, of_extra) in zip(
                prompts, of_params, of_extras, strict=True
            )
        ],
    )


def _digest(prompt: str, params: bytes, extra: bytes) -> str:
    """``digest_of``, for the million rows of a sheet."""
    text = b"[%b, %b, %b]" % (orjson.dumps(prompt), params, extra)
    return hashlib.sha256(text).hexdigest()[:32]


class _Known:
    """What parameters come to as text, by identity: the rows of a chunk share theirs, and hold on
    to them for as long as this is used."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[str, bytes]] = {}

    def text(self, values: Mapping[str, Any]) -> tuple[str, bytes]:
        """As it is kept, and as it goes into the digest."""
        found = self._texts.get(id(values))
        if found is None:
            found = self._texts[id(values)] = dump(dict(values)), digested(values).encode()
        return found


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
