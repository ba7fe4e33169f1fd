"""The quick ways of an import write what the plain ways wrote, so that digests of old batches and
new ones compare."""

from __future__ import annotations

import hashlib
import json
import uuid

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.task import Request, request_digest
from desktop_app.store.codec import dump, dump_texts
from desktop_app.store.drafts import payload_of, task_ids
from tests.store.store_kit import Kit, draft

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
    kept = payload_of(draft(2, request=request))
    assert kept[:3] == (prompt, dump(params), dump(extra))
    assert kept[4] == digest


async def test_rows_that_share_their_parameters_keep_their_own(kit: Kit) -> None:
    shared, other = {"size": "1:1"}, {"size": "2:1"}
    rows = [
        draft(2 + n, request=Request(f"p{n}", values))
        for n, values in enumerate([shared, other] * 3)
    ]
    await kit.batch(rows)
    found = kit.sql("SELECT params, digest FROM payload ORDER BY task_pk")
    assert found == [
        (dump(dict(row.request.params)), request_digest(row.request)) for row in rows if row.request
    ]


def test_task_ids_are_uuids_of_version_7() -> None:
    for count in (0, 1, 0x1000, 0x1001):
        ids = [uuid.UUID(text) for text in task_ids(count)]
        assert len(set(ids)) == count
        assert all(one.version == 7 and one.variant == uuid.RFC_4122 for one in ids)


async def test_a_name_that_an_earlier_chunk_was_given_is_numbered_on(kit: Kit) -> None:
    batch_id = await kit.batch([draft(2, stem="a"), draft(3, stem="A"), draft(4, stem="b")])
    assert await kit.store.imports.extend(batch_id, [draft(5, stem="a-2"), draft(6, stem="c")]) == 2
    names = [stem for (stem,) in kit.sql("SELECT stem FROM task ORDER BY row_no")]
    assert names == ["a", "A-2", "b", "a-2-2", "c"]
