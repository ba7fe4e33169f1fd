"""The tap hears a request leave and an answer end at the right byte, however the bytes come."""

from __future__ import annotations

import select
import socket

import pytest

from desktop_app.providers.http.tap import Tap, _End

REQUEST = b"POST /v1 HTTP/1.1\r\nHost: h\r\n\r\n{}"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"
WHOLE = (200, {"content-type": "text/plain", "content-length": "5"}, b"hello")


class Listener:
    def __init__(self, limit: int = 100, *, joins: bool = False) -> None:
        self.begun = 0
        self.whole: list[tuple[int, dict[str, str], bytes]] = []
        self.tap = Tap(self._begin, lambda *came: self.whole.append(came), limit, joins=joins)

    def _begin(self) -> None:
        self.begun += 1


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_an_answer_ends_with_its_last_byte_and_not_before(size: int) -> None:
    heard = Listener()
    heard.tap.leaving(REQUEST)
    data = HEAD + b"hello"
    for at in range(0, len(data), size):
        assert heard.whole == []
        heard.tap.arrived(data[at : at + size])
    assert heard.whole == [WHOLE]
    heard.tap.arrived(b"what follows is another's")
    assert heard.whole == [WHOLE]


def test_a_request_begins_once_and_a_tunnel_is_not_the_request() -> None:
    heard = Listener()
    heard.tap.leaving(b"CONNECT h:443 HTTP/1.1\r\n\r\n")
    heard.tap.arrived(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    assert (heard.begun, heard.whole) == (0, [])
    heard.tap.leaving(REQUEST[:10])
    heard.tap.leaving(REQUEST[10:])
    assert heard.begun == 1
    heard.tap.arrived(HEAD + b"hello")
    assert heard.whole == [WHOLE]


def test_a_head_leaves_together_with_its_body_and_has_not_begun_before() -> None:
    heard = Listener(joins=True)
    head, body = REQUEST[:-2], REQUEST[-2:]
    assert heard.tap.leaving(b"CONNECT h:443 HTTP/1.1\r\n\r\n") == b"CONNECT h:443 HTTP/1.1\r\n\r\n"
    assert (heard.tap.leaving(head), heard.begun) == (b"", 0)
    assert (heard.tap.leaving(body), heard.begun) == (REQUEST, 1)
    assert (heard.tap.leaving(b"more"), heard.begun) == (b"more", 1)


def test_a_body_that_looks_like_the_end_of_a_head_leaves_too() -> None:
    heard = Listener(joins=True)
    heard.tap.leaving(REQUEST[:-2])
    assert heard.tap.leaving(b"\r\n\r\n") == REQUEST[:-2] + b"\r\n\r\n"
    other = Listener(joins=True)
    assert (other.tap.leaving(REQUEST), other.begun) == (REQUEST, 1)


def test_where_the_body_is_not_at_hand_the_head_goes_first() -> None:
    heard = Listener()
    assert (heard.tap.leaving(REQUEST[:-2]), heard.begun) == (REQUEST[:-2], 1)


def test_what_comes_before_the_answer_is_not_the_answer() -> None:
    heard = Listener()
    heard.tap.leaving(REQUEST)
    heard.tap.arrived(b"HTTP/1.1 103 Early Hints\r\nContent-Length: 3\r\n\r\n" + HEAD + b"hel")
    assert heard.whole == []
    heard.tap.arrived(b"lo")
    assert heard.whole == [WHOLE]


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        b"no HTTP at all\r\n\r\n",
    ],
)
def test_where_only_the_library_knows_the_end_nothing_is_said(head: bytes) -> None:
    heard = Listener()
    heard.tap.leaving(REQUEST)
    heard.tap.arrived(head + b"x" * 200)
    assert heard.whole == []


def test_an_objection_to_leaving_is_heard() -> None:
    def object_() -> None:
        raise RuntimeError("not now")

    with pytest.raises(RuntimeError, match="not now"):
        Tap(object_, lambda *_: None, 1).leaving(REQUEST)


@pytest.mark.parametrize("polls", [True, False])
def test_an_idle_line_has_ended_once_anything_comes(
    monkeypatch: pytest.MonkeyPatch, *, polls: bool
) -> None:
    if not polls:
        monkeypatch.delattr(select, "poll", raising=False)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        end = _End(ours)
        assert [end.is_there, end.is_there] == [False, False]
        theirs.close()
        assert [end.is_there, end.is_there] == [True, True]
    assert end.is_there
    assert _End(None).is_there
    assert _End(ours).is_there
