"""A sheet becomes a batch by one last commit, row for row, name for name."""

from __future__ import annotations

import pytest

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from tests.store.store_kit import Kit, batch, connection, draft

S = TaskState


async def begin(kit: Kit, **values: object) -> int:
    made = await kit.store.connections.save(connection("c"))
    return await kit.store.imports.begin(batch(made.id, **values))


async def test_the_ledger_equals_the_sheet(kit: Kit) -> None:
    rows = [
        draft(2),
        draft(3, problem=message("fake.empty", row=3)),
        draft(5, request=None, problem=message("fake.nul")),
        draft(6, request=None),
    ]
    batch_id = await kit.batch(rows)
    ledger = await kit.ledger(batch_id)
    assert (ledger.imported, ledger.pending, ledger.failed) == (4, 1, 3)
    row = await kit.row(batch_id, 3)
    assert (row.error_class, row.note) == ("invalid", message("fake.empty", row=3))
    codes = kit.sql("SELECT error_code FROM task ORDER BY id")
    assert codes == [(None,), ("fake.empty",), ("fake.nul",), ("store.no_request",)]


async def test_a_batch_comes_back_as_it_was_described(kit: Kit) -> None:
    mapping = SheetMapping(
        template="{{货号}}",
        params={"size": "@尺寸"},
        lane_column="客户",
        key_column="货号",
        output_name="{货号}_{n}",
        subfolder="@客户",
    )
    batch_id = await begin(
        kit, mapping=mapping, columns=("货号", "尺寸"), options={"a": 1}, row_gate=4, max_calls=9
    )
    await kit.store.imports.add(batch_id, [draft(2)])
    await kit.store.imports.seal(batch_id)
    found = await kit.store.engine.batch(batch_id)
    assert found is not None
    assert found.mapping == mapping
    assert found.columns == ("货号", "尺寸")
    assert (found.row_gate, found.max_calls, found.options) == (4, 9, {"a": 1})


async def test_s12_an_unsealed_batch_is_seen_by_nobody_and_can_be_dropped(kit: Kit) -> None:
    batch_id = await begin(kit)
    await kit.store.imports.add(batch_id, [draft(2)])
    assert await kit.store.pages.batches() == []
    assert (await kit.store.pages.ledger(None)).imported == 0
    assert await kit.pks() == []
    assert await kit.store.engine.batch(batch_id) is None
    assert await kit.store.imports.find_fingerprint("print") is None
    await kit.store.imports.discard(batch_id)
    for table in ("batch", "task", "payload", "tally", "calls"):
        assert kit.sql(f"SELECT count(*) FROM {table}") == [(0,)]


async def test_s12_a_chunk_that_fails_leaves_nothing_of_itself(kit: Kit) -> None:
    batch_id = await begin(kit)
    await kit.store.imports.add(batch_id, [draft(2)])
    with pytest.raises(Exception, match="UNIQUE"):
        await kit.store.imports.add(batch_id, [draft(3), draft(2, stem="other")])
    await kit.store.imports.add(batch_id, [draft(3)])
    await kit.store.imports.seal(batch_id)
    assert (await kit.ledger(batch_id)).imported == 2


async def test_what_a_crash_left_unsealed_is_dropped_at_start(kit: Kit) -> None:
    sealed = await kit.batch(1)
    await begin(kit)
    assert await kit.store.imports.discard_unsealed() == 1
    assert await kit.store.imports.discard_unsealed() == 0
    await kit.store.imports.discard(sealed)  # a sealed one is left alone
    assert len(await kit.store.pages.batches()) == 1


async def test_a_sealed_batch_takes_no_more_chunks(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    with pytest.raises(LookupError):
        await kit.store.imports.add(batch_id, [draft(9)])
    with pytest.raises(LookupError):
        await kit.store.imports.seal(batch_id)


async def test_s14_equal_names_get_numbers_whatever_their_case(kit: Kit) -> None:
    batch_id = await begin(kit)
    stems = ["shoe", "Shoe", "SHOE-2", "straße", "STRASSE", "e\u0301", "\u00e9"]
    for start in (0, 3):
        chunk = [draft(2 + start + i, stem=s) for i, s in enumerate(stems[start : start + 4])]
        chunk = [d for d in chunk if d.row_no < 2 + (3 if start == 0 else 7)]
        await kit.store.imports.add(batch_id, chunk)
    found = [stem for (stem,) in kit.sql("SELECT stem FROM task ORDER BY row_no")]
    assert found == ["shoe", "Shoe-2", "SHOE-2-2", "straße", "STRASSE-2", "e\u0301", "\u00e9-2"]


async def test_thousands_of_equal_names_are_counted_on(kit: Kit) -> None:
    batch_id = await begin(kit)
    for start in range(0, 3_000, 1_000):
        rows = [draft(2 + start + n, stem="same") for n in range(1_000)]
        await kit.store.imports.add(batch_id, rows)
    found = [stem for (stem,) in kit.sql("SELECT stem FROM task ORDER BY row_no")]
    assert found == ["same", *(f"same-{n}" for n in range(2, 3_001))]


async def test_a_sheet_of_bad_rows_only_is_finished_at_once(kit: Kit) -> None:
    batch_id = await kit.batch([draft(2, problem=message("fake.bad"))])
    found = await kit.store.engine.batch(batch_id)
    assert found is not None
    assert found.finished_at == kit.clock.at


async def test_extend_adds_what_is_missing_and_reopens(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    for claim in await kit.claim(batch_id):
        await kit.end(claim, S.SUCCESS)
    added = await kit.store.imports.extend(batch_id, (draft(n) for n in range(2, 6)))
    assert added == 2
    assert await kit.store.imports.extend(batch_id, [draft(2)]) == 0
    (batch_now,) = await kit.store.engine.running_batches()
    assert batch_now.finished_at is None
    assert (await kit.ledger(batch_id)).pending == 2


async def test_earlier_runs_are_found_newest_first(kit: Kit) -> None:
    one = await kit.batch(1, fingerprint="f1")
    two = await kit.batch(1, fingerprint="f1")
    await kit.batch(1, sheet_hash="other", fingerprint="f2")
    assert [s.batch.id for s in await kit.store.imports.find_runs("hash")] == [two, one]
    found = await kit.store.imports.find_fingerprint("f1")
    assert found is not None
    assert found.id == two


async def test_task_ids_are_unique_and_grow(kit: Kit) -> None:
    await kit.batch(5_000)
    ids = [task_id for (task_id,) in kit.sql("SELECT task_id FROM task ORDER BY id")]
    assert len(set(ids)) == 5_000
    assert ids == sorted(ids)
