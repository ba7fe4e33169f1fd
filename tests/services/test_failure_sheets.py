"""The failure sheet and back: written by us, edited as Excel would, taken into the same batch."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.money import Money
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.domain.views import TaskFilter
from desktop_app.services.failure_sheets import ReturnPlan
from tests.services.services_kit import Kit

S = TaskState
Edit = Callable[[list[dict[str, str]]], None]


async def failed(kit: Kit, *states: TaskState, prompts: list[str] | None = None) -> list[int]:
    """Task pks of a batch whose rows ended so, in row order."""
    batch_id = await kit.batch(prompts or len(states))
    claims = await kit.claim(batch_id)
    for claim, state in zip(claims, states, strict=True):
        kind = FailureClass.REFUSED if state is S.FAILED else None
        await kit.end(claim, state, "moderation", kind)
    return [claim.task_pk for claim in claims]


async def sheet_of(kit: Kit, suffix: str = ".csv", batch_id: int = 1) -> Path:
    done = await kit.exports.failures(batch_id, kit.folder / f"failures{suffix}")
    return done.path


def edit(path: Path, change: Edit) -> None:
    """As Excel would write it back."""
    if path.suffix == ".csv":
        rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
        change(rows)
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return
    if path.suffix == ".jsonl":
        records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        change(records)
        text = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
        path.write_text(text, "utf-8")
        return
    book = load_workbook(path)
    table = book.active
    assert table is not None
    names = [cell.value for cell in table[1]]
    before = [
        {str(n): "" if c.value is None else str(c.value) for n, c in zip(names, row, strict=True)}
        for row in table.iter_rows(min_row=2)
    ]
    after = [dict(row) for row in before]
    change(after)
    for at, (old, new) in enumerate(zip(before, after, strict=True), 2):
        for place, name in enumerate(map(str, names), 1):
            if old[name] != new[name]:
                table.cell(at, place).value = new[name]
    book.save(path)


def prompt(at: int, text: str) -> Edit:
    def change(rows: list[dict[str, str]]) -> None:
        rows[at]["prompt"] = text

    return change


async def plan_of(kit: Kit, path: Path) -> ReturnPlan:
    plan = await kit.returned.look(path)
    assert plan is not None
    return plan


def refused(plan: ReturnPlan) -> list[str]:
    return [Translator().say(said) for said in plan.refused]


async def prompts(kit: Kit, pks: list[int]) -> list[str]:
    details = [await kit.queries.detail(pk) for pk in pks]
    return [detail.prompt for detail in details if detail is not None]


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".jsonl"])
async def test_edited_prompts_go_on_in_the_same_batch(kit: Kit, suffix: str) -> None:
    evil = '=HYPERLINK("x")'
    pks = await failed(kit, S.FAILED, S.SUCCESS, S.DEAD, prompts=["a shoe", "b", evil])
    path = await sheet_of(kit, suffix)
    edit(path, prompt(0, "a better shoe"))
    plan = await plan_of(kit, path)
    assert (len(plan.rows), plan.edited(uncertain=False), plan.refused) == (2, 1, ())
    assert [batch.id for batch in plan.batches] == [1]
    assert await kit.returned.requeue(plan) == 2
    assert [await kit.state(pk) for pk in pks] == [S.PENDING, S.SUCCESS, S.PENDING]
    assert await prompts(kit, pks) == ["a better shoe", "b", evil]
    assert len(await kit.queries.batches()) == 1
    assert kit.engine.told[-1] == ("wake",)
    assert len(list((kit.folder / "copies").iterdir())) == 1  # of the import itself


async def test_the_same_sheet_twice_changes_nothing_twice(kit: Kit) -> None:
    pks = await failed(kit, S.FAILED, S.DEAD)
    path = await sheet_of(kit)
    edit(path, prompt(0, "other"))
    first, second = await plan_of(kit, path), await plan_of(kit, path)
    assert await kit.returned.requeue(first) == 2
    assert await kit.returned.requeue(second) == 0
    again = await plan_of(kit, path)
    assert refused(again) == [f"Row {n} waits to be sent already." for n in (2, 3)]
    for claim in await kit.claim(1):
        await kit.end(claim, S.DEAD)
    again = await plan_of(kit, path)
    assert again.rows == ()
    assert refused(again)[0] == "Row 2 was tried again since this sheet was written."
    details = [await kit.queries.detail(pk) for pk in pks]
    assert [len(d.attempts) for d in details if d] == [2, 2]


async def test_rows_that_moved_on_are_named(kit: Kit) -> None:
    pks = await failed(kit, *[S.FAILED] * 6)
    path = await sheet_of(kit)
    for pk in pks[:2]:
        assert await kit.dead.edit_and_requeue(pk, "from the window")
    first, second = await kit.claim(1, 2)
    await kit.end(first, S.SUCCESS)
    assert second.row_no == 3
    await kit.dead.edit_and_requeue(pks[2], "from the window")
    await kit.dead.edit_and_requeue(pks[3], "from the window")
    await kit.runs.cancel(TaskFilter(pks=(pks[3],)))

    def change(rows: list[dict[str, str]]) -> None:
        rows[4]["task_id"] = "01890a5d-0000-7000-8000-000000000000"
        rows.append(dict(rows[5]))
        rows.append({**rows[5], "task_id": ""})
        rows.append({**rows[5], "state": "success"})

    edit(path, change)
    plan = await plan_of(kit, path)
    assert [row.known.row_no for row in plan.rows] == [7]
    assert refused(plan) == [
        "Row 2 is done by now.",
        "Row 3 is running.",
        "Row 4 waits to be sent already.",
        "Row 5 was cancelled since this sheet was written.",
        "Row 6 of this sheet is of no batch here: it was removed, or is on another computer.",
        "Row 7 is in this sheet more than once.",
        "Row 9 of this sheet has no task_id.",
    ]


async def test_what_may_have_been_billed_is_left_unless_a_person_says_so(kit: Kit) -> None:
    pks = await failed(kit, S.FAILED, S.UNCERTAIN)
    path = await sheet_of(kit)
    plan = await plan_of(kit, path)
    assert (len(plan.rows), len(plan.doubtful)) == (1, 1)
    assert plan.doubts.worst == (Money(Decimal("0.04"), "USD"),)
    assert await kit.returned.requeue(plan) == 1
    assert await kit.state(pks[1]) is S.UNCERTAIN
    plan = await plan_of(kit, path)
    assert await kit.returned.requeue(plan, uncertain=True) == 1
    assert await kit.state(pks[1]) is S.PENDING


async def test_an_unchanged_row_keeps_its_key_and_ends_of_lines_are_no_change(kit: Kit) -> None:
    await failed(kit, S.DEAD, S.DEAD, prompts=['"two\r\nlines"', "b"])
    path = await sheet_of(kit)

    def change(rows: list[dict[str, str]]) -> None:
        rows[0]["prompt"] = rows[0]["prompt"].replace("\r\n", "\n")
        rows[1]["prompt"] = "c"

    edit(path, change)
    plan = await plan_of(kit, path)
    assert [row.draft is None for row in plan.rows] == [True, False]
    before = {row.row_no: row.edition for row in (r.known for r in plan.rows)}
    await kit.returned.requeue(plan)
    claims = {claim.row_no: claim for claim in await kit.claim(1)}
    assert claims[2].edition == before[2]
    assert claims[3].edition == before[3] + 1
    assert claims[2].request.prompt == "two\r\nlines"


async def test_a_prompt_edited_in_the_window_is_not_undone_by_another_cell(kit: Kit) -> None:
    (pk,) = await failed(kit, S.FAILED)
    await kit.dead.edit_and_requeue(pk, "from the window")
    (claim,) = await kit.claim(1)
    await kit.end(claim, S.FAILED, kind=FailureClass.REFUSED)
    path = await sheet_of(kit)

    def change(rows: list[dict[str, str]]) -> None:
        rows[0]["sku"] = "K9"

    edit(path, change)
    assert await kit.returned.requeue(await plan_of(kit, path)) == 1
    assert await prompts(kit, [pk]) == ["from the window"]


async def test_a_prompt_that_no_cell_holds_comes_back_whole_or_is_refused(kit: Kit) -> None:
    long = "a long prompt, " * 3_000
    (pk,) = await failed(kit, S.FAILED, prompts=[f'"{long}"'])
    path = await sheet_of(kit, ".xlsx")
    plan = await plan_of(kit, path)
    assert (plan.rows[0].draft, plan.refused) == (None, ())

    def change(rows: list[dict[str, str]]) -> None:
        rows[0]["prompt"] = "changed " + rows[0]["prompt"]

    edit(path, change)
    assert refused(await plan_of(kit, path))[0].startswith("Row 2, prompt: a text that is longer")
    edit(path, prompt(0, "a short one"))
    assert await kit.returned.requeue(await plan_of(kit, path)) == 1
    assert await prompts(kit, [pk]) == ["a short one"]


async def test_a_row_that_is_no_request_goes_back_only_edited(kit: Kit) -> None:
    batch_id = await kit.batch(["", "b"])
    path = await sheet_of(kit, batch_id=batch_id)
    plan = await plan_of(kit, path)
    assert refused(plan) == ["Row 2 can't be sent as it is: edit its prompt."]
    edit(path, prompt(0, "   "))
    assert refused(await plan_of(kit, path)) == ["Row 2 has no prompt."]
    edit(path, prompt(0, "now there is one"))
    assert await kit.returned.requeue(await plan_of(kit, path)) == 1


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
async def test_other_sheets_are_no_failure_sheets(kit: Kit, suffix: str) -> None:
    await failed(kit, S.SUCCESS)
    results = await kit.exports.results(1, kit.folder / f"results{suffix}")
    assert await kit.returned.look(results.path) is None  # nothing failed in it
    plain = kit.sheet(["task_id", "b"], "plain.csv")
    assert await kit.returned.look(plain) is None
    assert await kit.returned.look(kit.folder / "nothing.csv") is None


async def test_our_columns_are_found_beside_like_ones_of_the_operator(kit: Kit) -> None:
    path = kit.folder / "own.csv"
    path.write_text("state,task_id,prompt\nmine,mine,a shoe\n", encoding="utf-8")
    connection = await kit.connect()
    plan = await kit.plan(path, connection)
    mapping = replace(plan.mapping, key_column=None)
    batch_id = await kit.imports.run(replace(plan, mapping=mapping))
    (claim,) = await kit.claim(batch_id)
    await kit.end(claim, S.DEAD)
    back = await sheet_of(kit, batch_id=batch_id)
    edit(back, prompt(0, "new"))
    assert await kit.returned.requeue(await plan_of(kit, back)) == 1


async def test_a_sheet_that_was_changed_since_it_was_looked_at_is_not_taken_back(kit: Kit) -> None:
    pks = await failed(kit, S.FAILED, S.DEAD)
    sheet = await sheet_of(kit)
    plan = await plan_of(kit, sheet)
    edit(sheet, lambda rows: rows[0].update(prompt="another prompt"))
    with pytest.raises(OperatorError) as caught:
        await kit.returned.requeue(plan)
    assert caught.value.message.code == "services.sheet_changed"
    assert [await kit.state(pk) for pk in pks] == [S.FAILED, S.DEAD]
    assert await kit.returned.requeue(await plan_of(kit, sheet)) == 2


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
async def test_a_title_above_the_table_hides_it_not(kit: Kit, suffix: str) -> None:
    await failed(kit, S.FAILED, S.FAILED)
    path = await sheet_of(kit, suffix)
    copies = {*(kit.folder / "copies").glob("*")}
    edit(path, prompt(1, "edited"))
    if suffix == ".csv":
        text = path.read_text("utf-8-sig")
        path.write_text(f"Looked at by Wang\n\n{text}", "utf-8-sig")
    else:
        book = load_workbook(path)
        table = book.active
        assert isinstance(table, Worksheet)
        table.insert_rows(1)
        table.cell(1, 1).value = "Looked at by Wang"
        book.save(path)
    plan = await plan_of(kit, path)
    assert [row.draft is not None for row in plan.rows] == [False, True]
    assert await kit.returned.requeue(plan) == 2
    assert {*(kit.folder / "copies").glob("*")} == copies  # all that were looked at are gone


async def test_a_worksheet_before_the_table_hides_it_not(kit: Kit) -> None:
    await failed(kit, S.FAILED, S.FAILED)
    path = await sheet_of(kit, ".xlsx")
    book = load_workbook(path)
    book.create_sheet("Empty", 0)
    book.create_sheet("Notes", 0).append(["what I did"])
    book.active = 0
    book.save(path)
    assert await kit.returned.requeue(await plan_of(kit, path)) == 2


async def test_a_sheet_that_only_speaks_of_ours_is_none(kit: Kit) -> None:
    await failed(kit, S.FAILED)
    path = kit.folder / "notes.csv"
    path.write_text("prompt,task_id\nx,1\n", encoding="utf-8")
    assert await kit.returned.look(path) is None


async def test_a_result_sheet_is_told_from_a_sheet_of_failures(kit: Kit) -> None:
    await failed(kit, S.DEAD, S.SUCCESS, S.DEAD)
    results = await kit.exports.results(1, kit.folder / "results.csv")
    found = await kit.returned.look(results.path)
    assert found is not None
    assert (len(found.rows), found.others) == (2, 1)
    failures = await kit.returned.look(await sheet_of(kit))
    assert failures is not None
    assert (len(failures.rows), failures.others) == (2, 0)
