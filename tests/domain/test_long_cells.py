from __future__ import annotations

import pytest

from desktop_app.domain.long_cells import CELL_LIMIT, is_marked, is_too_long, shortened, stands_for

NOTE = "40,000 characters; whole text: a_texts/1.txt"


@pytest.mark.parametrize(("letter", "units"), [("x", 1), ("红", 1), ("🙂", 2)])
def test_the_limit_is_counted_as_excel_counts(letter: str, units: int) -> None:
    most = CELL_LIMIT // units
    assert not is_too_long(letter * most)
    assert is_too_long(letter * (most + 1))


@pytest.mark.parametrize("letter", ["x", "红", "🙂", "\n"])
def test_a_shortened_text_fits_and_is_known_again(letter: str) -> None:
    text = letter * 40_000
    cell = shortened(text, NOTE)
    assert len(cell.encode("utf-16-le")) // 2 <= CELL_LIMIT
    assert "\ufffd" not in cell
    assert is_marked(cell)
    assert stands_for(cell, text)


def test_a_changed_one_stands_for_nothing_but_is_still_told() -> None:
    text = "a prompt, " * 4_000
    cell = shortened(text, NOTE)
    for changed in ("b" + cell[1:], cell[:-1], cell + "."):
        assert not stands_for(changed, text)
        assert is_marked(changed)
    assert not stands_for(cell, text[:100])
    assert not is_marked("short … [note]")
    assert not is_marked("x" * 30_000)
