"""The practice server's key lives as long as its server; everybody else's is the keyring's."""

from __future__ import annotations

import pytest

from desktop_app.domain.connection import PRACTICE_NAME
from desktop_app.domain.text import Message, OperatorError, Translator
from desktop_app.practice.config import PROFILES
from desktop_app.wiring import HouseOptions, serve_practice
from desktop_app.wiring.practice import SecretsWithPractice, _limits


class Keyring:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    async def get(self, connection: str) -> str | None:
        return self.kept.get(connection)

    async def set(self, connection: str, secret: str) -> bool:
        self.kept[connection] = secret
        return False

    async def delete(self, connection: str) -> None:
        self.kept.pop(connection, None)

    async def available(self) -> Message | None:
        return None


async def test_the_practice_key_never_reaches_the_keyring() -> None:
    keyring = Keyring()
    secrets = SecretsWithPractice(keyring)
    assert await secrets.set(PRACTICE_NAME, "practice-1")
    assert await secrets.get(PRACTICE_NAME) == "practice-1"
    assert not await secrets.set("shop", "sk-1")
    assert keyring.kept == {"shop": "sk-1"}
    assert await secrets.get("shop") == "sk-1"
    await secrets.delete(PRACTICE_NAME)
    await secrets.delete("shop")
    assert await secrets.get(PRACTICE_NAME) is None
    assert keyring.kept == {}
    assert await secrets.available() is None


def test_the_limits_told_are_those_of_real_seconds() -> None:
    limits = _limits(PROFILES["plain"])
    assert limits.concurrency == 10
    assert limits.per_second == pytest.approx(3 / 0.09)
    assert (limits.burst, limits.headroom) == (6, 1.0)
    gentle = _limits(PROFILES["gentle"])
    assert (gentle.concurrency, gentle.rate, gentle.burst) == (None, None, None)


def test_a_config_that_is_not_there_is_said() -> None:
    with pytest.raises(OperatorError) as caught:
        serve_practice(HouseOptions(), port=0, config="/no/such.json", tr=Translator())
    assert caught.value.message.code == "practice.config_unreadable"
