"""A vendor that changes its key is heard with the next call; nobody else is by asking for it."""

from __future__ import annotations

import base64
import hashlib
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from desktop_app.domain.ports import CallbackRule
from tests.providers.callbacks.caller import Desk, listening, post

RULE = CallbackRule("ed25519-jwks", "X-Sign", time_header="X-Time", signs=("X-Id", "X-Time"))
BODY = b'{"id": "j1"}'
OLD, NEW, FORGED = (Ed25519PrivateKey.generate() for _ in range(3))


def public(key: Ed25519PrivateKey) -> str:
    return base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")


def signed(key: Ed25519PrivateKey) -> dict[str, str]:
    stamp = str(int(time.time()))
    text = f"r-1\n{stamp}\n{hashlib.sha256(BODY).hexdigest()}".encode()
    return {"X-Id": "r-1", "X-Time": stamp, "X-Sign": key.sign(text).hex()}


class Provider:
    """Says with what it signs now."""

    def __init__(self, key: Ed25519PrivateKey | None) -> None:
        self.key = key
        self.asked = 0

    async def __call__(self) -> str | None:
        self.asked += 1
        return public(self.key) if self.key is not None else None


async def test_a_call_by_the_old_key_asks_nobody() -> None:
    provider = Provider(NEW)
    desk = Desk(RULE, public(OLD), anew=provider)
    async with listening(desk) as listener:
        assert await post(listener.address(7, "key") or "", BODY, signed(OLD)) == 200
    assert (desk.calls, provider.asked) == ([(7, "j1")], 0)


async def test_a_call_by_a_new_key_is_heard_at_once() -> None:
    provider = Provider(NEW)
    desk = Desk(RULE, public(OLD), anew=provider)
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        headers = signed(NEW)
        assert [await post(url, BODY, headers) for _ in range(3)] == [200] * 3
    assert desk.calls == [(7, "j1")]


@pytest.mark.parametrize("now", [NEW, None])
@pytest.mark.expect_log("without a good signature")
async def test_a_forged_call_is_not_heard_whatever_the_key(now: Ed25519PrivateKey | None) -> None:
    provider = Provider(now)
    desk = Desk(RULE, public(OLD), anew=provider)
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        assert await post(url, BODY, signed(FORGED)) == 401
        assert await post(url, BODY + b" ", signed(NEW)) == 401
        assert await post(url, BODY) == 401
    assert (desk.calls, provider.asked) == ([], 3)
