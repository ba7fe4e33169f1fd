from __future__ import annotations

import hashlib
import io
import os
import pickle
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.ports import Capabilities, Param, ReferenceRule, SheetInfo, SheetRow
from desktop_app.domain.references import REFERENCE, references_of
from desktop_app.domain.task import Draft, request_digest
from desktop_app.domain.text import Message, OperatorError, Translator
from desktop_app.ingest.drafter import RowDrafter
from desktop_app.ingest.reference_cells import MAX_PIXELS

COLUMNS = ("prompt", "front", "back")
RULE = ReferenceRule(3, ("image/png", "image/jpeg"), 100_000)
CAPS = Capabilities(
    "picture",
    600,
    params=(Param("size", "text"), Param(REFERENCE, "reference")),
    references=(RULE,),
)
ONE = SheetMapping(prompt_column="prompt", params={REFERENCE: "@front"})
TWO = replace(ONE, params={REFERENCE: "@front", f"{REFERENCE}_2": "@back"})


def picture(path: Path, kind: str = "PNG", size: tuple[int, int] = (9, 9), red: int = 200) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (red, 30, 30)).save(path, kind)
    return path


class Sheet:
    """A sheet in a folder, and the drafts of its rows."""

    def __init__(self, folder: Path) -> None:
        self.drafter = RowDrafter()
        self.info = SheetInfo(
            folder / "a.csv", folder / "copy", "0" * 64, COLUMNS, 1, "utf-8", ",", None
        )

    def draft(
        self, front: str = "", back: str = "", mapping: SheetMapping = ONE,
        caps: Capabilities = CAPS, prompt: str = "a shoe",
    ) -> Draft:  # fmt: skip
        row = SheetRow(42, (prompt, front, back))
        return self.drafter.draft(self.info, mapping, caps, row)

    def names(self, *cells: str, mapping: SheetMapping = ONE) -> list[str]:
        request = self.draft(*cells, mapping=mapping).request
        assert request is not None
        return [one.name for one in references_of(request.params)]

    def said(self, *cells: str, mapping: SheetMapping = ONE, caps: Capabilities = CAPS) -> str:
        found = self.draft(*cells, mapping=mapping, caps=caps)
        assert found.request is None
        assert isinstance(found.problem, Message)
        assert Message.load(found.problem.dump()) == found.problem
        said = Translator().say(found.problem)
        assert said.startswith("Row 42, front")
        return said


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    return Sheet(tmp_path)


def test_a_path_is_taken_from_the_sheets_folder(sheet: Sheet, tmp_path: Path) -> None:
    file = picture(tmp_path / "pics" / "鞋 1.png")
    for cell in ("pics/鞋 1.png", " pics\\鞋 1.png ", str(file), f'"{file}"'):
        request = sheet.draft(cell).request
        assert request is not None
        (found,) = references_of(request.params)
        assert Path(found.path) == file
        assert found.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    request = sheet.draft("").request
    assert request is not None
    assert request.params == {}


@pytest.mark.parametrize(("cell", "disk"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFC", "NFC")])
@pytest.mark.parametrize("slash", ["/", "\\"])
def test_a_name_is_found_whatever_a_copy_did_to_its_accents(
    sheet: Sheet, tmp_path: Path, cell: str, disk: str, slash: str
) -> None:
    file = picture(tmp_path / unicodedata.normalize(disk, "été/á.png"))  # type: ignore[arg-type]
    name = unicodedata.normalize(cell, f"été{slash}á.png")  # type: ignore[arg-type]
    request = sheet.draft(name).request
    assert request is not None
    (found,) = references_of(request.params)
    assert Path(found.path) == file


def test_a_name_too_long_for_any_file_is_said(sheet: Sheet) -> None:
    assert "can't be read" in sheet.said("红" * 300 + ".png")


def test_several_in_a_cell_and_in_several_columns(sheet: Sheet, tmp_path: Path) -> None:
    for name in ("a.png", "b.png", "c.png"):
        picture(tmp_path / name)
    assert sheet.names("a.png; b.png") == ["a.png", "b.png"]
    assert sheet.names("b.png\r\n\r\na.png；c.png") == ["b.png", "a.png", "c.png"]
    assert sheet.names("c.png", "a.png;b.png", mapping=TWO) == ["c.png", "a.png", "b.png"]
    assert sheet.names("", "a.png", mapping=TWO) == ["a.png"]
    assert "4 reference pictures" in sheet.said("a.png;b.png", "c.png;a.png", mapping=TWO)
    sheet.drafter.check(sheet.info, TWO, CAPS)


def test_one_picture_for_all_rows(sheet: Sheet, tmp_path: Path) -> None:
    picture(tmp_path / "style.png")
    fixed = SheetMapping(prompt_column="prompt", params={REFERENCE: "style.png"})
    assert sheet.names(mapping=fixed) == ["style.png"]


def test_addresses(sheet: Sheet) -> None:
    assert sheet.names("https://a.example/x.png; http://127.0.0.1:1/y.png") == [
        "https://a.example/x.png",
        "http://127.0.0.1:1/y.png",
    ]
    for bad in ("http://a.example/x.png", "ftp://a/x", "https://", "https://[x/"):
        assert "address with https" in sheet.said(bad)


def test_what_is_wrong_is_said_by_row_and_file(sheet: Sheet, tmp_path: Path) -> None:
    assert f"there is no file {tmp_path / 'gone.png'}" in sheet.said("gone.png")
    assert "there is no file" in sheet.said("a\0b.png")
    (tmp_path / "folder").mkdir()
    assert "can't be read" in sheet.said("folder")
    (tmp_path / "text.png").write_text("no picture")
    assert "is no picture" in sheet.said("text.png")
    (tmp_path / "empty.png").touch()
    assert "is no picture" in sheet.said("empty.png")
    whole = picture(tmp_path / "half.png", size=(400, 400)).read_bytes()
    (tmp_path / "half.png").write_bytes(whole[: len(whole) // 2])
    assert "damaged" in sheet.said("half.png")
    picture(tmp_path / "a.gif", "GIF")
    assert "kind GIF; this model takes PNG, JPEG" in sheet.said("a.gif")
    large = picture(tmp_path / "large.png")
    large.write_bytes(large.read_bytes() + bytes(150_000))
    assert "0.16 MB; this model takes 0.1 MB" in sheet.said("large.png")
    picture(tmp_path / "wide.png", size=(9, 8))
    square = replace(CAPS, references=(replace(RULE, square=True),))
    assert "9 x 8 pixels; this model takes square" in sheet.said("wide.png", caps=square)


def test_a_bomb_is_not_opened(sheet: Sheet, tmp_path: Path) -> None:
    for name, factor in (("big.png", 1), ("bomb.png", 9)):
        side = int((MAX_PIXELS * factor) ** 0.5) + 1
        buffer = io.BytesIO()
        Image.new("1", (side, side)).save(buffer, "PNG")
        (tmp_path / name).write_bytes(buffer.getvalue())
        rule = replace(RULE, max_bytes=10_000_000)
        assert "too many pixels" in sheet.said(name, caps=replace(CAPS, references=(rule,)))


def test_a_model_that_takes_none_has_no_such_parameter(sheet: Sheet) -> None:
    with pytest.raises(OperatorError):
        sheet.drafter.check(sheet.info, ONE, replace(CAPS, references=()).of("any"))


def test_a_changed_picture_is_another_request_and_a_moved_one_is_not(
    sheet: Sheet, tmp_path: Path
) -> None:
    file = picture(tmp_path / "a.png")
    before = request_digest(sheet.draft("a.png").request)
    (tmp_path / "moved").mkdir()
    file.rename(tmp_path / "moved" / "b.png")
    moved = sheet.draft("moved/b.png").request
    assert request_digest(moved) == before
    picture(tmp_path / "moved" / "b.png", red=201)
    os.utime(tmp_path / "moved" / "b.png", ns=(1, 1))
    assert request_digest(sheet.draft("moved/b.png").request) != before
    other = request_digest(sheet.draft("https://a.example/1.png").request)
    assert request_digest(sheet.draft("https://a.example/2.png").request) != other
    assert len({before, other, request_digest(sheet.draft("").request)}) == 3


def test_each_file_is_read_once_until_it_is_written_to(
    sheet: Sheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from desktop_app.ingest import reference_cells

    read: list[Path] = []
    look = reference_cells._look
    monkeypatch.setattr(reference_cells, "_look", lambda path: read.append(path) or look(path))
    file = picture(tmp_path / "a.png")
    for _ in range(3):
        sheet.names("a.png")
    assert read == [file]
    os.utime(file, ns=(5, 5))
    sheet.names("a.png")
    assert read == [file] * 2


def test_a_drafter_that_looked_at_pictures_can_be_sent_away(sheet: Sheet, tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    sheet.names("a.png")
    sheet.drafter = pickle.loads(pickle.dumps(sheet.drafter))
    assert sheet.names("a.png") == ["a.png"]
