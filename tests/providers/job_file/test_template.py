"""Requests by a pattern: values keep their type, and what has no value leaves no trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.providers.job_file.template import BadTemplate, Template

NAMES = ("prompt", "n", "seed", "size")
VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
FIELD = st.sampled_from(NAMES).map(lambda name: f"{{{name}}}")
PLAIN = st.text().map(lambda text: text.replace("{", "{{").replace("}", "}}"))
PATTERNS = st.recursive(
    FIELD | PLAIN | st.integers() | st.booleans() | st.none(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(), inside, max_size=4),
    max_leaves=12,
)


@given(pattern=PATTERNS, values=st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_what_is_filled_is_json_and_the_same_each_time(pattern: Any, values: Any) -> None:
    made = Template.of(pattern).fill(values)
    assert json.loads(json.dumps(made)) == made
    assert Template.of(pattern).fill(values) == made


@given(value=st.booleans() | st.integers() | st.text() | st.lists(st.integers()))
def test_a_field_alone_becomes_the_value_itself(value: Any) -> None:
    made = Template.of({"a": "{x}", "b": ["{x}"]}).fill({"x": value})
    assert made == {"a": value, "b": [value]}
    assert type(made["a"]) is type(value)


@given(text=st.text())
def test_no_value_is_read_as_a_pattern(text: str) -> None:
    values = {"prompt": text, "n": "EVIL"}
    made = Template.of({"p": "{prompt}", "q": "<{prompt}>"}).fill(values)
    assert made == {"p": text, "q": f"<{text}>"}


@given(text=st.text())
def test_doubled_braces_are_braces(text: str) -> None:
    doubled = text.replace("{", "{{").replace("}", "}}")
    assert Template.of({"a": doubled}).fill({}) == {"a": text}


@given(pattern=PATTERNS)
def test_a_value_of_none_is_none(pattern: Any) -> None:
    template = Template.of(pattern)
    assert template.fill({}) == template.fill(dict.fromkeys(NAMES))


def test_what_is_emptied_goes_and_what_was_empty_stays() -> None:
    pattern = {"a": {"b": "{x}", "c": ["{x}", {"d": "{x}"}]}, "e": {}, "f": [], "g": "1{x}"}
    assert Template.of(pattern).fill({}) == {"e": {}, "f": []}
    assert Template.of({"a": "{x}"}).fill({}) is None
    filled = Template.of(pattern).fill({"x": 0})
    assert filled == {"a": {"b": 0, "c": [0, {"d": 0}]}, "e": {}, "f": [], "g": "10"}


def test_a_list_keeps_the_parts_that_have_values() -> None:
    content = [{"image": "{reference}"}, {"text": "{prompt}"}]
    assert Template.of(content).fill({"prompt": "p"}) == [{"text": "p"}]


def test_a_line_is_spelled_and_missing_where_a_value_is() -> None:
    line = Template.of("/{model}/jobs/{id}")
    assert line.line({"model": "a b", "id": 7}, lambda _, text: text.replace(" ", "+")) == (
        "/a+b/jobs/7"
    )
    assert line.line({"model": "m"}) is None


def test_truth_is_spelled_as_json_does() -> None:
    assert Template.of("x={a},{b}").fill({"a": True, "b": False}) == "x=true,false"


@pytest.mark.parametrize("text", ["{", "}", "a{b", "a}b", "{}", "{a b}", "{1}", "{a{b}}", "{{a}"])
def test_a_brace_alone_is_told(text: str) -> None:
    with pytest.raises(BadTemplate):
        Template.of({"x": [text]})
