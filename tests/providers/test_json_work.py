"""Half a character, which JSON can write and no encoding has, is never handed on."""

from __future__ import annotations

import pytest

from desktop_app.providers.error_body import parse_error
from desktop_app.providers.json_work import BIG, decode_json, mended, parsed

WHOLE, CUT = "\U0001f600", "\ufffd"


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (rb'"a\ud83d"', f"a{CUT}"),
        (rb'"\uDE00a"', f"{CUT}a"),
        (rb'"\ud83d\ude00"', WHOLE),
        (rb'"\ude00\ud83d"', CUT * 2),
        (
            rb'{"\ud83d": ["\udc00", {"x": "\ud83dz"}], "n": 1}',
            {CUT: [CUT, {"x": f"{CUT}z"}], "n": 1},
        ),
        (rb'"\\ud83d"', "\\ud83d"),
        ('"中"'.encode(), "中"),
    ],
)
async def test_texts_can_be_stored(raw: bytes, found: object) -> None:
    assert parsed(raw) == found
    assert await decode_json(raw) == found
    assert await decode_json(raw + b" " * BIG) == found


def test_halves_that_come_in_two_pieces_are_one() -> None:
    assert mended("a\ud83d" + "\ude00b") == f"a{WHOLE}b"


def test_an_error_that_breaks_off_in_a_character_can_be_stored() -> None:
    body = parse_error(rb'{"error": {"message": "no \ud83d", "code": "x\ud83d"}}')
    assert (body.message, body.code) == (f"no {CUT}", f"x{CUT}")


@pytest.mark.parametrize("raw", [b"", b"{", b"[" * 100_000, b"\xff"])
def test_what_is_no_json(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parsed(raw)
