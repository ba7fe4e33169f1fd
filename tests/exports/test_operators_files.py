"""What an operator has moved, edited or put into a folder of results is never touched again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exports.results_for_test import claim, keeper, names, png, shown, text

BOTH_WAYS = pytest.mark.parametrize("links", [True, False], ids=["link", "note"])
EDITED = b"edited by hand"


def edit_in_place(file: Path) -> None:
    with file.open("rb+") as stream:
        stream.truncate(0)
        stream.write(EDITED)


def edit_as_most_programs_do(file: Path) -> None:
    new = file.with_suffix(".tmp")
    new.write_bytes(EDITED)
    new.replace(file)


BOTH_EDITS = pytest.mark.parametrize("edit", [edit_in_place, edit_as_most_programs_do])


@BOTH_WAYS
@BOTH_EDITS
async def test_an_edited_result_stays_when_its_row_runs_again(
    tmp_path: Path, links: bool, edit: object
) -> None:
    files, first = keeper(links=links), claim(tmp_path)
    await files.keep(first, png())
    await files.settled(first)
    edit(tmp_path / "0042_sku.png")  # type: ignore[operator]
    again = claim(tmp_path, attempt_no=2, attempt_pk=2)
    await files.stage(again, png("blue"))
    kept = await files.keep(again, png("blue"))
    await files.settled(again)
    await files.sweep(str(tmp_path))
    assert kept.path == "0042_sku-2.png"
    assert (tmp_path / "0042_sku.png").read_bytes() == EDITED
    assert (tmp_path / kept.path).read_bytes() == png("blue").data


@BOTH_WAYS
async def test_a_moved_result_is_not_made_again_and_not_followed(
    tmp_path: Path, links: bool
) -> None:
    files, first = keeper(links=links), claim(tmp_path)
    await files.keep(first, png())
    await files.settled(first)
    (tmp_path / "chosen").mkdir()
    moved = tmp_path / "chosen" / "best.png"
    (tmp_path / "0042_sku.png").rename(moved)
    other = claim(tmp_path, "0043_sku", task_pk=2, attempt_pk=2, task_id="another")
    await files.keep(other, png("blue"))
    await files.settled(other)
    await files.sweep(str(tmp_path))
    assert shown(tmp_path) == ["0043_sku.png", "chosen/best.png"]
    assert moved.read_bytes() == png().data


@BOTH_WAYS
@BOTH_EDITS
async def test_a_result_edited_between_a_crash_and_the_next_start_stays(
    tmp_path: Path, links: bool, edit: object
) -> None:
    task = claim(tmp_path)
    await keeper(links=links).keep(task, png())
    edit(tmp_path / "0042_sku.png")  # type: ignore[operator]
    files = keeper(links=links)
    await files.find(task)
    await files.settled(task)
    await files.sweep(str(tmp_path))
    assert (tmp_path / "0042_sku.png").read_bytes() == EDITED


async def test_a_result_moved_between_a_crash_and_the_next_start_stays_where_it_is(
    tmp_path: Path,
) -> None:
    task = claim(tmp_path)
    await keeper().keep(task, png())
    moved = tmp_path / "mine.png"
    (tmp_path / "0042_sku.png").rename(moved)
    files = keeper()
    found = await files.find(task)
    assert found is not None
    await files.settled(task)
    assert moved.read_bytes() == png().data
    assert (tmp_path / found.path).read_bytes() == png().data


@BOTH_WAYS
async def test_what_others_put_under_a_results_name_stays(tmp_path: Path, links: bool) -> None:
    (tmp_path / "0042_sku.png").mkdir()
    (tmp_path / "0042_sku-2.png").symlink_to(tmp_path / "nowhere")
    (tmp_path / "0001_note.txt").write_text("mine")
    files = keeper(links=links)
    kept = await files.keep(claim(tmp_path), png())
    words = await files.keep(claim(tmp_path, "0001_note", attempt_pk=2, task_id="t"), text("ours"))
    assert (kept.path, words.path) == ("0042_sku-3.png", "0001_note-2.txt")
    assert (tmp_path / "0001_note.txt").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    assert "0042_sku-3.png" in names(tmp_path)
