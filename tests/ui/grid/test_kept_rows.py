"""Rows at hand, outdated ones, and those that make room."""

from __future__ import annotations

import pytest

from desktop_app.ui.grid import kept_rows
from desktop_app.ui.grid.kept_rows import KeptRows
from tests.ui.fakes import make_row


def test_what_is_missing_or_outdated_is_lacking_and_an_outdated_row_is_still_at_hand() -> None:
    rows = KeptRows()
    rows.keep([make_row(1), make_row(2), make_row(3)])
    rows.outdate([2, 9])
    assert rows.lacking([1, 2, 3, 4]) == [2, 4]
    assert rows.get(2) is not None
    assert rows.get(4) is None
    rows.outdate([])
    assert rows.lacking([1, 2, 3]) == [1, 2, 3]


def test_a_change_while_rows_are_read_makes_them_outdated_again() -> None:
    rows = KeptRows()
    rows.keep([make_row(1)])
    rows.outdate([1])
    rows.asked_for([1])
    assert rows.lacking([1]) == []
    rows.outdate([1])
    rows.keep([make_row(1)])
    assert rows.lacking([1]) == [1]


def test_the_row_that_was_read_longest_ago_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "KEPT", 2)
    rows = KeptRows()
    rows.keep([make_row(1), make_row(2)])
    rows.keep([make_row(1), make_row(3)])
    assert [rows.get(pk) is not None for pk in (1, 2, 3)] == [True, False, True]
