"""Addresses of pictures before a run: what is dead is said, what may be good is left alone, and no
key leaves."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.providers.addresses import GOOD_FOR_S, PictureAddresses
from tests.contract.cases import KEY, PNG, FakeClock
from tests.contract.server import Reply, ScriptedServer

KINDS = ("image/png", "image/jpeg")


def near(server: ScriptedServer, **changes: Any) -> Connection:
    return Connection("c", "openai-images", f"{server.url}/v1", "m", proxy="none", **changes)


@pytest.fixture
def looking(clock: FakeClock) -> PictureAddresses:
    return PictureAddresses(clock)


@pytest.fixture
def _no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def known(host: Any, *args: Any, **named: Any) -> Any:
        if str(host).endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return real(host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", known)


@pytest.mark.parametrize(
    ("reply", "dead", "doubt"),
    [
        (Reply(200, PNG, {"content-type": "image/png"}), None, None),
        (Reply(200, PNG, {"content-type": "application/octet-stream"}), None, None),
        (Reply(200, PNG), None, None),
        (Reply(404), "providers.address_gone", None),
        (Reply(410), "providers.address_gone", None),
        (Reply(200, b"<html>", {"content-type": "text/html"}), "providers.address_kind", None),
        (Reply(200, b"GIF89a..", {"content-type": "image/png"}), None, None),
        (Reply(200, b"GIF89a..", {"content-type": "image/gif"}), "providers.address_kind", None),
        (Reply(200, b"?", {"content-type": "application/octet-stream"}), None, "octet-stream"),
        (Reply(401), None, "HTTP 401"),
        (Reply(403), None, "HTTP 403"),
        (Reply(405), None, "HTTP 405"),
        (Reply(503), None, "HTTP 503"),
        (Reply(drop=True), None, "Error"),
        (Reply(302, b"", {"location": "/a"}), None, "too many redirects"),
    ],
)
async def test_what_an_answer_says_of_an_address(
    other: ScriptedServer, looking: PictureAddresses, reply: Reply, dead: str, doubt: str
) -> None:
    other.on("/a", reply)
    url = f"{other.url}/a?sig=1"
    found = await looking.look(near(other), KINDS, [url])
    assert [said.code for said in found.dead.values()] == ([dead] if dead else [])
    assert list(found.doubtful) == ([url] if doubt else [])
    assert (doubt or "") in found.doubtful.get(url, "")
    assert (found.unseen, found.offline) == (0, None)
    assert len(other.seen) <= 10
    assert not any(KEY in str(seen) or "authorization" in seen.headers for seen in other.seen)


async def test_a_server_that_knows_no_head_is_asked_for_the_first_bytes(
    other: ScriptedServer, looking: PictureAddresses
) -> None:
    other.on("/a", Reply(404), Reply(302, b"", {"location": "/b"}))
    other.on("/b", Reply(206, PNG[:64]))
    found = await looking.look(near(other), KINDS, [f"{other.url}/a"])
    assert not found.dead
    assert not found.doubtful
    assert [seen.method for seen in other.seen] == ["HEAD", "GET", "GET"]
    assert other.seen[-1].headers["range"] == "bytes=0-63"


async def test_what_is_known_is_not_asked_again_for_a_while(
    other: ScriptedServer, looking: PictureAddresses, clock: FakeClock
) -> None:
    other.on("/a", Reply(200, PNG, {"content-type": "image/png"}))
    for _ in range(2):
        await looking.look(near(other), KINDS, [f"{other.url}/a"])
    assert len(other.seen) == 1
    clock.advance(GOOD_FOR_S + 1)
    await looking.look(near(other), KINDS, [f"{other.url}/a"])
    assert len(other.seen) == 2


async def test_an_address_that_never_answers_is_in_doubt_and_a_look_ends(
    other: ScriptedServer, clock: FakeClock
) -> None:
    other.on("/slow", Reply(hang=True))
    slow = [f"{other.url}/slow?{n}" for n in range(20)]
    brief = PictureAddresses(clock, each_s=0.05, all_s=60)
    found = await brief.look(near(other), KINDS, slow[:1])
    assert found.doubtful == {slow[0]: "timeout"}
    ended = await PictureAddresses(clock, each_s=60, all_s=0.05).look(near(other), KINDS, slow)
    assert (ended.unseen, dict(ended.dead), dict(ended.doubtful)) == (20, {}, {})


@pytest.mark.usefixtures("_no_names")
async def test_no_host_is_dead_only_where_the_network_is_there(
    other: ScriptedServer, looking: PictureAddresses, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://shop.invalid/a.png"
    found = await looking.look(near(other), KINDS, [url])
    assert found.offline is not None
    assert not found.dead
    far = Connection("c", "openai-images", "https://api.example/v1", "m", proxy="none")

    async def knocked(*_: object) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("desktop_app.providers.http.client.knock", knocked)
    found = await looking.look(far, KINDS, [url])
    assert [said.code for said in found.dead.values()] == ["providers.address_no_host"]


@pytest.mark.usefixtures("_no_names")
async def test_offline_is_one_sentence_and_no_address_is_blamed(
    looking: PictureAddresses, other: ScriptedServer
) -> None:
    far = Connection("c", "openai-images", "https://api.invalid/v1", "m", proxy="none")
    found = await looking.look(far, KINDS, [f"{other.url}/a", "https://shop.invalid/b"])
    assert found.offline is not None
    assert (dict(found.dead), dict(found.doubtful), found.unseen) == ({}, {}, 0)
    assert other.connections == 0


async def test_a_far_connection_asks_no_service_of_this_computer(
    looking: PictureAddresses, other: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def knocked(*_: object) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr("desktop_app.providers.http.client.knock", knocked)
    far = Connection("c", "openai-images", "https://api.example/v1", "m", proxy="none")
    found = await looking.look(far, KINDS, [f"{other.url}/a"])
    assert [said.code for said in found.dead.values()] == ["providers.address_barred"]
    assert other.connections == 0
