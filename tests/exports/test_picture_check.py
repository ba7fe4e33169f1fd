from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from desktop_app.domain.errors import BadResult
from desktop_app.exports.picture_check import check_picture
from tests.exports.results_for_test import picture

WHOLE = {kind: picture(kind, (64, 64)) for kind in ("PNG", "JPEG", "WEBP", "GIF")}


@pytest.mark.parametrize("kind", WHOLE)
def test_every_cut_is_seen(kind: str) -> None:
    data = WHOLE[kind]
    assert check_picture(data).width == 64
    for length in range(len(data)):
        with pytest.raises(BadResult):
            check_picture(data[:length])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_label_behind_the_picture_does_no_harm(kind: str) -> None:
    assert check_picture(WHOLE[kind] + b"AIGC label").height == 64


@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_damage_is_a_bad_result_or_none_at_all(kind: str, data: st.DataObject) -> None:
    broken = bytearray(WHOLE[kind])
    at = data.draw(st.integers(0, len(broken) - 1))
    broken[at] ^= data.draw(st.integers(1, 255))
    try:
        check_picture(bytes(broken))
    except BadResult:
        return


@pytest.mark.parametrize("side", [9_999, 60_000])
def test_a_bomb_is_not_decoded(side: int) -> None:
    def chunk(name: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + check

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    data += chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    with pytest.raises(BadResult) as caught:
        check_picture(data)
    assert caught.value.message.code == "exports.picture_too_large"


def test_every_frame_is_decoded() -> None:
    import io

    frames = [Image.new("RGB", (32, 32), colour) for colour in ("red", "blue", "green")]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])
    assert check_picture(buffer.getvalue()).suffix == ".gif"
