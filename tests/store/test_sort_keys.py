"""A column is sorted by what its cells show: equal ones in sheet order, empty ones last."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from desktop_app.domain.attempt import Kept, Outcome
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.flags import NOTES, flags_note
from desktop_app.domain.jobs import Job
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import Sort, TaskFilter
from desktop_app.store import page_ids
from tests.store.store_kit import Kit, draft, failure

S = TaskState


async def order(kit: Kit, sort: Sort, down: bool = False, **which: object) -> list[int]:
    """Row numbers as they stand."""
    pks = await kit.store.pages.ids(TaskFilter(**which), sort, down)  # type: ignore[arg-type]
    return [row.row_no for row in await kit.store.pages.rows(pks)]


async def fail(kit: Kit, batch_id: int, said: dict[int, Message], code: str = "x") -> None:
    """These rows fail with these words, in this order of time."""
    claims = {claim.row_no: claim for claim in await kit.claim(batch_id)}
    for row_no, words in said.items():
        why = failure(FailureClass.REFUSED, code, said=words)
        await kit.end(claims[row_no], S.FAILED, outcome=Outcome.REFUSED, failure=why)


@pytest.mark.parametrize("first", [2, 500])
async def test_equal_notes_stand_together_and_rows_without_one_come_last(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr(page_ids, "FIRST", first)
    batch_id = await kit.batch(10)
    moderated = message("fake.moderated")
    said = {
        9: message("fake.trouble", host="a", status=502),
        3: moderated,
        5: message("fake.trouble", host="a", status=500),
        8: moderated,
        4: message("fake.trouble", host="a", status=502),
    }
    await fail(kit, batch_id, said)
    by_note = [3, 8, 5, 4, 9]
    assert await order(kit, Sort.NOTE) == [*by_note, 2, 6, 7, 10, 11]
    assert await order(kit, Sort.NOTE, down=True) == [4, 9, 5, 3, 8, 2, 6, 7, 10, 11]
    assert await order(kit, Sort.NOTE, states=frozenset({S.FAILED})) == by_note


async def test_what_is_amiss_with_a_result_is_a_note_and_other_flags_are_none(kit: Kit) -> None:
    batch_id = await kit.batch(7)
    flags = [("length",), (), ("partial", "length"), ("grain",), ("length", "grain"), ("partial",)]
    claims = await kit.claim(batch_id)
    for claim, each in zip(claims, flags, strict=False):
        kept = Kept(f"{claim.file_stem}.txt", 5, "text/plain", text="hello", flags=each)
        await kit.end(claim, S.SUCCESS, kept=kept)
    rows = await kit.store.pages.rows(await kit.store.pages.ids(TaskFilter(), Sort.NOTE, False))
    notes = [flags_note(row.flags) for row in rows]
    cut, part = message(NOTES["length"]), message(NOTES["partial"])
    both = message("store.and_also", first=part, second=cut)
    assert notes == [cut, cut, part, both, None, None, None]
    assert [row.row_no for row in rows] == [2, 6, 7, 4, 3, 5, 8]


async def test_a_job_that_runs_is_a_note_and_what_it_was_told_before_is_not(kit: Kit) -> None:
    batch_id = await kit.batch(4)
    claims = await kit.claim(batch_id)
    for claim, job in ((claims[0], "job-b"), (claims[2], "job-a")):
        await kit.store.engine.job_taken(claim.attempt_pk, Job(job))
    rows = await kit.store.pages.rows(await kit.store.pages.ids(TaskFilter(), Sort.NOTE, False))
    assert [(row.row_no, row.note and row.note.values["job"]) for row in rows] == [
        (4, "job-a"),
        (2, "job-b"),
        (3, None),
        (5, None),
    ]


async def test_pictures_come_first_by_their_names_then_texts_then_the_rest(kit: Kit) -> None:
    batch_id = await kit.batch(6)
    results = {2: "b.txt", 4: "b.png", 5: "A.txt", 7: "A.webp"}
    mimes = {"txt": "text/plain", "png": "image/png", "webp": "image/webp"}
    for claim in await kit.claim(batch_id):
        if name := results.get(claim.row_no):
            text = "hello" if name.endswith("txt") else None
            kept = Kept(name, 5, mimes[name.split(".")[1]], text=text)
            await kit.end(claim, S.SUCCESS, kept=kept)
    assert await order(kit, Sort.PICTURE) == [7, 4, 5, 2, 3, 6]
    assert await order(kit, Sort.PICTURE, down=True) == [2, 5, 4, 7, 3, 6]


async def test_times_are_those_of_the_last_call_whether_it_ended_or_not(kit: Kit) -> None:
    batch_id = await kit.batch(7)
    claims = {claim.row_no: claim for claim in await kit.claim(batch_id)}
    began = kit.clock.at
    await kit.end(claims[2], S.SUCCESS, ended_at=began + 28)
    await kit.end(claims[3], S.FAILED, failure=failure(), ended_at=began + 3)
    await kit.end(claims[4], S.RETRYING, ended_at=began + 40)  # "-": it waits
    await kit.end(claims[5], S.PENDING, outcome=Outcome.NOT_SENT, ended_at=began + 50)
    await kit.end(claims[6], S.FAILED, failure=failure(), outcome=Outcome.NOT_SENT,
                  ended_at=began + 60)  # fmt: skip
    kit.clock.at = began + 12  # so long row 7 and row 8 have run
    rows = await kit.store.pages.rows(await kit.store.pages.ids(TaskFilter(), Sort.TIME, False))
    assert [row.row_no for row in rows] == [3, 7, 8, 2, 4, 5, 6]
    assert await order(kit, Sort.TIME, down=True) == [2, 7, 8, 3, 4, 5, 6]
    kit.clock.at = began + 29
    assert (await order(kit, Sort.TIME))[:4] == [3, 2, 7, 8]


async def test_rows_that_were_never_sent_come_last_by_tries(kit: Kit) -> None:
    batch_id = await kit.batch(4)
    claims = await kit.claim(batch_id)
    await kit.end(claims[1], S.RETRYING, due_at=1_000.0, delay_s=0.0)
    await kit.end(claims[2], S.PENDING, outcome=Outcome.NOT_SENT)
    await kit.end(claims[3], S.SUCCESS)
    for claim in await kit.claim(batch_id):
        if claim.row_no == 3:
            await kit.end(claim, S.SUCCESS)
        else:
            await kit.end(claim, S.PENDING, outcome=Outcome.NOT_SENT)
    assert await order(kit, Sort.TRIES) == [2, 5, 3, 4]
    assert await order(kit, Sort.TRIES, down=True) == [3, 2, 5, 4]


async def test_prompts_are_sorted_whatever_their_case_and_empty_ones_come_last(kit: Kit) -> None:
    prompts = ("pear", "Apple", "", "apple 2", "Pear", "苹果")
    await kit.batch([draft(n, prompt=prompt) for n, prompt in enumerate(prompts, start=2)])
    assert await order(kit, Sort.PROMPT) == [3, 5, 2, 6, 7, 4]
    assert await order(kit, Sort.PROMPT, down=True) == [7, 2, 6, 5, 3, 4]


@pytest.mark.parametrize("chunk", [2, 1_000])
async def test_batches_stand_by_name_then_number_and_their_rows_in_sheet_order(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(page_ids, "CHUNK", chunk)
    monkeypatch.setattr(page_ids, "FIRST", chunk)
    shoes = await kit.batch(3, name="shoes")
    boots = await kit.batch(3, name="Boots")
    more = await kit.batch(2, name="shoes")

    async def walk(down: bool = False, **which: object) -> list[tuple[int, int]]:
        pks = await kit.store.pages.ids(TaskFilter(**which), Sort.BATCH, down)  # type: ignore[arg-type]
        return [(row.batch_id, row.row_no) for row in await kit.store.pages.rows(pks)]

    def rows(*batches: int) -> list[tuple[int, int]]:
        return [(each, n) for each in batches for n in ((2, 3) if each == more else (2, 3, 4))]

    assert await walk() == rows(boots, shoes, more)
    assert await walk(down=True) == rows(more, shoes, boots)
    assert await walk(down=True, batch_id=shoes) == rows(shoes)
    assert await walk(text="prompt 4") == [(boots, 4), (shoes, 4)]
    assert await walk(states=frozenset({S.DEAD})) == []


async def test_rows_of_one_state_stay_in_sheet_order_when_the_states_are_turned(kit: Kit) -> None:
    batch_id = await kit.batch(5)
    for claim in (await kit.claim(batch_id))[::2]:
        await kit.end(claim, S.SUCCESS)
    assert await order(kit, Sort.STATE, down=True) == [2, 4, 6, 3, 5]


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("down", [False, True])
async def test_a_row_that_takes_another_place_while_a_list_is_read_comes_once(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, sort: Sort, down: bool
) -> None:
    monkeypatch.setattr(page_ids, "CHUNK", 2)
    monkeypatch.setattr(page_ids, "FIRST", 2)
    batch_id = await kit.batch(12)
    claims = await kit.claim(batch_id, 8)
    for claim in claims[:2]:
        await kit.end(claim, S.SUCCESS)
    found: list[int] = []
    async for chunk in kit.store.pages.id_chunks(TaskFilter(), sort, down):
        found += chunk
        for claim in claims[2:5] if len(found) == 2 else ():
            await kit.end(claim, S.SUCCESS)
        for claim in claims[5:] if len(found) == 2 else ():
            await kit.end(claim, S.PENDING, outcome=Outcome.NOT_SENT)
    assert sorted(found) == sorted(await kit.pks())
    assert len(found) == 12


async def test_states_are_walked_in_their_index_without_a_sort(kit: Kit) -> None:
    await kit.batch(1)
    with closing(sqlite3.connect(kit.path)) as conn:
        for down in (False, True):
            for sql, values in page_ids.state_sql(TaskFilter(), [1], down):
                plan = [row[3] for row in conn.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
                assert plan == ["SEARCH t USING COVERING INDEX task_state (batch_id=? AND state=?)"]


@pytest.mark.parametrize("sort", [s for s in Sort if s not in (Sort.ROW, Sort.STATE, Sort.BATCH)])
@pytest.mark.parametrize("down", [False, True])
async def test_each_cell_is_looked_up_by_key_and_the_filter_bounds_how_many(
    kit: Kit, sort: Sort, down: bool
) -> None:
    await kit.batch(1)
    which = TaskFilter(batch_id=1, states=frozenset({S.DEAD}))
    with closing(sqlite3.connect(kit.path)) as conn:
        for filter_, index in ((which, "task_state (batch_id=? AND state=?)"),
                               (TaskFilter(batch_id=1), "(batch_id=?)")):  # fmt: skip
            sql, values = page_ids.sorted_sql(filter_, sort, down, 0.0)
            plan = [row[3] for row in conn.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
            assert any(step.startswith("SEARCH t ") and index in step for step in plan), plan
            cells = [step for step in plan if step.split()[1] in {"a", "p", "r"}]
            assert all("USING INTEGER PRIMARY KEY (rowid=?)" in step for step in cells), plan
            unsent = [step for step in plan if step.startswith("SEARCH u ")]
            assert all("attempt_task (task_pk=?)" in step for step in unsent), plan
            assert [step for step in plan if "TEMP B-TREE" in step] == [
                "USE TEMP B-TREE FOR ORDER BY"
            ]
            assert not any(step.startswith("SCAN") and "b" not in step.split() for step in plan), (
                plan
            )
