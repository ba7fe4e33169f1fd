from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.domain.errors import BadResult
from desktop_app.domain.ports import Content
from desktop_app.exports.staging import sha256_of, staged_of
from tests.exports.results_for_test import claim, keeper, names, picture, png, text

BOTH_WAYS = pytest.mark.parametrize("links", [True, False], ids=["link", "note"])
CONTENTS = pytest.mark.parametrize("content", [png(), text("an answer")], ids=["picture", "text"])


@BOTH_WAYS
@CONTENTS
async def test_an_answer_staged_before_a_kill_is_adopted(
    tmp_path: Path, links: bool, content: Content
) -> None:
    task = claim(tmp_path)
    await keeper(links=links).stage(task, content)
    later = keeper(links=links)
    assert await later.find(claim(tmp_path, attempt_no=2)) is None
    found = await later.find(task)
    assert found is not None
    assert found == await keeper(links=links).find(task)
    await later.settled(task)
    assert names(tmp_path) == [found.path]


@BOTH_WAYS
@CONTENTS
async def test_a_staged_answer_is_kept_once(tmp_path: Path, links: bool, content: Content) -> None:
    files, task = keeper(links=links), claim(tmp_path)
    await files.stage(task, content)
    await files.stage(task, content)
    kept = await files.keep(task, content)
    await files.settled(task)
    assert names(tmp_path) == [kept.path]


async def test_an_answer_half_staged_is_none(tmp_path: Path) -> None:
    task, data = claim(tmp_path), picture()
    staged_of(task, sha256_of(data)).write_bytes(data[:100])
    assert await keeper().find(task) is None
    assert names(tmp_path) == []
    staged_of(task, sha256_of(data)).write_bytes(data[:100])
    kept = await keeper().keep(task, Content(data, "image/png"))
    assert (tmp_path / kept.path).read_bytes() == data


async def test_half_a_picture_staged_whole_is_none(tmp_path: Path) -> None:
    files, task, half = keeper(), claim(tmp_path), Content(picture()[:100], "image/png")
    await files.stage(task, half)
    assert await files.find(task) is None
    await files.stage(task, half)
    with pytest.raises(BadResult):
        await files.keep(task, half)
    assert names(tmp_path) == []


async def test_sweep_keeps_a_whole_staged_answer_and_drops_half_ones(tmp_path: Path) -> None:
    task, data = claim(tmp_path), picture()
    await keeper().stage(task, Content(data, "image/png"))
    half = staged_of(claim(tmp_path, attempt_no=2), sha256_of(data))
    half.write_bytes(data[:100])
    assert await keeper().sweep(str(tmp_path)) == 1
    assert names(tmp_path) == [staged_of(task, sha256_of(data)).name]
