"""A key is found in every spelling, whole or cut off; what is no key stays as it is."""

from __future__ import annotations

import base64
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.masking import SHOWN, Mask

KEY = 'Zm9vYmFy/0123+456789=x&y"z'
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=16, max_size=60)


def pieces(secret: str) -> set[str]:
    return {secret[at : at + SHOWN] for at in range(len(secret) - SHOWN + 1)}


@pytest.mark.parametrize(
    "spelled",
    [
        KEY,
        json.dumps({"k": KEY}),
        urllib.parse.quote(KEY, safe=""),
        urllib.parse.quote(KEY),
        repr(KEY),
        *(
            base64.b64encode(b"x" * n + KEY.encode() + b"y" * m).decode()
            for n in range(4)
            for m in range(3)
        ),
        base64.urlsafe_b64encode(f"user:{KEY}".encode()).decode(),
    ],
)
def test_every_spelling_is_taken_out(spelled: str) -> None:
    cleaned = Mask([KEY], "***")(f"before {spelled} after")
    assert "***" in cleaned
    assert cleaned.startswith("before ")
    assert cleaned.endswith(" after")
    coded = base64.b64encode(KEY.encode()).decode()
    for piece in (*pieces(KEY), coded[4:16], urllib.parse.quote(KEY, safe="")[6:18]):
        assert piece not in cleaned


@given(KEYS, st.integers(SHOWN + 4, 60), st.text(max_size=20), st.text(max_size=20))
def test_a_key_cut_off_at_either_end_leaves_nothing(
    key: str, length: int, before: str, after: str
) -> None:
    mask = Mask([key], "\0")
    for part in (key[:length], key[-length:]):
        cleaned = mask(before + "\n" + part + "\n" + after)
        assert part not in cleaned


def test_a_word_that_a_key_begins_with_stays_a_word() -> None:
    mask = Mask(["practice-key-for-tests"], "***")
    assert mask("the practice server") == "the practice server"
    assert mask("key practice-key-fo…") == "key ***…"
    assert mask("y-for-tests") == "***"


def test_a_key_that_begins_like_another_leaves_no_tail() -> None:
    assert Mask(["abcdefgh", "abcdefghijkl"], "***")("abcdefghijkl") == "***"


def test_one_more_key_is_hidden_as_well() -> None:
    mask = Mask(["first-key-0001"], "***")
    assert mask.also("first-key-0001") is mask
    assert mask.also("other-key-0002")("first-key-0001 other-key-0002") == "*** ***"
    assert mask("other-key-0002") == "other-key-0002"


def test_no_key_hides_nothing() -> None:
    assert Mask([None, ""], "***")("text") == "text"
