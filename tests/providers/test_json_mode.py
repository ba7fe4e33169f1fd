"""JSON is asked for in the words that a server knows, and what came is looked at."""

from __future__ import annotations

import json
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.providers.json_mode import instruction, is_json, response_format
from desktop_app.providers.profiles.chat import STREAMS, STREAMS_AND_SCHEMAS

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
KNOWS, KNOWS_NOT = STREAMS_AND_SCHEMAS, STREAMS


@pytest.mark.parametrize("said", ["object", " Object "])
@pytest.mark.parametrize("ways", [KNOWS, KNOWS_NOT])
def test_any_object(said: str, ways: Any) -> None:
    assert response_format(said, ways) == {"type": "json_object"}
    assert instruction(said, ways, "be brief", "list shoes") == "Answer in JSON."
    assert instruction(said, ways, "", "list shoes as json") == ""


@pytest.mark.parametrize("said", [SCHEMA, json.dumps(SCHEMA)])
def test_a_schema_where_it_is_taken(said: Any) -> None:
    assert response_format(said, KNOWS) == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA},
    }
    assert instruction(said, KNOWS, "list shoes") == ""


def test_a_schema_with_a_name_is_taken_as_it_is() -> None:
    named = {"name": "shoe", "strict": True, "schema": SCHEMA}
    assert response_format(named, KNOWS)["json_schema"] == named
    assert json.dumps(SCHEMA) in instruction(named, KNOWS_NOT)
    assert "strict" not in instruction(named, KNOWS_NOT)


def test_a_schema_where_it_is_not_taken_is_told() -> None:
    assert response_format(SCHEMA, KNOWS_NOT) == {"type": "json_object"}
    told = instruction(SCHEMA, KNOWS_NOT, "give me JSON")
    assert told == f"Answer in JSON that fits this schema: {json.dumps(SCHEMA)}"


@pytest.mark.parametrize("said", ["{", "[1]", "yes", '"object"', "{" * 100_000])
def test_what_is_neither_is_invalid_and_unsent(said: str) -> None:
    with pytest.raises(ProviderFailure) as caught:
        response_format(said, KNOWS)
    failure = caught.value.failure
    assert (failure.kind, failure.code) == (FailureClass.INVALID, "bad_schema")
    assert (failure.sent, failure.billed) == (False, False)


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ('{"a": 1}', True),
        (" [] \n", True),
        ('{"a": 1', False),
        ('```json\n{"a": 1}\n```', False),
        ("Sure! {}", False),
        ("", False),
        ("[" * 100_000, False),
    ],
)
def test_whether_it_is_json(text: str, is_so: bool) -> None:
    assert is_json(text) is is_so
