from __future__ import annotations

from typing import Any

import pytest

from desktop_app.providers.least_tokens import is_half_read, least_tokens

ENGLISH = "Describe a red sneaker on white. " * 300  # 1800 words
CHINESE = "请描述一双白色背景上的红色运动鞋。" * 300  # 4800 characters and as many marks


@pytest.mark.parametrize(
    ("text", "fewest"),
    [
        ("", 0),
        ("one two, three-four", 4),
        ("snake_case 3.14", 4),
        ("红色运动鞋", 1),
        ("红色运动鞋 size 42", 3),
        ("---- ....", 0),
    ],
)
def test_the_fewest_that_there_can_be(text: str, fewest: int) -> None:
    assert least_tokens(text) == fewest


@pytest.mark.parametrize(
    ("text", "counted", "half"),
    [
        (ENGLISH, 2048, False),
        (ENGLISH, 1800, False),
        (ENGLISH, 1799, True),
        (ENGLISH, 512, True),
        (CHINESE, 2048, False),
        (CHINESE, 1024, True),
        ("red shoe " * 400, 3, False),  # short enough for every server
        (ENGLISH, 0, False),
        (ENGLISH, None, False),
        (ENGLISH, True, False),
        (ENGLISH, "512", False),
    ],
)
def test_only_what_can_not_be_all_of_it_is_told(text: str, counted: Any, half: bool) -> None:
    assert is_half_read(text, counted) is half
