from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.providers.error_body import has_error, parse_error

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "detail", "errors", "loc", "metadata"]),
            inner,
            max_size=4,
        )
    ),
)


@pytest.mark.parametrize("raw", [b"", b"null"])
def test_an_empty_body_says_nothing(raw: bytes) -> None:
    assert (parse_error(raw).codes, parse_error(raw).message) == ((), "")


@given(st.binary(max_size=300))
def test_no_bytes_break_it(raw: bytes) -> None:
    parse_error(raw)


@given(JSON)
def test_no_json_breaks_it(found: Any) -> None:
    import json

    body = parse_error(json.dumps(found).encode())
    assert all(isinstance(code, str) for code in body.codes)
    assert isinstance(body.message, str)
    if isinstance(found, dict):
        has_error(found)


@pytest.mark.parametrize("code", [429, "429"])
def test_a_status_in_place_of_a_word_is_no_word(code: Any) -> None:
    body = parse_error(
        b'{"error":{"code":%s,"message":"m","type":"t"}}' % repr(code).replace("'", '"').encode()
    )
    assert (body.codes, body.status, body.message) == (("t",), 429, "m")


def test_html_shows_its_title() -> None:
    assert parse_error(b"<html><title>\n 502 Bad\n Gateway</title>x").message == "502 Bad Gateway"
    assert parse_error(b"<p>no <b>title</b></p><script>x</script>").message == "no title"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"error": {"message": "x"}}, True),
        ({"error": "x"}, True),
        ({"error": None, "data": []}, False),
        ({"error": {"message": "one of two"}, "data": [{"url": "u"}]}, False),
        ({"error": {"message": "x"}, "data": []}, True),
        ({"code": "Throttling", "message": "m"}, True),
        ({"code": "", "message": "", "output": {}}, False),
        ({"choices": []}, False),
    ],
)
def test_errors_that_hide_in_a_200(body: Any, expected: bool) -> None:
    assert has_error(body) is expected
