"""Rows go into the store together, and each keeps its own."""

from __future__ import annotations

from desktop_app.domain.task import Request, request_digest
from desktop_app.domain.text import message
from desktop_app.store.codec import dump
from tests.store.store_kit import Kit, draft


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


async def test_a_name_that_an_earlier_chunk_was_given_is_numbered_on(kit: Kit) -> None:
    batch_id = await kit.batch([draft(2, stem="a"), draft(3, stem="A"), draft(4, stem="b")])
    assert await kit.store.imports.extend(batch_id, [draft(5, stem="a-2"), draft(6, stem="c")]) == 2
    names = [stem for (stem,) in kit.sql("SELECT stem FROM task ORDER BY row_no")]
    assert names == ["a", "A-2", "b", "a-2-2", "c"]


async def test_rows_are_counted_as_they_come_in_and_never_twice(kit: Kit) -> None:
    batch_id = await kit.batch([draft(2), draft(3, problem=message("fake.empty"))])
    more = [draft(4), draft(5), draft(6, request=None), draft(2)]
    assert await kit.store.imports.extend(batch_id, more) == 3
    ledger = await kit.ledger(batch_id)
    assert (ledger.imported, ledger.pending, ledger.failed) == (5, 3, 2)
