from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import Translator
from desktop_app.exports.result_file import ResultKeeper
from tests.exports.results_for_test import StillClock, names


class Disk:
    def __init__(self) -> None:
        self.free = 10_000_000_000
        self.asked = 0

    def __call__(self, folder: Path) -> int:
        self.asked += 1
        return self.free


async def trouble(files: ResultKeeper, folder: Path) -> str:
    with pytest.raises(LocalTrouble) as caught:
        await files.check_folder(str(folder))
    return Translator().say(caught.value.message)


async def test_a_good_folder_is_made_and_looked_at_once_in_two_seconds(tmp_path: Path) -> None:
    disk, clock = Disk(), StillClock()
    files = ResultKeeper(clock, free_bytes=disk)
    out = tmp_path / "a" / "b"
    for _ in range(3):
        await files.check_folder(str(out))
    assert (disk.asked, out.is_dir(), names(out)) == (1, True, [])
    clock.at += 2.0
    await files.check_folder(str(out))
    assert disk.asked == 2


async def test_a_nearly_full_disk_is_said_until_it_is_mended(tmp_path: Path) -> None:
    disk = Disk()
    files = ResultKeeper(StillClock(), free_bytes=disk)
    disk.free = 199_999_999
    assert "has 199 MB left, 200 MB are needed" in await trouble(files, tmp_path)
    assert "MB left" in await trouble(files, tmp_path)
    disk.free = 200_000_000
    await files.check_folder(str(tmp_path))


async def test_a_folder_that_is_gone_or_cannot_be_made(tmp_path: Path) -> None:
    clock = StillClock()
    files = ResultKeeper(clock, free_bytes=Disk())
    (tmp_path / "file").write_text("in the way")
    assert "can't be made" in await trouble(files, tmp_path / "file")
    assert "can't be made" in await trouble(files, tmp_path / "file" / "below")
    out = tmp_path / "out"
    await files.check_folder(str(out))
    out.rmdir()
    clock.at += 3
    assert "is gone; plug in its disk" in await trouble(files, out)
    out.mkdir()
    await files.check_folder(str(out))


async def test_a_folder_that_held_results_is_not_made_anew_by_another_process(
    tmp_path: Path,
) -> None:
    out = tmp_path / "disk" / "out"
    files = ResultKeeper(StillClock(), free_bytes=Disk())
    files.expect(str(out))
    assert "is gone; plug in its disk" in await trouble(files, out)
    assert not out.parent.exists()
    out.mkdir(parents=True)
    await files.check_folder(str(out))


async def test_a_folder_that_takes_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ResultKeeper(StillClock(), free_bytes=Disk())

    def refuse(self: Path, data: bytes) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert "Nothing can be written into" in await trouble(files, tmp_path)
