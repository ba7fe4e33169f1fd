"""What was verified before a crash is a result, though nobody may look into it once more."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.ports import Content
from desktop_app.exports import content_check, placing
from desktop_app.exports.placing import note_of
from desktop_app.exports.temp_files import part_of
from tests.exports.results_for_test import claim, keeper, picture, png, text

BOTH_WAYS = pytest.mark.parametrize("links", [True, False], ids=["link", "note"])


class Crash(BaseException):
    """The program ends here."""


def crash(*_args: Any, **_more: Any) -> None:
    raise Crash


@BOTH_WAYS
@pytest.mark.parametrize(
    "content",
    [png(), text("plain"), text("# Title\n\ntext"), Content(b"", "application/json", text="{}")],
)
@pytest.mark.parametrize("taken", [False, True])
async def test_a_named_file_is_told_without_decoding_it(
    tmp_path: Path, links: bool, content: Content, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if taken:
        for suffix in (".png", ".txt", ".md", ".json"):
            (tmp_path / f"0042_sku{suffix}").write_bytes(picture(colour="blue"))
    kept = await keeper(links=links).keep(claim(tmp_path), content)
    monkeypatch.setattr(content_check, "check_picture", crash)
    found = await keeper(links=links).named(claim(tmp_path))
    assert found == replace(kept, width=None, height=None)
    assert await keeper(links=links).named(claim(tmp_path, attempt_no=2)) is None


@BOTH_WAYS
async def test_a_finished_file_without_its_name_is_not_told(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(placing, "_rename_new", crash)
        patch.setattr(os, "link", crash)
        with pytest.raises(Crash):
            await keeper(links=links).keep(claim(tmp_path), png())
    assert await keeper(links=links).named(claim(tmp_path)) is None


async def test_a_note_of_what_is_not_there_tells_nothing(tmp_path: Path) -> None:
    placing.write_note(note_of(part_of(claim(tmp_path))), Path("0042_sku.png"), "0" * 64)
    assert await keeper(links=False).named(claim(tmp_path)) is None
    (tmp_path / "0042_sku.png").write_bytes(picture())
    assert await keeper(links=False).named(claim(tmp_path)) is None


async def test_in_a_folder_that_is_gone_nothing_is_missing_yet(tmp_path: Path) -> None:
    files, out = keeper(), tmp_path / "drive"
    kept = await files.keep(claim(out), png())
    out.rename(tmp_path / "unplugged")
    later = keeper()
    assert await later.find(claim(out)) is None  # it was never heard of
    later.expect(str(out))
    for look in (later.find, later.named):
        with pytest.raises(LocalTrouble) as caught:
            await look(claim(out))
        assert caught.value.message.code == "exports.folder_gone"
    (tmp_path / "unplugged").rename(out)
    assert await later.find(claim(out)) == kept
