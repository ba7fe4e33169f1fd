"""What a vendor publishes to have its calls known by: public keys, which anybody may read and which
prove nothing until a signature fits one of them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MOST_BYTES = 64 * 1024
"""A set of keys is small, whatever its host sends."""

_MOST = 16


def keys_of(key_set: bytes) -> str:
    """The Ed25519 keys of a JSON Web Key Set (RFC 7517, RFC 8037): their ``x``, with blanks
    between; keys of other kinds, or for other uses, are left out. Raises ValueError where there
    are none."""
    try:
        found: Any = json.loads(key_set)
    except RecursionError:
        raise ValueError("no key set") from None
    listed = found.get("keys") if isinstance(found, Mapping) else None
    if not isinstance(listed, list):
        raise ValueError("no key set")
    keys = [one["x"] for one in listed if isinstance(one, Mapping) and _is_ours(one)]
    if not keys:
        raise ValueError("no Ed25519 key")
    return " ".join(keys[:_MOST])


def fits(keys: str, signature: bytes, text: bytes) -> bool:
    """Whether one of ``keys``, as ``keys_of`` returns them, made this signature of ``text``."""
    # It takes its time to load, and few programs hear such calls.
    from cryptography.exceptions import InvalidSignature

    for key in filter(None, map(_key_of, keys.split(" ")[:_MOST])):
        with suppress(InvalidSignature):
            key.verify(signature, text)
            return True
    return False


def _is_ours(key: Mapping[str, Any]) -> bool:
    kind, curve, use = key.get("kty", "OKP"), key.get("crv", "Ed25519"), key.get("use", "sig")
    x = key.get("x")
    is_kind = (kind, curve, use) == ("OKP", "Ed25519", "sig")
    return is_kind and isinstance(x, str) and _key_of(x) is not None


def _key_of(x: str) -> Ed25519PublicKey | None:
    """None for anything but the 32 bytes of a key."""
    from cryptography.hazmat.primitives.asymmetric import ed25519

    try:
        bare = x.rstrip("=").encode("ascii")
        made = base64.b64decode(bare + b"=" * (-len(bare) % 4), b"-_", validate=True)
        return ed25519.Ed25519PublicKey.from_public_bytes(made)
    except (binascii.Error, ValueError):
        return None
