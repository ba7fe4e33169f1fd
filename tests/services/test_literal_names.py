from __future__ import annotations

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.text import Translator
from desktop_app.services.literal_names import literal_names

COLUMNS = ("SKU", "brand", "size")


def said(mapping: SheetMapping) -> list[str]:
    return [Translator().say(each) for each in literal_names(mapping, COLUMNS)]


def test_a_columns_name_that_is_taken_literally_is_said() -> None:
    mapping = SheetMapping("SKU", subfolder="Brand", output_name="SKU", params={"size": "size"})
    assert said(mapping) == [
        'All files go into one folder called "Brand": for a folder by the column of that name say '
        "@Brand.",
        'All files are called "SKU" and numbered: for names from that column say {SKU}.',
        'The size of every row is the text "size": for that column\'s cells say @size.',
    ]


def test_what_is_meant_literally_or_is_a_column_already_is_left_alone() -> None:
    mapping = SheetMapping(
        "SKU",
        subfolder="@brand",
        output_name="{SKU}_{n}",
        params={"size": "@size", "quality": "high"},
    )
    assert said(mapping) == []
    assert said(SheetMapping("SKU", subfolder="brands/2026")) == []
