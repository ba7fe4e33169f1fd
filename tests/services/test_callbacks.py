"""Providers may call where an operator says so, and nowhere else; that it can't be is no fault of
the run's."""

from __future__ import annotations

from typing import cast

import pytest

from desktop_app.domain.bus import Bus
from desktop_app.domain.connection import Connection, callback_entry
from desktop_app.domain.ports import CallbackRule, Capabilities
from desktop_app.domain.ports.callbacks import Addressee, ListeningPlace
from desktop_app.domain.text import OperatorError, message
from desktop_app.services.callbacks import Callbacks
from desktop_app.services.notices import Notices
from desktop_app.services.preferences import Preferences
from tests.services.services_kit import Choices, Kit

GIVEN = ListeningPlace("0.0.0.0", 9000, "https://hooks.example.com")
TAKEN = message("callbacks.port_taken", host="127.0.0.1", port=8377)


class Ears:
    """A listener that hears nobody."""

    def __init__(self) -> None:
        self.opened: list[ListeningPlace | None] = []
        self.taken = False

    async def open(self, place: ListeningPlace) -> None:
        if self.taken:
            raise OperatorError(TAKEN)
        self.opened.append(place)

    async def close(self) -> None:
        if self.opened and self.opened[-1] is not None:
            self.opened.append(None)

    def address(self, attempt_pk: int, idempotency_key: str) -> str | None:
        return None

    def addressee(self, attempt_pk: int, idempotency_key: str) -> Addressee:
        return Addressee(attempt_pk, "")

    def secret(self, attempt_pk: int, rule: CallbackRule) -> str:
        return ""


class World:
    def __init__(self, kit: Kit, place: ListeningPlace | None = None) -> None:
        self.ears, self.choices, self.notices = Ears(), Choices(), Notices(Bus())
        self.callbacks = Callbacks(
            listener=self.ears,
            preferences=cast(Preferences, self.choices),
            notices=self.notices,
            connections=kit.store.connections,
            adapters=kit.adapters,
            secrets=kit.keys,
            engine=kit.engine,  # type: ignore[arg-type]
            place=place,
        )

    def choose(self, **values: object) -> None:
        chosen = {"": True, "address": "127.0.0.1", "port": 8377, "url": "", **values}
        for name, value in chosen.items():
            self.choices.set(f"callbacks_{name}".removesuffix("_"), value)


async def test_nobody_listens_until_it_is_chosen(kit: Kit) -> None:
    world = World(kit)
    await world.callbacks.begin()
    assert await world.callbacks.apply() is None
    assert world.ears.opened == []


async def test_a_choice_takes_effect_at_once_and_once(kit: Kit) -> None:
    world = World(kit)
    world.choose()
    assert await world.callbacks.apply() is None
    assert world.ears.opened == []  # this process runs nothing yet
    await world.callbacks.begin()
    await world.callbacks.apply()
    world.choose(port=9000, url="https://x.example")
    await world.callbacks.apply()
    world.choices.set("callbacks", False)
    await world.callbacks.apply()
    await world.callbacks.stop()
    first = ListeningPlace("127.0.0.1", 8377, "")
    second = ListeningPlace("127.0.0.1", 9000, "https://x.example")
    assert [place for place in world.ears.opened if place is not None] == [first, second]
    assert world.ears.opened[-1] is None


async def test_what_a_verb_was_told_comes_before_the_settings(kit: Kit) -> None:
    world = World(kit, GIVEN)
    await world.callbacks.begin()
    await world.callbacks.stop()
    assert world.ears.opened == [GIVEN, None]


async def test_a_taken_port_is_said_and_no_fault(kit: Kit) -> None:
    world = World(kit)
    world.choose()
    world.ears.taken = True
    await world.callbacks.begin()
    assert [(b.severity, b.said) for b in world.notices.banners()] == [("warning", TAKEN)]
    assert await world.callbacks.apply() == TAKEN
    world.ears.taken = False
    assert await world.callbacks.apply() is None  # it is tried again
    assert world.notices.banners() == ()


async def test_what_is_switched_off_after_it_went_wrong_is_off_and_says_nothing(kit: Kit) -> None:
    world = World(kit)
    world.choose()
    await world.callbacks.begin()
    world.ears.taken = True
    world.choose(port=9000)
    assert await world.callbacks.apply() == TAKEN
    world.choices.set("callbacks", False)
    assert await world.callbacks.apply() is None
    assert world.ears.opened[-1] is None
    assert world.notices.banners() == ()


async def test_with_what_is_signed_goes_to_the_keyring_alone(kit: Kit) -> None:
    world = World(kit)
    saved = await kit.connect()
    assert await world.callbacks.set_secret(saved.id, " s3cret ") is None
    assert kit.keys.kept[callback_entry(saved.name)] == "s3cret"
    with pytest.raises(OperatorError, match=r"services\.empty_key"):
        await world.callbacks.set_secret(saved.id, " ")
    with pytest.raises(OperatorError, match=r"services\.no_connection"):
        await world.callbacks.set_secret(99, "s3cret")


async def test_who_calls_is_what_its_adapter_says(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(kit)
    asked: list[Connection] = []

    def capabilities(adapter: str, connection: Connection | None = None) -> Capabilities:
        assert connection is not None
        asked.append(connection)
        signs = connection.preset == "signs"
        return Capabilities(
            "picture", 1.0, calls_back=adapter == "jobs", callback_secret_entered=signs
        )

    monkeypatch.setattr(kit.adapters, "capabilities", capabilities)
    assert world.callbacks.can_call("jobs", "replicate")
    assert not world.callbacks.can_call("pictures", None)
    assert world.callbacks.wants_secret("jobs", "signs")
    assert not world.callbacks.wants_secret("jobs", "replicate")
    assert not world.callbacks.wants_secret("pictures", "signs")
