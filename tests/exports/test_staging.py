"""What arrived outlives the program from then on, and half of it never passes for whole."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from desktop_app.domain.errors import BadResult, LocalTrouble
from desktop_app.domain.ports import Content
from desktop_app.exports.staging import is_whole, sha256_of, staged_of
from desktop_app.exports.temp_files import Slot, part_of, writing_of
from tests.exports.results_for_test import claim, keeper, names, picture, png, text

BOTH_WAYS = pytest.mark.parametrize("links", [True, False], ids=["link", "note"])


@BOTH_WAYS
@pytest.mark.parametrize("content", [png(), text("# 标题\n\n一段")], ids=["picture", "text"])
async def test_an_answer_that_was_only_staged_is_found_after_a_kill(
    tmp_path: Path, content: Content, links: bool
) -> None:
    task = claim(tmp_path / "out")
    await keeper(links=links).stage(task, content)
    found = await keeper(links=links).find(task)
    assert found is not None
    out = Path(task.out_dir)
    assert sha256_of((out / found.path).read_bytes()) == found.sha256
    assert found.text == content.text
    assert await keeper(links=links).find(claim(out, attempt_no=2)) is None
    await keeper(links=links).settled(task)
    assert names(out) == [found.path]


@BOTH_WAYS
async def test_keep_goes_on_from_what_was_staged(tmp_path: Path, links: bool) -> None:
    files, task = keeper(links=links), claim(tmp_path)
    await files.stage(task, png())
    await files.stage(task, png())
    assert len(names(tmp_path)) == 1
    kept = await files.keep(task, png())
    await files.settled(task)
    assert names(tmp_path) == [kept.path]
    assert (tmp_path / kept.path).read_bytes() == png().data


async def test_half_a_staged_answer_is_none_and_goes(tmp_path: Path) -> None:
    task, data = claim(tmp_path), picture()
    staged_of(Slot(task), png()).write_bytes(data[:-1])
    assert await keeper().find(task) is None
    assert names(tmp_path) == []


async def test_keep_mends_a_staged_answer_that_is_not_whole(tmp_path: Path) -> None:
    task, data = claim(tmp_path), picture()
    staged_of(Slot(task), png()).write_bytes(data[:100])
    kept = await keeper().keep(task, png())
    assert (tmp_path / kept.path).read_bytes() == data


async def test_a_whole_answer_that_is_no_picture_is_not_adopted(tmp_path: Path) -> None:
    task, content = claim(tmp_path), Content(b"<html>502 bad gateway</html>", "image/png")
    files = keeper()
    await files.stage(task, content)
    assert await keeper().find(task) is None
    assert names(tmp_path) == []
    await files.stage(task, content)
    with pytest.raises(BadResult):
        await files.keep(task, content)
    assert names(tmp_path) == []


async def test_a_full_disk_after_staging_leaves_the_staged_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, task = keeper(), claim(tmp_path)
    await files.stage(task, png())

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(LocalTrouble):
            await files.keep(task, png())
    assert names(tmp_path) == [staged_of(Slot(task), png()).name]
    kept = await files.keep(task, png())
    await files.settled(task)
    assert names(tmp_path) == [kept.path]


async def test_no_room_to_stage_is_this_machines_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(LocalTrouble) as caught:
        await keeper().stage(claim(tmp_path), png())
    assert caught.value.message.code == "exports.disk_full"
    assert names(tmp_path) == []


async def test_sweep_keeps_whole_answers_nobody_claimed_and_drops_halves(tmp_path: Path) -> None:
    data = picture()
    whole = staged_of(Slot(claim(tmp_path)), png())
    whole.write_bytes(data)
    staged_of(Slot(claim(tmp_path, attempt_no=2)), png()).write_bytes(data[:9])
    writing_of(part_of(claim(tmp_path, attempt_no=3))).write_bytes(b"ha")
    assert is_whole(whole)
    assert await keeper().sweep(str(tmp_path)) == 2
    assert names(tmp_path) == [whole.name]


@pytest.mark.parametrize(
    ("mime", "name"), [("text/markdown", "0042_sku.md"), ("application/json", "0042_sku.json")]
)
async def test_a_staged_text_keeps_its_kind(tmp_path: Path, mime: str, name: str) -> None:
    task, content = claim(tmp_path), Content(b"", mime, text="plain words")
    await keeper().stage(task, content)
    found = await keeper().find(task)
    assert found is not None
    assert (found.path, found.mime) == (name, mime)


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.png"])
async def test_a_text_cannot_be_attached_to_a_picture_row(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    source.write_text("sku,prompt\n", encoding="utf-8")
    with pytest.raises(BadResult):
        await keeper().attach(str(tmp_path / "out"), "0042", source, "picture")
    kept = await keeper().attach(str(tmp_path / "out"), "0042", source, "text")
    assert kept.path == "0042.txt"
    source.write_bytes(picture())
    with pytest.raises(BadResult):
        await keeper().attach(str(tmp_path / "out"), "0043", source, "text")
