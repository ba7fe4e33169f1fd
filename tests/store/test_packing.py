"""The quick ways of an import pack what the plain ways wrote, so that digests of old batches and
new ones compare."""

from __future__ import annotations

import hashlib
import json
import uuid

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.task import Request, request_digest
from desktop_app.domain.text import message
from desktop_app.store.codec import dump, dump_texts
from desktop_app.store.packing import pack, payload_of, task_ids, unpack
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


def test_only_rows_that_have_something_to_say_write_more_than_the_plain_columns() -> None:
    plain = draft(2).values()
    assert unpack(pack([plain, plain])).rest is None
    for other in (
        draft(3, lane="ann"),
        draft(3, priority=1),
        draft(3, request=None),
        draft(3, problem=message("fake.empty")),
    ):
        rest = unpack(pack([plain, other.values()])).rest
        assert rest is not None
        assert [len(column) for column in rest] == [2] * 7
    packed = pack([plain, draft(3, request=None).values()])
    assert (packed.rows, packed.bad) == (2, 1)
    assert pack([]).rows == 0
