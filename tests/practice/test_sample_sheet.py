"""The sample sheet is what the demo promises."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from desktop_app.practice.lettering import Lettering
from desktop_app.practice.orders import picture_order
from desktop_app.practice.trouble import marked
from tests.practice.practice_kit import FONT

SHEET = Path(__file__).parents[2] / "resources" / "sample_prompts.csv"


def _rows() -> list[dict[str, str]]:
    with SHEET.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_has_200_rows_of_four_columns_and_50_lanes() -> None:
    rows = _rows()
    assert list(rows[0]) == ["sku", "prompt", "size", "customer"]
    assert len(rows) == 200
    assert not SHEET.read_bytes().startswith(b"\xef\xbb\xbf")
    lanes = Counter(row["customer"] for row in rows)
    assert len(lanes) == 50
    assert set(lanes.values()) == {3, 4, 5, 6}


def test_prompts_and_skus_are_unique_and_awkward_where_sheets_are() -> None:
    rows = _rows()
    assert len({row["prompt"] for row in rows}) == len({row["sku"] for row in rows}) == 200
    assert sum(row["sku"].startswith("0") for row in rows) > 50
    assert sum("\n" in row["prompt"] for row in rows) >= 3
    assert any('"' in row["prompt"] for row in rows)
    chinese = sum(bool(re.search(r"[一-鿿]", row["prompt"])) for row in rows)
    assert 90 <= chinese <= 110


def test_every_row_is_a_request_the_server_takes_and_the_font_can_show() -> None:
    letters = Lettering(FONT)
    for row in _rows():
        picture_order({"model": "practice", "prompt": row["prompt"], "size": row["size"]})
        assert [c for c in row["prompt"] if not c.isspace() and not letters.has(c)] == []


def test_one_row_heals_and_one_is_a_dead_letter() -> None:
    met = [marked(row["prompt"], 1) for row in _rows()]
    assert Counter(kind for kind in met if kind) == {"500": 1, "moderate": 1}
    assert [marked(r["prompt"], 3) for r in _rows() if marked(r["prompt"], 1) == "500"] == [None]
