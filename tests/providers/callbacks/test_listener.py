"""The listener over real sockets: who may come in, how much they may bring, and how long they may
take."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import logging
import signal
import socket
import time

import pytest

from desktop_app.domain.connection import callback_entry
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.ports import CallbackRule
from desktop_app.domain.ports.callbacks import Heard, ListeningPlace
from desktop_app.domain.text import OperatorError, message
from desktop_app.providers.callbacks import listener as listener_module
from desktop_app.providers.callbacks import receiving
from tests.engine.fakes import FakeSecrets
from tests.providers.callbacks.caller import Desk, listening, post, request, send

SECRET = "whsec_" + base64.b64encode(b"a secret of 24 bytes....").decode()


def signed(body: bytes, call_id: str = "msg_1", at: float | None = None) -> dict[str, str]:
    stamp = str(int(time.time() if at is None else at))
    text = f"{call_id}.{stamp}.".encode() + body
    digest = hmac.new(b"a secret of 24 bytes....", text, hashlib.sha256).digest()
    return {
        "Webhook-Id": call_id,
        "Webhook-Timestamp": stamp,
        "Webhook-Signature": "v1," + base64.b64encode(digest).decode(),
    }


def test_no_connection_enters_its_secret_in_place_of_that_behind_all_addresses() -> None:
    assert not listener_module.ENTRY.startswith(callback_entry(""))


async def test_a_call_is_heard_for_the_attempt_whose_address_it_is() -> None:
    desk = Desk()
    async with listening(desk) as listener:
        url = listener.address(7, "key")
        assert url is not None
        assert url.startswith("http://127.0.0.1:")
        assert await post(url) == 200
    assert desk.calls == [(7, "j1")]
    assert listener.address(7, "key") is None  # nobody listens any more


@pytest.mark.parametrize("body", [b"", b"[", b"[1]", b"{}", b"\xff\xfe", b"[" * 50_000])
@pytest.mark.expect_log("could not be looked at")
async def test_a_doubtful_body_means_no_more_than_look(body: bytes) -> None:
    desk = Desk()
    async with listening(desk) as listener:
        assert await post(listener.address(7, "key") or "", body) == 200
    assert desk.calls == [(7, None)]


async def test_nobody_is_told_anything_about_other_addresses() -> None:
    desk = Desk()
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        root = url.split("/callbacks/")[0]
        for other in (
            root + "/",
            root + "/callbacks/",
            root + "/callbacks/7-0123456789abcdef-" + "A" * 43,
            url + "x",
            url[:-1],
            url.replace("/callbacks/", "/other/"),
            url + "/",
        ):
            assert await post(other) == 404
        for method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS"):
            assert await send(url, request(url, method=method)) == 404
    assert desk.calls == []


async def test_a_proxy_may_put_a_path_of_its_own_before_ours() -> None:
    desk = Desk()
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        assert await post(url.replace("/callbacks/", "/tunnel/x/callbacks/")) == 200
    assert desk.calls == [(7, "j1")]


async def test_the_world_is_told_the_public_address() -> None:
    place = ListeningPlace(url="https://hooks.example.com/mine/ ")
    async with listening(Desk(), place) as listener:
        found = listener.address(7, "key") or ""
        assert found.startswith("https://hooks.example.com/mine/callbacks/7-")


@pytest.mark.parametrize(
    "url",
    ["ftp://x", "hooks.example.com", "https://", "https://u:p@x", "https://x?y", "http://x:99999"],
)
async def test_what_is_no_public_address_is_said(url: str) -> None:
    with pytest.raises(OperatorError) as wrong:
        async with listening(Desk(), ListeningPlace(url=url)):
            pass
    assert wrong.value.message == message("callbacks.bad_url", url=url)


async def test_an_attempt_that_is_over_is_thanked_and_nothing_is_done() -> None:
    desk = Desk()
    async with listening(desk) as listener:
        assert await post(listener.address(10, "key") or "") == 200
    assert desk.calls == []


async def test_what_could_not_be_stored_is_called_again() -> None:
    desk = Desk(CallbackRule("svix"), SECRET, trouble=LocalTrouble(message("store.disk_full")))
    body = b'{"id": "j1"}'
    headers = signed(body)
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        assert await post(url, body, headers) == 503
        desk.trouble = None
        assert await post(url, body, headers) == 200
    assert len(desk.calls) == 1


@pytest.mark.expect_log("could not be heard")
async def test_a_fault_of_ours_is_called_again() -> None:
    desk = Desk(trouble=ZeroDivisionError())
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        assert await post(url) == 500
        desk.trouble = None
        assert await post(url) == 200


# --- signatures --------------------------------------------------------------------------------


@pytest.mark.expect_log("without a good signature")
async def test_only_who_signs_is_heard_and_only_once() -> None:
    desk = Desk(CallbackRule("svix"), SECRET)
    body = b'{"id": "j1"}'
    async with listening(desk) as listener:
        url, other = listener.address(7, "key") or "", listener.address(8, "key") or ""
        assert await post(url, body) == 401
        assert await post(url, body, signed(b"{}")) == 401
        assert await post(url, body, signed(body, at=time.time() - 400)) == 401
        assert desk.calls == []
        headers = signed(body)
        assert [await post(url, body, headers) for _ in range(10)] == [200] * 10
        assert desk.calls == [(7, "j1")]
        assert await post(url, body, signed(body, "msg_2")) == 200
        assert await post(other, body, signed(body, "msg_1")) == 200
    assert desk.calls == [(7, "j1"), (7, "j1"), (8, "j1")]


@pytest.mark.expect_log("without a good signature")
async def test_nobody_is_heard_while_it_is_unknown_what_they_sign_with() -> None:
    desk = Desk(CallbackRule("svix"), None)
    async with listening(desk) as listener:
        assert await post(listener.address(7, "key") or "", b"{}", signed(b"{}")) == 401
    assert desk.calls == []


async def test_what_changed_nothing_may_come_again() -> None:
    desk = Desk(CallbackRule("svix"), SECRET, heard=Heard.NOTHING)
    body = b'{"id": "j1"}'
    headers = signed(body)
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        assert await post(url, body, headers) == 200
        desk.heard = Heard.ASKED
        assert [await post(url, body, headers) for _ in range(3)] == [200] * 3
    assert desk.calls == [(7, "j1")] * 2


# --- sizes and times ---------------------------------------------------------------------------


async def test_a_large_body_is_not_read_to_its_end() -> None:
    desk = Desk()
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        told = request(url, b"", {"Content-Length": str(receiving.BODY_MAX + 1)})
        assert await send(url, told) == 413
        head = request(url, b"", {"Content-Length": "x"}).replace(
            b"Content-Length: x", b"Transfer-Encoding: chunked"
        )
        piece = b"10000\r\n" + b" " * 65_536 + b"\r\n"
        assert await send(url, head, *[piece] * 17) in (413, 0)
        assert await post(url, b" " * (receiving.BODY_MAX - 12) + b'{"id": "j1"}') == 200
    assert desk.calls == [(7, "j1")]


async def test_a_slow_body_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "BODY_S", 0.2)
    desk = Desk()
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        assert await send(url, request(url)[:-1]) == 408
    assert desk.calls == []


async def test_a_head_that_never_ends_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener_module, "HEAD_S", 0.2)
    async with listening(Desk()) as listener:
        url = listener.address(7, "key") or ""
        assert await send(url, b"POST / HTTP/1.1\r\nHost: x\r\nX-A: ") == 0


async def test_no_more_bodies_are_read_at_once_than_can_be_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(receiving, "AT_ONCE", 2)
    desk = Desk()
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        desk.hold = asyncio.Event()
        held = [asyncio.ensure_future(post(url)) for _ in range(2)]
        for _ in held:
            await desk.came.acquire()
        assert await post(url) == 503
        desk.hold.set()
        assert await asyncio.gather(*held) == [200, 200]
    assert len(desk.calls) == 2


# --- its place in the program ------------------------------------------------------------------


async def test_a_taken_port_is_a_plain_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OperatorError) as wrong:
            async with listening(Desk(), ListeningPlace(port=port)):
                pass
    assert wrong.value.message == message("callbacks.port_taken", host="127.0.0.1", port=port)


@pytest.mark.parametrize("host", ["no such place", "ä" * 70])
async def test_an_address_that_is_none_is_a_plain_sentence(host: str) -> None:
    with pytest.raises(OperatorError) as wrong:
        async with listening(Desk(), ListeningPlace(host)):
            pass
    assert wrong.value.message == message("callbacks.port_taken", host=host, port=0)


async def test_signal_handlers_are_left_alone() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    async with listening(Desk()):
        assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before


async def test_it_ends_though_a_call_is_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener_module, "HEAD_S", 3600.0)
    monkeypatch.setattr(receiving, "BODY_S", 3600.0)
    desk = Desk()
    async with listening(desk) as listener:
        url = listener.address(7, "key") or ""
        hanging = asyncio.ensure_future(send(url, request(url)[:-1]))
        idle = asyncio.ensure_future(send(url, b"POST "))
        await asyncio.sleep(0.1)
        await asyncio.wait_for(listener.close(), 60)
        assert await asyncio.gather(hanging, idle) == [0, 0]
        assert await post(url) == 0


async def test_addresses_outlive_the_program_where_the_keyring_keeps_their_secret() -> None:
    secrets, desk = FakeSecrets(), Desk()
    async with listening(desk, secrets=secrets) as first:
        before = first.address(7, "key") or ""
    async with listening(desk, secrets=secrets) as second:
        after = second.address(7, "key") or ""
        assert before.rpartition("/")[2] == after.rpartition("/")[2]
    async with listening(desk) as third:
        assert (third.address(7, "key") or "").rpartition("/")[2] != after.rpartition("/")[2]


async def test_a_locked_keyring_is_no_reason_not_to_listen() -> None:
    class Locked(FakeSecrets):
        async def get(self, connection: str) -> str | None:
            raise OperatorError(message("settings.store_locked"))

    desk = Desk()
    async with listening(desk, secrets=Locked()) as listener:
        assert await post(listener.address(7, "key") or "") == 200


async def test_no_log_line_holds_a_token(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with listening(Desk()) as listener:
        url = listener.address(7, "key") or ""
        token = url.rpartition("/")[2]
        await post(url)
        await post(url + "x")
        await send(url, request(url, method="GET"))
    assert "attempt 7" in caplog.text
    assert token not in caplog.text
    assert token[-43:] not in caplog.text
