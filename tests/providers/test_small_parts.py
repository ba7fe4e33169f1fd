"""The small pure parts of the room, one block each."""

from __future__ import annotations

import base64

import pytest

from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.providers.json_work import decode_base64, decode_json, encode_body
from desktop_app.providers.models import is_other_model, wants_completion_tokens
from desktop_app.providers.pictures import picture_mime
from desktop_app.providers.redact import MASK, Scrubber
from desktop_app.providers.urls import BadUrl, api_base, result_url

# --- urls -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "default", "expected"),
    [
        ("https://api.openai.com", "/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com/", "/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1", "/v1", "https://api.openai.com/v1"),
        (" https://api.openai.com/v1/ ", "/v1", "https://api.openai.com/v1"),
        ("https://a.example/v1/chat/completions", "/v1", "https://a.example/v1"),
        ("https://a.example/v1/images/generations/", "/v1", "https://a.example/v1"),
        ("https://a.example/v1/images/edits", "/v1", "https://a.example/v1"),
        ("https://a.example/v1/models", "/v1", "https://a.example/v1"),
        ("https://a.example/v1/completions", "/v1", "https://a.example/v1"),
        ("https://a.example/v1/responses?x=1", "/v1", "https://a.example/v1"),
        ("https://api.anthropic.com/v1/messages", "/v1", "https://api.anthropic.com/v1"),
        ("https://a.example/messages", "/v1", "https://a.example/v1"),
        (
            "https://a.example/v1beta/models/gemini-2.5-flash:generateContent",
            "/v1beta",
            "https://a.example/v1beta",
        ),
        (
            "https://ark.cn-beijing.volces.com",
            "/api/v3",
            "https://ark.cn-beijing.volces.com/api/v3",
        ),
        ("https://a.example/api/v3", "/v1", "https://a.example/api/v3"),
        ("https://a.example/v1beta/openai", "/v1", "https://a.example/v1beta/openai"),
        ("https://a.example/proxy", "/v1", "https://a.example/proxy/v1"),
        ("http://[::1]:8080/", "/v1", "http://[::1]:8080/v1"),
        ("https://u:p@a.example/v1?x=1#y", "/v1", "https://a.example/v1"),
    ],
)
def test_every_shape_of_address_reaches_the_endpoint(
    given: str, default: str, expected: str
) -> None:
    assert api_base(given, default) == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("https://c.example/a?x=%2F&y=a%20b#", "https://c.example/a?x=%2F&y=a%20b#"),
        (" https://c.example/a\n", "https://c.example/a"),
        ("/out/a.png?sig=%2F", "http://a.example:8000/out/a.png?sig=%2F"),
        ("out/a.png", "out/a.png"),
        ("", ""),
    ],
)
def test_a_result_lies_where_it_is_said_to(found: str, expected: str) -> None:
    assert result_url(found, " http://a.example:8000/v1/ ") == expected


@pytest.mark.parametrize("given", ["", "api.openai.com", "ftp://x", "http://", "http://x:port/"])
def test_what_is_no_web_address(given: str) -> None:
    with pytest.raises(BadUrl):
        api_base(given)


# --- models -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "answered", "other"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", False),
        ("openai/gpt-4o", "gpt-4o", False),
        ("llama3:latest", "llama3", False),
        ("chatgpt-4o-latest", "chatgpt-4o-2025-01-01", False),
        ("ep-2025-abc", "doubao-seedream", False),
        ("m", None, False),
        ("m", "", False),
        ("gpt-4o", "tiny.gguf", True),
        ("GPT-4o", "gpt-4o", False),
    ],
)
def test_whether_another_model_answered(asked: str, answered: object, other: bool) -> None:
    assert is_other_model(asked, answered) is other


def test_what_a_model_s_name_implies() -> None:
    newer = ("o1", "o3-mini", "gpt-5", "gpt-5-mini", "openai/gpt-5.1", "o4-mini", "ft:o4-mini:o::x")
    older = (
        "gpt-4o",
        "gpt-4.1",
        "gpt-3.5-turbo",
        "deepseek-chat",
        "qwen3",
        "llama-o1",
        "ft:gpt-4o:o::x",
    )
    assert all(wants_completion_tokens(model) for model in newer)
    assert not any(wants_completion_tokens(model) for model in older)


# --- pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (b"\x89PNG\r\n\x1a\nrest", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"GIF89a", "image/gif"),
        (b"\x00\x00\x00 ftypavif", "image/avif"),
        (b"RIFF\x00\x00\x00\x00WAVE", None),
        (b"<svg xmlns=", None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_pictures_by_their_first_bytes(head: bytes, mime: str | None) -> None:
    assert picture_mime(head) == mime


# --- json and base64 --------------------------------------------------------------------------


async def test_base64_in_every_dress() -> None:
    data = bytes(range(256)) * 400  # large enough for the worker thread
    plain = base64.b64encode(data).decode()
    assert await decode_base64(plain) == data
    assert await decode_base64("data:image/png;base64," + plain) == data
    assert await decode_base64("DATA:image/png;base64," + plain) == data
    assert await decode_base64(base64.urlsafe_b64encode(data).decode()) == data
    assert await decode_base64("YWI") == b"ab"  # without padding
    assert await decode_base64("YW\nI=\n") == b"ab"
    for broken in ("%%%", "YWJj=YWJj", "é"):
        with pytest.raises(ValueError, match="not base64"):
            await decode_base64(broken)


async def test_large_json_is_read_all_the_same() -> None:
    assert await decode_json(b'{"a": "' + b"x" * 100_000 + b'"}') == {"a": "x" * 100_000}
    with pytest.raises(ValueError, match=r"nested too deep|Expecting"):
        await decode_json(b"[" * 100_000)


@pytest.mark.parametrize("value", ["\ud800", float("nan"), {1, 2}])
def test_what_is_no_json_is_invalid_and_unsent(value: object) -> None:
    with pytest.raises(ProviderFailure) as caught:
        encode_body({"prompt": value})
    assert caught.value.failure.kind is FailureClass.INVALID
    assert not caught.value.failure.sent


# --- redact -----------------------------------------------------------------------------------


def test_secrets_are_taken_out_in_every_spelling() -> None:
    scrub = Scrubber(["pa/ss+word", None, ""])
    text = scrub("x pa/ss+word y pa%2Fss%2Bword z Bearer abcdefgh sk-12345678 Authorization: q")
    assert text == f"x {MASK} y {MASK} z {MASK} {MASK} Authorization: q"
    assert scrub("x" * 10, 4) == "xxxx"
    assert scrub("pa/ss+word", 3) == MASK[:3]  # taken out first, cut afterwards
    assert scrub.line(" a\n\tb\x00c ") == "a b c"
    assert scrub.line("y" * 400).endswith("…")
    told = {"n": 3, "by pa/ss+word": ["pa/ss+word", None, {"a": "x"}]}
    assert scrub.tree(told) == {"n": 3, f"by {MASK}": [MASK, None, {"a": "x"}]}
    assert Scrubber()("task-sketchbook risk-management") == "task-sketchbook risk-management"


@pytest.mark.parametrize(
    "key", ["sk-12345678", "rk-12345678", "pk-12345678", "ak-a***yz", "BeArEr  abcdefgh"]
)
def test_what_only_looks_like_a_key_is_taken_out_wherever_it_stands(key: str) -> None:
    for text in (key, f"İ {key}", f"key: {key}, and more"):
        assert Scrubber()(text) == text.replace(key, MASK)
