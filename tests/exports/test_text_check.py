"""A text is named after what it is: Markdown by any one of its signs, and by nothing less."""

from __future__ import annotations

import pytest

from desktop_app.domain.errors import BadResult
from desktop_app.exports.text_check import check_text


@pytest.mark.parametrize(
    "text",
    [
        "# Title",
        "###### Title",
        "```",
        "|---|",
        "--- |",
        "a **bold** word",
        "- one\n- two",
        "1. one\n\n2. two",
    ],
)
def test_each_sign_of_markdown_is_enough(text: str) -> None:
    assert check_text(text) == ".md"
    assert check_text(text, "text/plain") == ".md"


@pytest.mark.parametrize(
    "text",
    ["plain words", "shoe #12", "#hashtag", "2 ** 3", "a --- b", "- one", "one\ntwo", "*so*"],
)
def test_what_only_begins_like_one_is_none(text: str) -> None:
    assert check_text(text) == ".txt"
    assert check_text(text, "text/markdown") == ".md"


def test_nothing_is_no_result() -> None:
    with pytest.raises(BadResult):
        check_text(" \n\t")
