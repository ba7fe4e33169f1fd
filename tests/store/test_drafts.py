"""Rows go into the store together, and each keeps its own."""

from __future__ import annotations

from desktop_app.domain.task import Request, request_digest
from desktop_app.domain.text import message
from desktop_app.store.codec import dump
from tests.store.store_kit import Kit, batch, connection, draft


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


async def test_names_that_clash_in_later_chunks_are_numbered_on_too(kit: Kit) -> None:
    imports = kit.store.imports
    used = await kit.store.connections.save(connection())
    batch_id = await imports.begin(batch(used.id))
    await imports.add(batch_id, [draft(2, stem="a"), draft(3, stem="b")])
    await imports.add(batch_id, [draft(4, stem="c"), draft(5, stem="A"), draft(6, stem="A")])
    await imports.add(batch_id, [draft(7, stem="a"), draft(8, stem="d")])
    await imports.add(batch_id, [draft(9, stem="e"), draft(10, stem="B")])
    await imports.seal(batch_id)
    found = kit.sql(
        "SELECT t.row_no, stem, stem_fold, cells FROM task t JOIN payload p ON p.task_pk = t.id "
        "ORDER BY t.row_no"
    )
    names = ["a", "b", "c", "A-2", "A-3", "a-4", "d", "e", "B-2"]
    assert [(row_no, stem) for row_no, stem, _, _ in found] == list(enumerate(names, start=2))
    assert [folded for _, _, folded, _ in found] == [name.lower() for name in names]
    ledger = await kit.ledger(batch_id)
    assert (ledger.imported, ledger.pending) == (9, 9)


async def test_rows_are_counted_as_they_come_in_and_never_twice(kit: Kit) -> None:
    batch_id = await kit.batch([draft(2), draft(3, problem=message("fake.empty"))])
    more = [draft(4), draft(5), draft(6, request=None), draft(2)]
    assert await kit.store.imports.extend(batch_id, more) == 3
    ledger = await kit.ledger(batch_id)
    assert (ledger.imported, ledger.pending, ledger.failed) == (5, 3, 2)
