"""A row value is a frozen dataclass in all but what guards its fields."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.domain.row_values import row_value


@row_value(frozen=True, slots=True)
class Pair:
    """Two fields."""

    left: int
    right: str = "r"


def test_a_row_value_is_equal_hashed_and_replaced_by_its_fields() -> None:
    one = Pair(1)
    assert one == Pair(1, "r")
    assert {one, Pair(1, "r")} == {one}
    assert replace(one, right="s") == Pair(1, "s")
    assert one != Pair(2)
    assert not hasattr(one, "__dict__")
