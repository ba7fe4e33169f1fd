"""Signatures, held against what was computed outside this program, and against the example that
the Standard Webhooks documentation prints."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from desktop_app.domain.ports import CallbackRule
from desktop_app.providers.callbacks.signatures import Signed, signed

# Printed in the documentation of the scheme.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
AT = 1614265330
BODY = b'{"test": 2432232314}'
GOOD = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
SVIX = CallbackRule("svix")

# printf '{"id":"j1"}' | openssl dgst -sha256 -hmac s3cret
JOB = b'{"id":"j1"}'
HEX = "85efb0f1498ea0530b26d64be0a7d042211263d6c5afc6a16e7f00ce3d783a04"
B64 = "he+w8UmOoFMLJtZL4KfQQiESY9bFr8ahbn8Azj14OgQ="
TIMED = "f184742b142285ca216aace333838510b33429a0bd8d10bb1e1b10db61369739"
PLAIN = CallbackRule("hmac-sha256", "X-Signature", prefix="sha256=")
STAMPED = CallbackRule("hmac-sha256", "X-Signature", time_header="X-Timestamp")


FAL = CallbackRule(
    "ed25519-jwks",
    "X-Fal-Webhook-Signature",
    time_header="X-Fal-Webhook-Timestamp",
    signs=("X-Fal-Webhook-Request-Id", "X-Fal-Webhook-User-Id", "X-Fal-Webhook-Timestamp"),
)
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def public(key: Ed25519PrivateKey) -> str:
    return base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")


KEYS = public(PRIVATE)


def fal(at: int = AT) -> dict[str, str]:
    text = f"r-1\nu-1\n{at}\n{hashlib.sha256(JOB).hexdigest()}"
    return {
        "x-fal-webhook-request-id": "r-1",
        "x-fal-webhook-user-id": "u-1",
        "x-fal-webhook-timestamp": str(at),
        "x-fal-webhook-signature": PRIVATE.sign(text.encode()).hex(),
    }


def svix(**other: str) -> dict[str, str]:
    given = {"webhook-id": ID, "webhook-timestamp": str(AT), "webhook-signature": GOOD}
    return {**given, **{name.replace("_", "-"): value for name, value in other.items()}}


def test_the_documented_example_is_good() -> None:
    assert signed(SVIX, SECRET, svix(), BODY, AT) == Signed(ID)
    old_names = {name.replace("webhook", "svix"): value for name, value in svix().items()}
    assert signed(SVIX, SECRET, old_names, BODY, AT) == Signed(ID)


def test_one_good_signature_among_several_is_enough() -> None:
    wrong = "v1,AAAA9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    for given in (f"{wrong} {GOOD}", f"{GOOD} {wrong}", f"v1a,xx {GOOD}"):
        assert signed(SVIX, SECRET, svix(webhook_signature=given), BODY, AT) == Signed(ID)


@pytest.mark.parametrize(
    "headers",
    [
        svix(webhook_signature="v1,AAAA9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        svix(webhook_signature=GOOD.replace("v1,", "v2,")),
        svix(webhook_signature=GOOD.removeprefix("v1,")),
        svix(webhook_signature="v1,"),
        svix(webhook_signature=""),
        svix(webhook_signature=" ".join(["v1,AAAA"] * 16) + " " + GOOD),
        svix(webhook_id="msg_other"),
        svix(webhook_id=""),
        svix(webhook_timestamp=str(AT + 1)),
        svix(webhook_timestamp="soon"),
        svix(webhook_timestamp="-1"),
        svix(webhook_timestamp="9" * 400),
        {},
    ],
)
def test_anything_else_is_not(headers: dict[str, str]) -> None:
    assert signed(SVIX, SECRET, headers, BODY, AT) is None


def test_another_body_or_secret_is_not() -> None:
    assert signed(SVIX, SECRET, svix(), BODY + b" ", AT) is None
    assert signed(SVIX, "whsec_AAAA", svix(), BODY, AT) is None
    assert signed(SVIX, "whsec_not base64!", svix(), BODY, AT) is None
    assert signed(SVIX, None, svix(), BODY, AT) is None
    assert signed(SVIX, "", svix(), BODY, AT) is None


@pytest.mark.parametrize(
    ("now", "good"), [(AT + 300, True), (AT - 300, True), (AT + 301, False), (AT - 301, False)]
)
def test_a_time_counts_for_five_minutes_either_way(now: float, good: bool) -> None:
    assert (signed(SVIX, SECRET, svix(), BODY, now) is not None) is good


def test_a_plain_hmac_is_what_openssl_says() -> None:
    assert signed(PLAIN, "s3cret", {"x-signature": f"sha256={HEX}"}, JOB, 0) == Signed()
    upper = {"x-signature": f"sha256={HEX.upper()}"}
    assert signed(PLAIN, "s3cret", upper, JOB, 0) == Signed()
    coded = CallbackRule("hmac-sha256", "X-Signature", encoding="base64")
    assert signed(coded, "s3cret", {"x-signature": B64}, JOB, 0) == Signed()


@pytest.mark.parametrize(
    "given", ["", "sha256=", HEX, f"sha1={HEX}", f"sha256={HEX[:-2]}", f"sha256={B64}", "sha256=é"]
)
def test_a_bad_plain_hmac_is_none(given: str) -> None:
    assert signed(PLAIN, "s3cret", {"x-signature": given}, JOB, 0) is None


def test_a_signed_time_counts_and_names_the_call() -> None:
    headers = {"x-signature": TIMED, "x-timestamp": "1700000000"}
    assert signed(STAMPED, "s3cret", headers, JOB, 1_700_000_200) == Signed(TIMED)
    assert signed(STAMPED, "s3cret", headers, JOB, 1_700_000_400) is None
    assert signed(STAMPED, "s3cret", {"x-signature": HEX}, JOB, 1_700_000_000) is None
    moved = {**headers, "x-timestamp": "1700000001"}
    assert signed(STAMPED, "s3cret", moved, JOB, 1_700_000_000) is None


def test_a_public_key_tells_whose_a_call_is() -> None:
    found = signed(FAL, KEYS, fal(), JOB, AT)
    assert found is not None
    assert found.id
    assert signed(FAL, KEYS, fal(at=AT + 1), JOB, AT) not in (None, found)
    assert signed(FAL, KEYS, fal(), JOB, AT + 300) == found
    assert signed(FAL, KEYS, fal(), JOB, AT - 300) == found


def test_the_newer_key_counts_beside_the_older() -> None:
    older = public(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    assert signed(FAL, f"{older} {KEYS}", fal(), JOB, AT) is not None
    assert signed(FAL, f"{KEYS} {older}", fal(), JOB, AT) is not None
    assert signed(FAL, older, fal(), JOB, AT) is None


@pytest.mark.parametrize("name", ["request-id", "user-id", "timestamp", "signature"])
@pytest.mark.parametrize("value", [None, "", "x", "1614265331", "00" * 64, "é"])
def test_any_other_header_is_no_signature(name: str, value: str | None) -> None:
    headers = fal()
    key = f"x-fal-webhook-{name}"
    del headers[key]
    assert signed(FAL, KEYS, headers if value is None else {**headers, key: value}, JOB, AT) is None


def test_two_headers_that_changed_places_are_not_what_was_signed() -> None:
    headers = fal()
    one, other = "x-fal-webhook-request-id", "x-fal-webhook-user-id"
    headers[one], headers[other] = headers[other], headers[one]
    assert signed(FAL, KEYS, headers, JOB, AT) is None


def test_another_body_an_old_time_and_no_key_are_not() -> None:
    assert signed(FAL, KEYS, fal(), JOB + b" ", AT) is None
    assert signed(FAL, KEYS, fal(), JOB, AT + 301) is None
    assert signed(FAL, KEYS, fal(), JOB, AT - 301) is None
    for keys in (None, "", " ", "AAAA", "not base64!", KEYS[:-2]):
        assert signed(FAL, keys, fal(), JOB, AT) is None


def test_a_time_that_is_not_signed_lets_nobody_in() -> None:
    loose = replace(FAL, signs=FAL.signs[:2])
    text = f"r-1\nu-1\n{hashlib.sha256(JOB).hexdigest()}".encode()
    headers = {**fal(), "x-fal-webhook-signature": PRIVATE.sign(text).hex()}
    assert signed(loose, KEYS, headers, JOB, AT) is None


def test_what_is_not_signed_is_looked_at_anyway() -> None:
    assert signed(CallbackRule("none"), None, {}, JOB, 0) == Signed()


def test_a_scheme_that_nobody_knows_lets_nobody_in() -> None:
    assert signed(CallbackRule("ed25519"), "s3cret", {}, JOB, 0) is None
