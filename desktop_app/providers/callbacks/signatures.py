"""Whether a call carries its provider's signature: whoever learns an address must still not be able
to speak for the provider."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import math
from collections.abc import Mapping
from dataclasses import dataclass

from desktop_app.domain.ports.callbacks import CallbackRule
from desktop_app.providers.callbacks.public_keys import fits

_SECRET = "whsec_"  # noqa: S105 - what such secrets begin with
_MOST_SIGNATURES = 16


@dataclass(frozen=True, slots=True)
class Signed:
    """``id`` names this call, so that it can be known when it comes again; empty where the
    signature's scheme has none."""

    id: str = ""


def signed(
    rule: CallbackRule, secret: str | None, headers: Mapping[str, str], body: bytes, now: float
) -> Signed | None:
    """What a good signature says; None for a bad one, an old one, and none at all where the rule
    wants one. ``headers`` by lower-case name; ``now`` is epoch seconds."""
    if not rule.is_signed:
        return Signed()
    if not secret:
        return None
    if rule.signature == "svix":
        return _svix(rule, secret, headers, body, now)
    if rule.signature == "hmac-sha256":
        return _hmac(rule, secret, headers, body, now)
    if rule.signature == "ed25519-jwks":
        return _ed25519(rule, secret, headers, body, now)
    return None


def _svix(
    rule: CallbackRule, secret: str, headers: Mapping[str, str], body: bytes, now: float
) -> Signed | None:
    """Standard Webhooks: the HMAC of id, time and body; several signatures while a secret is
    being changed."""
    call_id = _either(headers, "webhook-id", "svix-id")
    stamp = _either(headers, "webhook-timestamp", "svix-timestamp")
    given = _either(headers, "webhook-signature", "svix-signature")
    if not call_id or not _is_recent(stamp, rule, now):
        return None
    try:
        key = base64.b64decode(secret.removeprefix(_SECRET), validate=True)
    except (binascii.Error, ValueError):
        return None
    wanted = hmac.digest(key, f"{call_id}.{stamp}.".encode() + body, "sha256")
    good = False
    for one in given.split(" ")[:_MOST_SIGNATURES]:
        version, _, value = one.partition(",")
        # Every one is looked at, so that time does not tell which was near.
        good |= _same(_base64(value), wanted) and version == "v1"
    return Signed(call_id) if good else None


def _hmac(
    rule: CallbackRule, secret: str, headers: Mapping[str, str], body: bytes, now: float
) -> Signed | None:
    text = body
    stamp = ""
    if rule.time_header:
        stamp = headers.get(rule.time_header.lower(), "").strip()
        if not _is_recent(stamp, rule, now):
            return None
        text = f"{stamp}.".encode() + body
    found = _given(rule, headers)
    wanted = hmac.digest(secret.encode(), text, "sha256")
    # A signature with a time in it is a call's own; one without is the same whenever it comes.
    return Signed(wanted.hex() if stamp else "") if _same(found, wanted) else None


def _ed25519(
    rule: CallbackRule, keys: str, headers: Mapping[str, str], body: bytes, now: float
) -> Signed | None:
    """``keys``: public ones; the newer and the older while they are being changed."""
    if rule.time_header not in rule.signs:
        return None  # an old call would pass for new
    said = {name: headers.get(name.lower(), "").strip() for name in rule.signs}
    if not _is_recent(said[rule.time_header], rule, now):
        return None
    lines = [*said.values(), hashlib.sha256(body).hexdigest()]
    text = "\n".join(lines).encode()
    found = _given(rule, headers)
    if found is None or not fits(keys, found, text):
        return None
    return Signed(hashlib.sha256(text).hexdigest())


def _given(rule: CallbackRule, headers: Mapping[str, str]) -> bytes | None:
    given = headers.get(rule.header.lower(), "").strip()
    if not given.startswith(rule.prefix):
        return None
    value = given.removeprefix(rule.prefix).strip()
    return _base64(value) if rule.encoding == "base64" else _hex(value)


def _is_recent(stamp: str, rule: CallbackRule, now: float) -> bool:
    if not stamp.isascii() or not stamp.isdecimal() or len(stamp) > 15:
        return False
    at = float(stamp)
    if at > 1e11:  # some count milliseconds
        at /= 1000
    return math.fabs(now - at) <= rule.tolerance_s


def _either(headers: Mapping[str, str], *names: str) -> str:
    return next((headers[name].strip() for name in names if headers.get(name)), "")


def _same(found: bytes | None, wanted: bytes) -> bool:
    return hmac.compare_digest(found or b"", wanted)


def _base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _hex(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None
