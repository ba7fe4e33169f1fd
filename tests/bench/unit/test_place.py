"""The cheapest of the folders that were tried is taken, and none of them stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench._place import TRIES, cost_of_a_file, place


@pytest.mark.parametrize("cheapest", [0, 3, TRIES - 1])
def test_the_cheapest_is_taken_and_told(tmp_path: Path, cheapest: int) -> None:
    costs: dict[Path, float] = {}

    def cost_of(folder: Path) -> float:
        costs[folder] = 12.0 if len(costs) == cheapest else 500.0
        return costs[folder]

    with place(tmp_path, cost_of) as found:
        assert len(costs) == TRIES
        assert costs[found.out] == found.file_us == 12.0
        assert found.folder.is_relative_to(tmp_path)
        (found.out / "file").write_text("x")
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_costs_is_found_out_without_a_trace(tmp_path: Path) -> None:
    assert cost_of_a_file(tmp_path) > 0
    assert list(tmp_path.iterdir()) == []
