from __future__ import annotations

import pytest

from desktop_app.domain.filing import (
    Filing,
    NameTemplate,
    counts_within,
    is_counted,
    stem_of_result,
)

COLUMNS = ("sku", "Colour", "prompt")
CELLS = ("A/7", "red", "a shoe")


def template(text: str) -> NameTemplate:
    def find(name: str) -> int:
        near = [at for at, column in enumerate(COLUMNS) if column.casefold() == name.casefold()]
        if not near:
            raise LookupError(name)
        return near[0]

    return NameTemplate(text, COLUMNS, find)


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("{sku}/{row}_{n}", "A_7/0042_1"),
        ("{{sku}}\\{{ colour }}-{row}", "A_7/red-0042"),
        ("{prompt}", "a shoe"),
        ("../{sku}/../x", "A_7/x"),
        ("{Colour}/", "red/0042"),
        ("{", "{"),
    ],
)
def test_a_pattern_names_a_row(text: str, stem: str) -> None:
    assert template(text).stem(42, CELLS, "a prompt that is not used") == stem


def test_a_row_without_a_column_of_its_prompt_takes_the_beginning_of_that() -> None:
    own = NameTemplate("{prompt}", ("x",), lambda _name: 0)
    assert own.stem(2, ("",), "红色的鞋" * 10) == ("红色的鞋" * 10)[:24]


def test_a_subfolder_of_the_mapping_comes_above_and_may_have_levels() -> None:
    assert template("{row}").stem(7, CELLS, "", "2026/../spring") == "2026/spring/0007"


def test_a_cell_never_makes_a_folder_of_its_own() -> None:
    evil = ("../../x", "", "")
    assert template("{sku}/{sku}").stem(2, evil, "") == "_.._x/_.._x"


def test_an_unknown_column_is_refused_and_no_folder_counts() -> None:
    for text in ("{nosuch}", "{n}/{row}"):
        with pytest.raises(LookupError):
            template(text)
    assert is_counted("a/{{ n }}")
    assert not is_counted("{n}_x")


def further(text: str, cells: tuple[str, ...] = CELLS, stem: str | None = None) -> list[str] | None:
    filing = Filing(template(text), 1)
    named = filing.further(stem or filing.stem(7, cells, "", ""), 7, cells, "")
    return None if named is None else [named(number) for number in (2, 13)]


def test_a_count_before_the_end_counts_further_results() -> None:
    assert counts_within("{sku}_{n}_front")
    assert counts_within("a/{{ n }}-{row}")
    assert not counts_within("{n}/{sku}_{n}")
    assert further("{sku}_{n}_front") == ["red/A_7_2_front", "red/A_7_13_front"]
    assert further("x/{n}-{sku}") == ["red/x/2-A_7", "red/x/13-A_7"]


def test_further_results_of_a_row_that_is_called_otherwise_are_not_named_by_its_pattern() -> None:
    assert further("{sku}_{n}_front", stem="red/A_7_1_front-2") is None
    assert further("{sku}{n}_x", ("A1", "", "")) is None  # A12_x may be another row's
    assert further("{n}{sku}", ("7A", "", "")) is None
    assert further("{sku}_{n}_x", ("long" * 40, "", "")) is None  # its count was cut off
    assert further("{sku}") is None


def test_further_results_are_counted_as_the_pattern_says() -> None:
    assert stem_of_result("A_7/0042_1", 3, counted=True) == "A_7/0042_3"
    assert stem_of_result("A_7/0042_1", 3, counted=False) == "A_7/0042_1-3"
    assert stem_of_result("A_7/0042_1-2", 2, counted=True) == "A_7/0042_1-2-2"


def test_a_digit_that_may_be_a_rows_own_is_not_counted_up() -> None:
    cut = NameTemplate("{sku}_{n}", ("sku",), lambda _name: 0).stem(2, ("7" * 119 + "11",), "")
    assert stem_of_result(cut, 2, counted=True) == f"{cut}-2"
    # {sku}{n} of A1, whose second result would be the only one of a row A12 without a counter.
    assert stem_of_result("A11", 2, counted=True) == "A11-2"
    assert stem_of_result("A1", 2, counted=True) == "A2"
