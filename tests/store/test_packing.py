"""The quick ways of an import pack what the plain ways wrote, so that digests of old batches and
new ones compare."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.ports import Packed
from desktop_app.domain.task import Draft, Request, TaskState, request_digest
from desktop_app.domain.text import message
from desktop_app.store.codec import dump, dump_texts
from desktop_app.store.packing import PART, pack, payload_of, task_ids
from tests.store.store_kit import draft

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.dictionaries(
    TEXTS,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
        lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
        max_leaves=4,
    ),
    max_size=4,
)


@given(st.lists(TEXTS))
def test_cells_are_kept_as_json_always_was(cells: list[str]) -> None:
    assert dump_texts(cells) == dump(cells)
    assert json.loads(dump_texts(cells)) == cells


@given(TEXTS, VALUES, VALUES)
def test_a_payload_and_its_digest_are_as_they_always_were(
    prompt: str, params: dict[str, object], extra: dict[str, object]
) -> None:
    request = Request(prompt, params, extra)
    said = json.dumps(
        [prompt, params, extra], sort_keys=True, default=str, ensure_ascii=False
    ).encode()
    digest = hashlib.sha256(said).hexdigest()[:32]
    assert request_digest(request) == digest
    kept = payload_of(draft(2, request=request).values())
    assert kept[:3] == (prompt, dump(params), dump(extra))
    assert kept[4] == digest


def test_task_ids_are_uuids_of_version_7() -> None:
    for count in (0, 1, 0x1000, 0x1001):
        ids = [uuid.UUID(text) for text in task_ids(count)]
        assert len(set(ids)) == count
        assert all(one.version == 7 and one.variant == uuid.RFC_4122 for one in ids)


def packs(rows: Sequence[Draft], chunk: int) -> list[Packed]:
    return list(pack((row.values() for row in rows), chunk))


def held(part: bytes, columns: str, table: str = "task") -> list[Any]:
    """What the database of a part has in these columns."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.deserialize(part)
        return made.execute(f"SELECT {columns} FROM {table} ORDER BY rowid").fetchall()


def test_rows_that_say_nothing_of_state_and_lane_are_pending_ones_without() -> None:
    (packed,) = packs([draft(2), draft(3)], 9)
    (part,) = packed.parts
    rest = "state, priority, lane, blocked, error_class, error_code, note"
    assert held(part, rest) == [(int(TaskState.PENDING), 0, None, 0, None, None, None)] * 2
    for other, said in (
        (draft(3, lane="ann"), (int(TaskState.PENDING), 0, "ann", 1)),
        (draft(3, priority=1), (int(TaskState.PENDING), 1, None, 0)),
        (draft(3, request=None), (int(TaskState.FAILED), 0, None, 0)),
        (draft(3, problem=message("fake.empty")), (int(TaskState.FAILED), 0, None, 0)),
    ):
        ((part,),) = (packed.parts for packed in packs([draft(2), other], 9))
        assert held(part, "state, priority, lane, blocked") == [
            (int(TaskState.PENDING), 0, None, 0),
            said,
        ]
    (packed,) = packs([draft(2), draft(3, request=None)], 9)
    assert (packed.rows, packed.bad) == (2, 1)
    assert packs([], 9) == []


def test_rows_come_in_chunks_and_chunks_in_parts_that_hold_their_own_alone() -> None:
    rows = [draft(2 + n, request=Request(f"p{n}")) for n in range(2 * PART + 3)]
    found = packs(rows, PART + 2)
    assert [packed.rows for packed in found] == [PART + 2, PART + 1]
    parts = [part for packed in found for part in packed.parts]
    assert [len(held(part, "row_no")) for part in parts] == [PART, 2, PART, 1]
    assert [no for part in parts for (no,) in held(part, "row_no")] == [row.row_no for row in rows]
    prompts = [text for part in parts for (text,) in held(part, "prompt", "payload")]
    assert prompts == [f"p{n}" for n in range(len(rows))]
