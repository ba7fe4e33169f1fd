"""What is amiss with a result is said whole, in every language."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.domain.attempt import (
    CUT_OFF,
    HALF_READ,
    NOT_JSON,
    OTHER_MODEL,
    PARTIAL,
    flags_note,
)
from desktop_app.domain.text import Translator

LOCALES = Path(__file__).parents[2] / "resources" / "locale"


def said(language: str, *flags: str) -> str:
    note = flags_note(flags)
    assert note is not None
    return Translator(language, LOCALES).say(note)


def test_a_result_without_flags_has_no_note() -> None:
    assert flags_note(()) is None
    assert flags_note(("something_new",)) is None


@pytest.mark.parametrize(
    ("flag", "english", "chinese"),
    [
        (CUT_OFF, "Cut off at the length limit", "长度"),
        (HALF_READ, "The model read only part of the prompt", "一部分"),
        (PARTIAL, "Fewer results than were asked for", "要求的少"),
        (NOT_JSON, "Not the JSON that was asked for", "JSON"),
        (OTHER_MODEL, "Another model answered than was asked", "模型"),
    ],
)
def test_each_flag_has_a_sentence(flag: str, english: str, chinese: str) -> None:
    assert said("en", flag).startswith(english)
    assert chinese in said("zh_CN", flag)
    assert said("zh_CN", flag) != said("en", flag)


def test_several_flags_are_all_said() -> None:
    note = said("en", OTHER_MODEL, CUT_OFF, PARTIAL)
    for part in ("Fewer results", "Cut off", "Another model"):
        assert part in note
    chinese = said("zh_CN", OTHER_MODEL, CUT_OFF)
    assert said("zh_CN", CUT_OFF) in chinese
    assert said("zh_CN", OTHER_MODEL) in chinese
