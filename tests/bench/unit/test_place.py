"""The cheapest of the folders that were tried is taken, and none of them stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench._place import GOOD_US, cost_of_a_file, place


@pytest.mark.parametrize(
    ("costs", "taken"),
    [([GOOD_US, 1.0], GOOD_US), ([500.0, 300.0, 12.0, 1.0], 12.0)],
)
def test_the_first_good_one_is_taken(tmp_path: Path, costs: list[float], taken: float) -> None:
    told = iter(costs)
    with place(tmp_path, lambda _: next(told)) as found:
        assert found.file_us == taken
        assert found.folder.is_relative_to(tmp_path)
        (found.out / "file").write_text("x")
    assert list(tmp_path.iterdir()) == []


def test_where_none_is_good_the_best_is_taken_and_told(tmp_path: Path) -> None:
    costs: dict[Path, float] = {}

    def dear(folder: Path) -> float:
        costs[folder] = 1000.0 - 10 * len(costs)
        return costs[folder]

    with place(tmp_path, dear) as found:
        assert found.file_us == min(costs.values()) > GOOD_US
        assert costs[found.out] == found.file_us
    assert len(costs) > 1
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_costs_is_found_out_without_a_trace(tmp_path: Path) -> None:
    assert cost_of_a_file(tmp_path) > 0
    assert list(tmp_path.iterdir()) == []
