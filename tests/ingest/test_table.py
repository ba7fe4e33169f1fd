from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.ports import SheetLine
from desktop_app.domain.text import message
from desktop_app.ingest import table
from desktop_app.ingest.table import lines_of
from tests.helpers.examples import sharing_fixtures

_CELLS = st.sampled_from(["a", "b c", "你", "", " ", "\u3000", "\x1f", "\0", "\udcff", "x\ny"])
_ROWS = st.lists(
    st.one_of(
        st.lists(st.sampled_from(["a", "b c", "你"]), min_size=2, max_size=2),
        st.lists(_CELLS, max_size=4),
    ),
    max_size=12,
)


def _lines(rows: list[list[str]]) -> list[SheetLine]:
    records = iter(enumerate([["h1", "h2"], *(list(cells) for cells in rows)], start=1))
    return list(lines_of(records, ("h1", "h2"), "utf-8"))


@sharing_fixtures(400)
@given(rows=_ROWS, together=st.sampled_from([1, 3, 256]))
def test_rows_seen_together_are_what_each_is_by_itself(
    monkeypatch: pytest.MonkeyPatch, rows: list[list[str]], together: int
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(table, "_are_plain", lambda *_: False)
        each = _lines(rows)
    monkeypatch.setattr(table, "_TOGETHER", together)
    assert _lines(rows) == each


def test_what_is_irregular_is_said_of_its_own_row() -> None:
    rows = [["1", "2"], ["", " "], ["3"], ["4", "\0"], ["5", "6", "7"], ["\udcff", "8"]]
    assert _lines(rows) == [
        (2, ["1", "2"], None),
        (4, ["3", ""], None),
        (5, ["4", "\ufffd"], message("ingest.nul", row=5)),
        (6, ["5", "6"], message("ingest.too_many_cells", row=6, cells=3, columns=2, extra="7")),
        (7, ["\ufffd", "8"], message("ingest.bad_bytes", row=7, encoding="utf-8")),
    ]
