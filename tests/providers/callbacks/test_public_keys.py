"""Keys as they are published, and RFC 8032's own signatures."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from desktop_app.providers.callbacks.public_keys import fits, keys_of

# RFC 8037, appendix A.2: the key of RFC 8032's test 1.
X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
KEY = {"kty": "OKP", "crv": "Ed25519", "x": X}
# RFC 8032, 7.1, test 1 (of an empty message).
SIGNATURE = bytes.fromhex(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
    "d25bf5f0595bbe24655141438e7a100b"
)
OTHER = base64.urlsafe_b64encode(bytes(32)).decode()


def key_set(*keys: Any) -> bytes:
    return json.dumps({"keys": list(keys)}).encode()


def test_the_standards_own_signature_fits_its_key() -> None:
    assert fits(keys_of(key_set(KEY)), SIGNATURE, b"")
    assert not fits(X, SIGNATURE, b"x")
    assert not fits(X, SIGNATURE[:-1], b"")
    assert not fits(X, b"", b"")
    assert not fits("", SIGNATURE, b"")


def test_keys_of_other_kinds_are_left_out() -> None:
    rsa = {"kty": "RSA", "n": "AQAB", "e": "AQAB"}
    agreeing = {"kty": "OKP", "crv": "X25519", "x": X}
    secret = {**KEY, "use": "enc"}
    short = {**KEY, "x": "AAAA"}
    found = keys_of(key_set(rsa, agreeing, secret, short, "x", {**KEY, "x": 1}, KEY, {"x": OTHER}))
    assert found == f"{X} {OTHER}"


def test_no_more_than_sixteen_are_tried() -> None:
    assert keys_of(key_set(*[{"x": OTHER}] * 16, KEY)) == " ".join([OTHER] * 16)
    assert not fits(" ".join(["AAAA"] * 16 + [X]), SIGNATURE, b"")


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"<html>", b"[]", b"{}", b'{"keys": {}}', b'{"keys": []}', b"\xff", b"[" * 60_000),
        *(key_set({"kty": "RSA"}), key_set({**KEY, "x": "no!"}), key_set({**KEY, "x": "é"})),
    ],
)
def test_a_set_without_a_key_of_ours_is_told(text: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        keys_of(text)
