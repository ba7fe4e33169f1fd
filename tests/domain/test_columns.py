"""A column is found by the name a person writes, and never by chance."""

from __future__ import annotations

from desktop_app.domain.columns import named, place_of


def test_the_exact_name_comes_first_and_a_near_one_must_be_the_only_one() -> None:
    columns = ("Size", "size ", "SKU", "商品 名")
    assert place_of(columns, "size ") == 1
    assert place_of(columns, " sku") == 2
    assert place_of(columns, "商品 名 ") == 3
    assert place_of(columns, "SIZE") is None
    assert place_of(columns, "商品名") is None


def test_a_wide_sheet_is_named_by_its_first_columns() -> None:
    columns = [f"c{number}" for number in range(1000)]
    assert named(columns)[-2:] == ["c29", "…"]
    assert named(columns[:2]) == ["c0", "c1"]
