"""Whatever a keeper does to a folder it does by the name under which the system opens it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path, PureWindowsPath

import pytest

from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.ports import ExportRow
from desktop_app.domain.reach import ROOM, reachable
from desktop_app.domain.text import Translator
from desktop_app.exports.placing import Placer
from desktop_app.exports.result_file import ResultKeeper
from desktop_app.exports.sheets import SheetFiles
from desktop_app.exports.staging import staged_of
from desktop_app.exports.temp_files import Slot, writing_of
from desktop_app.exports.trouble import local_message
from tests.exports.results_for_test import StillClock, claim, names, png, text
from tests.exports.test_sheets import row

DEEP = Path("/deep/folder")


@pytest.fixture(params=[True, False], ids=["link", "note"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], ResultKeeper]:
    """The program, started once more, on a system that knows ``DEEP`` by another name only."""

    def reach(folder: Path) -> Path:
        assert folder == DEEP
        return tmp_path / "real"

    def start() -> ResultKeeper:
        placer = Placer(links=request.param)
        return ResultKeeper(StillClock(), min_free_bytes=0, placer=placer, reach=reach)

    return start


async def test_a_result_gets_there_and_is_found_again(
    files: Callable[[], ResultKeeper], tmp_path: Path
) -> None:
    task, out = claim(DEEP, "shoes/0042"), tmp_path / "real"
    await files().check_folder(str(DEEP))
    await files().stage(task, png())
    staged = await files().find(task)
    assert staged is not None
    assert staged.path == "shoes/0042.png"
    assert await files().keep(task, png()) == staged
    assert await files().named(task) is not None
    keeper = files()
    several = claim(DEEP, "several", attempt_pk=2, attempt_no=2)
    kept = await keeper.keep(several, png(), text("two"))
    assert [each.path for each in (kept, *kept.more)] == ["several.png", "several-2.txt"]
    found = await files().find(several)
    assert found is not None
    assert len(found.more) == 1
    await keeper.settled(several)
    await files().settled(task)
    source = tmp_path / "own.png"
    source.write_bytes(png("blue").data)
    await files().attach(str(DEEP), "attached", source)
    await files().sweep(str(DEEP))
    assert names(out) == ["attached.png", "several-2.txt", "several.png", "shoes/0042.png"]
    assert not DEEP.parent.exists()


async def test_a_folder_that_is_gone_is_not_made_again(
    files: Callable[[], ResultKeeper], tmp_path: Path
) -> None:
    keeper = files()
    keeper.expect(str(DEEP))
    with pytest.raises(LocalTrouble) as caught:
        await keeper.check_folder(str(DEEP))
    assert caught.value.message.code == "exports.folder_gone"


@pytest.mark.parametrize("suffix", [".xlsx", ".csv", ".jsonl"])
async def test_a_sheet_gets_there_with_its_long_texts(tmp_path: Path, suffix: str) -> None:
    def reach(folder: Path) -> Path:
        assert folder == DEEP
        return tmp_path

    async def rows() -> AsyncIterator[Sequence[ExportRow]]:
        yield [row("a" * 40_000)]

    sheets = SheetFiles(reach)
    for name in ("shoes", "shoes-2"):
        (tmp_path / f"~$shoes{suffix}").touch()  # somebody has the first one open
        if name == "shoes":
            (tmp_path / f"~$shoes{suffix}").unlink()
        written, count = await sheets.write(
            DEEP / f"shoes{suffix}", ("prompt",), rows(), Translator().say
        )
        assert (written, count) == (DEEP / f"{name}{suffix}", 1)
        assert (tmp_path / written.name).stat().st_size > 0
    texts = [name for name in names(tmp_path) if name.startswith("shoes_texts/")]
    assert len(texts) == (1 if suffix == ".xlsx" else 0)
    assert not DEEP.parent.exists()


def test_people_are_shown_the_name_they_know() -> None:
    deep = reachable(PureWindowsPath("D:\\" + "深" * 200), windows=True)
    said = local_message(deep, OSError(28, "full"))  # type: ignore[arg-type]
    assert said.values["folder"] == "D:\\" + "深" * 200


def test_what_lies_in_a_folder_on_the_way_has_room() -> None:
    last = claim(DEEP, edition=99_999, attempt_no=99_999)
    slot = Slot(last, 16, 16)
    for file in (staged_of(slot, png()), writing_of(slot.part)):
        assert len(file.name) <= ROOM
