from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from desktop_app.domain.ports import WHOLE_LINES, SheetInfo, SheetOptions
from desktop_app.ui.dialogs.pre_run_source import SourceForm
from tests.ui.dialogs.dialog_fakes import Desk, info

TEXT = replace(info(), quoting=True, header=True, worksheets=(), worksheet=None)
BOOK = replace(
    TEXT,
    encoding=None,
    delimiter=None,
    quoting=None,
    worksheet="词",
    worksheets=("封面", "词"),
    hidden_rows=1200,
)
OBJECTS = replace(TEXT, delimiter=None, quoting=None, header=None)


@pytest.fixture
def form(desk: Desk, qtbot: QtBot) -> SourceForm:
    form = SourceForm(desk.context)
    qtbot.addWidget(form)
    form.retranslate()
    form.show()
    return form


def offered(form: SourceForm) -> list[str]:
    return [
        name
        for name in (
            "encoding",
            "delimiter",
            "quoting",
            "header",
            "header_row",
            "worksheet",
            "hidden",
        )
        if getattr(form, name).isVisible()
    ]


def words(box: QComboBox) -> list[str]:
    return [box.itemText(place) for place in range(box.count())]


async def test_only_what_the_kind_of_file_knows_is_offered(form: SourceForm) -> None:
    assert offered(form) == ["encoding", "delimiter", "quoting", "header"]
    for sheet, names in (
        (TEXT, ["encoding", "delimiter", "quoting", "header"]),
        (OBJECTS, ["encoding"]),
        (BOOK, ["header", "worksheet", "hidden"]),
    ):
        form.show_info(sheet)
        assert offered(form) == names


async def test_what_was_found_is_said(form: SourceForm) -> None:
    found: SheetInfo = replace(TEXT, encoding="cp932", delimiter=WHOLE_LINES, header=False)
    form.show_info(found)
    assert form.encoding.currentText() == "Shift-JIS (auto)"
    assert form.delimiter.currentText() == "None: a line is one prompt (auto)"
    assert form.header.currentText() == "Data (auto)"
    assert words(form.encoding)[1:] == [
        "UTF-8",
        "GB18030 / GBK",
        "UTF-16",
        "Big5",
        "Shift-JIS",
        "Windows-1252",
    ]
    form.show_info(replace(found, encoding="koi8_r"))
    assert form.encoding.currentText() == "KOI8-R (auto)"


async def test_every_choice_is_passed_on_and_asks_for_another_reading(
    form: SourceForm, qtbot: QtBot
) -> None:
    asked: list[SheetOptions] = []
    form.changed.connect(lambda: asked.append(form.options()))
    form.show_info(TEXT)
    for box in (form.encoding, form.delimiter, form.quoting, form.header):
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert asked[-1] == SheetOptions("utf-8", ",", None, quoting=True, header=True)
    form.show_info(BOOK)
    qtbot.keyClick(form.hidden, Qt.Key.Key_Down)
    assert words(form.hidden) == ["Leave out (1,200)", "Import too (1,200)"]
    assert (asked[-1].worksheet, asked[-1].hidden) == ("词", True)
    qtbot.keyClick(form.worksheet, Qt.Key.Key_Up)
    assert asked[-1].worksheet == "封面"
    assert len(asked) == 6


async def test_the_row_that_names_the_columns_is_chosen_by_what_stands_in_it(
    form: SourceForm, qtbot: QtBot
) -> None:
    asked: list[SheetOptions] = []
    form.changed.connect(lambda: asked.append(form.options()))
    headers = [(1, ("Autumn list",)), (3, ("prompt", "a name that is far too long" * 3))]
    form.show_info(BOOK)
    form.show_headers(headers)
    assert "header_row" in offered(form)
    assert words(form.header_row)[:2] == ["Row 1 (auto)", "Row 1: Autumn list"]
    assert words(form.header_row)[2].startswith("Row 3: prompt, a name")
    assert words(form.header_row)[2].endswith("…")
    form.header_row.setCurrentIndex(2)
    form.header_row.activated.emit(2)
    assert asked[-1].header_row == 3
    form.show_info(replace(BOOK, header_row=3))
    assert form.options().header_row == 3
    qtbot.keyClick(form.worksheet, Qt.Key.Key_Up)  # which begins where it begins
    assert (asked[-1].worksheet, asked[-1].header_row) == ("封面", None)
    form.show_info(TEXT)
    form.show_headers(headers[:1])
    assert "header_row" not in offered(form)


async def test_no_choice_is_cut_off(form: SourceForm) -> None:
    form.show_info(TEXT)
    form.resize(form.sizeHint())
    for box in (form.encoding, form.header, form.quoting):
        arrow = 30
        text = box.fontMetrics().horizontalAdvance(box.currentText())
        assert text + arrow <= box.width(), box.currentText()
