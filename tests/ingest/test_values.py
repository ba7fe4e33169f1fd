"""A cell that asks for JSON names a kind of it or is an object itself."""

from __future__ import annotations

import pytest

from desktop_app.domain.ports import Param
from desktop_app.ingest.values import WrongValue, typed

JSON = Param("json", "json", ("object",))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("object", "object"),
        (" Object ", "object"),
        ('{"type": "object"}', {"type": "object"}),
        ('\n {"a": "红"} ', {"a": "红"}),
    ],
)
def test_a_kind_of_json_or_an_object(text: str, value: object) -> None:
    assert typed(JSON, text) == value


def test_what_is_neither_is_said() -> None:
    with pytest.raises(WrongValue) as caught:
        typed(JSON, "array")
    assert (caught.value.code, caught.value.values) == (
        "ingest.not_choice",
        {"choices": ["object"]},
    )
    for text, place in (('{"a": 1', "1:8"), ('{\n"a" 1}', "2:5"), ('{"a":' * 90_000, "-")):
        with pytest.raises(WrongValue) as caught:
            typed(JSON, text)
        assert (caught.value.code, caught.value.values) == ("ingest.not_json", {"place": place})
