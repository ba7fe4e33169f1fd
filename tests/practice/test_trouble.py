"""Markers and chances, without a server."""

from __future__ import annotations

import math
import statistics

import pytest

from desktop_app.practice.trouble import choose, latency, marked, prompt_hash, unmarked


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("mug", [None] * 3),
        ("mug [[500]]", ["500"] * 3),
        ("mug [[500:2]]", ["500", "500", None]),
        ("[[ 500 : 1 ]] mug [[drop:1]]", ["500", "drop", None]),
        ("mug [[HANG:1]]", ["hang", None, None]),
        ("mug [[nonsense]] [[empty:1]]", ["empty", None, None]),
    ],
)
def test_markers_name_kind_and_times(prompt: str, expected: list[str | None]) -> None:
    assert [marked(prompt, attempt) for attempt in (1, 2, 3)] == expected


def test_only_known_markers_are_taken_out() -> None:
    assert unmarked("red [[500:2]] mug [[note]]") == "red mug [[note]]"


def test_chances_hold_over_many_prompts_and_repeat_with_the_seed() -> None:
    chances = {"500": 0.3, "moderate": 0.2}
    first = [choose(f"p{i}", 1, chances, 1) for i in range(2000)]
    assert first == [choose(f"p{i}", 1, chances, 1) for i in range(2000)]
    assert first != [choose(f"p{i}", 1, chances, 2) for i in range(2000)]
    assert 0.17 < first.count("moderate") / 2000 < 0.23
    assert 0.20 < first.count("500") / 2000 < 0.28  # of the 80% that moderation lets by


def test_moderation_stays_with_the_prompt_and_a_500_does_not() -> None:
    for i in range(200):
        kinds = {choose(f"p{i}", n, {"moderate": 0.5}, 1) for n in range(1, 6)}
        assert len(kinds) == 1
    heals = {choose("p", n, {"500": 0.5}, 1) for n in range(1, 20)}
    assert heals == {"500", None}


def test_latency_has_the_mean_asked_for_and_repeats() -> None:
    found = [latency(f"p{i}", 1, 28.0, 0.35, 1) for i in range(4000)]
    assert math.isclose(statistics.mean(found), 28.0, rel_tol=0.03)
    assert latency("p", 1, 28.0, 0.35, 1) == latency("p", 1, 28.0, 0.35, 1)
    assert latency("p", 1, 28.0, 0.35, 1) != latency("p", 2, 28.0, 0.35, 1)
    assert latency("p", 1, 5.0, 0.0, 1) == 5.0


def test_a_prompts_name_is_its_sha256() -> None:
    assert prompt_hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
