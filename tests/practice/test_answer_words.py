"""Who asks in Chinese is answered in Chinese, also where it went wrong."""

from __future__ import annotations

import re

import pytest

from desktop_app.practice.answer_words import answer_to, error_to
from tests.practice.practice_kit import Starter

_HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("at_length", [False, True])
def test_an_answer_is_in_the_language_of_the_question(at_length: bool) -> None:
    assert answer_to("红色运动鞋", "", at_length=at_length).startswith("练习回答。您问的是：红色")
    english = answer_to("red shoe", " 2", at_length=at_length)
    assert english.startswith("Practice answer 2. You asked: red shoe")
    assert not _HAN.search(english)


@pytest.mark.parametrize("kind", ["500", "503", "504", "moderate", "quota", "softquota"])
async def test_an_error_is_in_the_language_of_the_question(start: Starter, kind: str) -> None:
    server = await start()
    told = [(await server.draw(f"{asked} [[{kind}]]")).json()["error"] for asked in ("mug", "杯子")]
    assert [bool(_HAN.search(error["message"])) for error in told] == [False, True]
    assert told[0]["code"] == told[1]["code"]


def test_a_failed_job_has_words_for_both() -> None:
    assert error_to("杯子", "model_error")
    assert error_to("mug", "model_error") is None
