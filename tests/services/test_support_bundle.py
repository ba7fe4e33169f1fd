"""The support file says itself what is in it and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.services.export_batch import Language
from desktop_app.services.support_bundle import README, SupportBundle


class Source:
    def __init__(self, **parts: str) -> None:
        self._parts = {
            name.replace("__", "/").replace("_", "."): text for name, text in parts.items()
        }

    def parts(self) -> Mapping[str, str]:
        return self._parts


class Pack:
    def __init__(self, trouble: OSError | None = None) -> None:
        self.packed: dict[str, str] = {}
        self._trouble = trouble

    def pack(self, target: Path, parts: Mapping[str, str]) -> None:
        if self._trouble is not None:
            raise self._trouble
        self.packed = dict(parts)


def bundle(pack: Pack, *sources: Source) -> SupportBundle:
    return SupportBundle(sources, pack, Language(Translator()))


async def test_the_readme_names_every_part_and_what_is_left_out(tmp_path: Path) -> None:
    pack = Pack()
    saved = await bundle(
        pack, Source(system_txt="a", logs__batchwright_log="b"), Source(store__counts_json="{}")
    ).save(tmp_path / "help")
    assert saved.path == tmp_path / "help.zip"
    assert saved.names == (README, "system.txt", "logs/batchwright.log", "store/counts.json")
    assert saved.unread == ()
    readme = pack.packed[README]
    for word in ("system.txt: versions", "store/counts.json: how many", "Left out: keys, prompts"):
        assert word in readme


async def test_what_could_not_be_read_is_said(tmp_path: Path) -> None:
    pack = Pack()
    saved = await bundle(pack, Source(store__checks_txt="a\nnot read: locked\nb")).save(
        tmp_path / "x.zip"
    )
    assert [said.values for said in saved.unread] == [{"file": "store/checks.txt", "why": "locked"}]
    assert "store/checks.txt could not be read completely: locked" in pack.packed[README]


async def test_a_file_that_can_not_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OperatorError) as caught:
        await bundle(Pack(OSError(28, "No space left on device"))).save(tmp_path / "x.zip")
    assert caught.value.message.values == {"file": "x.zip", "reason": "No space left on device"}
