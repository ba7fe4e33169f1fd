"""The benches themselves, small: that they run to their end and count what they name. Their bars
belong to the real sizes, on a machine of their own."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.bench import adapt, chats, guessed, makespan, requeue, throughput, window
from tests.bench._report import Bar

pytestmark = pytest.mark.long
IMPORT = importlib.import_module("tests.bench.import")


def test_makespan_ends_every_row_once_without_a_refusal() -> None:
    """Some of the sheet's rows, quickly: only what does not depend on the machine is judged."""
    figures = makespan.measure(makespan.CONCURRENCY, 0.02, 30)
    assert list(figures)[:2] == ["ratio", "ratio_to_lower_bound"]
    assert all(bar.holds(figures) for bar in makespan.WHOLE)
    assert figures["ratio"] >= 1


def test_a_guessed_number_ends_every_row_once_after_some_refusals() -> None:
    figures = makespan.measure(guessed.TOLD, 0.05, 60)
    assert all(bar.holds(figures) for bar in makespan.WHOLE)
    assert figures["refused_429"] > 0, "nothing was guessed too high"


def test_adapt_ends_every_row_once_where_nothing_is_told_but_the_number() -> None:
    figures = adapt.measure(40, tell=False, seed=12)
    assert all(bar.holds(figures) for bar in makespan.WHOLE)
    assert figures["refused_429"] > 0, "the rate was told after all"
    assert Bar("refused_429", 50).holds(figures)


def test_chats_costs_are_those_of_all_its_rows() -> None:
    figures = chats.measure(100)
    assert list(figures)[:3] == ["ratio", "cpu_ratio", "rss_mb"]
    assert all(bar.holds(figures) for bar in makespan.WHOLE)
    assert figures["cpu_ratio"] > 0
    assert Bar("rss_mb", 120).holds(figures)


def test_throughput_loses_nothing(tmp_path: Path) -> None:
    figures = throughput.measure(400, 1, tmp_path)
    assert next(iter(figures)) == "ratio"
    assert figures["lost"] == 0
    assert figures["ratio"] > 1


async def test_requeue_moves_every_dead_row_and_leaves_the_loop_alive(tmp_path: Path) -> None:
    figures = await requeue.measure(5_000, 1_000, tmp_path / "store.db")
    assert (figures["requeued"], figures["wrong"]) == (1_000, 0)


def test_requeue_in_the_window_moves_every_dead_row(tmp_path: Path) -> None:
    figures = requeue.in_window(5_000, 1_000, tmp_path)
    assert (figures["window_requeued"], figures["wrong"]) == (1_000, 0)
    assert list(figures)[:2] == ["window_seconds", "window_late_over_idle_ms"]


def test_import_has_every_row_in_little_memory() -> None:
    figures = IMPORT.measure(5_000)
    assert (figures["rows"], figures["lost"]) == (5_000, 0)
    assert Bar("rss_mb", 300).holds(figures)


def test_s18_50000_rows_100_selected_under_updates_and_a_script() -> None:
    """The real program: the selection stays, and Qt's thread never works 100 ms at a stretch (its
    own CPU: how late a busy machine serves it is not the program's)."""
    figures = window.measure(50_000, 0.5, 1)
    assert (figures["chosen"], figures["selection_lost"]) == (100, 0)
    assert figures["selection_lost_in_filter"] == 0
    assert figures["updates_a_s"] > 1
    assert set(window.SCENES) <= {name.removesuffix("_max_ms") for name in figures}
    longest = {scene: figures[f"{scene}_own_cpu_ms"] for scene in window.SCENES}
    assert max(longest.values()) <= 100, longest


def test_recovery_is_seen_missed_or_needless() -> None:
    steady = [n / 3 for n in range(360)]
    assert adapt.recovery_s([at for at in steady if at < 80]) == 0
    assert adapt.recovery_s(steady) == pytest.approx(10, abs=0.5)
    assert adapt.recovery_s([n / 1.5 for n in range(180)]) is None
