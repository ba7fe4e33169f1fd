"""All that one answer holds is kept, or named as missing; a crash makes some never pass for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.domain.errors import BadResult
from desktop_app.domain.ports import Content
from desktop_app.exports.staging import staged_of
from desktop_app.exports.temp_files import Slot
from tests.exports.results_for_test import claim, keeper, names, picture, png, shown, text

BOTH_WAYS = pytest.mark.parametrize("links", [True, False], ids=["link", "note"])
THREE = (png("red"), png("green"), png("blue"))
BROKEN = Content(b"\x89PNG\r\n\x1a\n" + b"no picture" * 9, "image/png")


@BOTH_WAYS
async def test_three_pictures_are_three_files(tmp_path: Path, links: bool) -> None:
    files, task = keeper(links=links), claim(tmp_path)
    await files.stage(task, *THREE)
    kept = await files.keep(task, *THREE, flags=("other_model",))
    paths = [kept.path, *(more.path for more in kept.more)]
    assert paths == ["0042_sku.png", "0042_sku-2.png", "0042_sku-3.png"]
    assert [(tmp_path / path).read_bytes() for path in paths] == [c.data for c in THREE]
    assert kept.flags == ("other_model",)
    assert await files.keep(task, *THREE, flags=("other_model",)) == kept
    assert await keeper(links=links).find(task) is not None
    await files.settled(task)
    assert names(tmp_path) == sorted(paths)


async def test_equal_pictures_are_kept_as_often_as_they_came(tmp_path: Path) -> None:
    kept = await keeper().keep(claim(tmp_path), png(), png())
    assert (kept.count, len(shown(tmp_path))) == (2, 2)


async def test_the_names_that_were_given_with_the_attempt_are_used(tmp_path: Path) -> None:
    task = claim(tmp_path, "a/b", more_stems=("a/b-3", "a/b-4"))
    await keeper().keep(task, *THREE)
    assert shown(tmp_path) == ["a/b-3.png", "a/b-4.png", "a/b.png"]


async def test_nothing_of_another_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "0042_sku-2.png").write_bytes(b"another's")
    kept = await keeper().keep(claim(tmp_path), *THREE)
    assert (tmp_path / "0042_sku-2.png").read_bytes() == b"another's"
    assert (kept.count, len(shown(tmp_path))) == (3, 4)


@BOTH_WAYS
async def test_a_bad_one_among_good_ones_is_named_and_the_good_ones_stay(
    tmp_path: Path, links: bool
) -> None:
    files, task = keeper(links=links), claim(tmp_path)
    answer = (png("red"), BROKEN, png("blue"))
    await files.stage(task, *answer)
    kept = await files.keep(task, *answer)
    assert (kept.path, [more.path for more in kept.more]) == ("0042_sku.png", ["0042_sku-3.png"])
    assert kept.is_partial
    # Killed before the commit: what is found says that it is not all.
    assert await keeper(links=links).find(task) == kept
    await files.settled(task)
    assert names(tmp_path) == ["0042_sku-3.png", "0042_sku.png"]


async def test_where_none_is_a_result_that_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    files, task = keeper(), claim(tmp_path)
    await files.stage(task, BROKEN, BROKEN)
    with pytest.raises(BadResult):
        await files.keep(task, BROKEN, BROKEN)
    assert names(tmp_path) == []
    assert await files.find(task) is None


@BOTH_WAYS
async def test_staged_ones_are_all_found_after_a_kill(tmp_path: Path, links: bool) -> None:
    task = claim(tmp_path)
    await keeper().stage(task, *THREE)
    again = keeper(links=links)
    kept = await again.find(task)
    assert kept is not None
    assert (kept.count, kept.is_partial) == (3, False)
    await again.settled(task)
    assert names(tmp_path) == ["0042_sku-2.png", "0042_sku-3.png", "0042_sku.png"]


@BOTH_WAYS
@pytest.mark.parametrize("staged", [1, 2])
async def test_a_kill_between_two_makes_some_never_pass_for_all(
    tmp_path: Path, links: bool, staged: int
) -> None:
    task = claim(tmp_path)
    for number in range(1, staged + 1):
        slot = Slot(task, number, 3)
        staged_of(slot, THREE[number - 1]).write_bytes(THREE[number - 1].data)
    staged_of(Slot(task, 3, 3), THREE[2]).write_bytes(picture(colour="blue")[:-5])
    again = keeper(links=links)
    found = await again.find(task)
    assert found is not None
    assert (found.count, found.is_partial) == (staged, True)
    # The whole answer is read again from the store: what was found stays where it is.
    kept = await again.keep(task, *THREE)
    assert (kept.count, kept.is_partial, kept.path) == (3, False, found.path)
    await again.settled(task)
    assert names(tmp_path) == ["0042_sku-2.png", "0042_sku-3.png", "0042_sku.png"]


async def test_texts_are_kept_like_pictures(tmp_path: Path) -> None:
    kept = await keeper().keep(claim(tmp_path), text("one"), text("two"))
    assert (kept.text, kept.more[0].text) == ("one", "two")
    assert shown(tmp_path) == ["0042_sku-2.txt", "0042_sku.txt"]
