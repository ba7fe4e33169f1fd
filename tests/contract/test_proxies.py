"""Loopback never goes through a proxy; everything else goes as its connection says."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from socksio.exceptions import ProtocolError

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.text import Translator
from desktop_app.providers.http.proxies import is_loopback, proxy_for, proxy_label
from tests.contract.cases import IMAGES, KEY, PNG, Case, call, failing
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply

HOST = "http://provider.example"
DEAD = "http://127.0.0.1:9"


@pytest.mark.parametrize("setting", ["system", "none", DEAD])
async def test_loopback_is_reached_directly(
    case: Case,
    server: ScriptedServer,
    open_adapter: Open,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, DEAD)
    server.on(case.path, json_reply(case.good))
    await open_adapter(case.connection(server.url, proxy=setting)).submit(call())
    assert server.seen[0].target == case.path


async def test_a_proxy_url_is_used(case: Case, server: ScriptedServer, open_adapter: Open) -> None:
    server.on(f"{HOST}{case.path}", json_reply(case.good))  # a proxy is asked for whole URLs
    adapter = open_adapter(case.connection(HOST, proxy=server.url))
    await adapter.submit(call())
    assert server.seen[0].headers["host"] == "provider.example"


async def test_the_system_s_proxy_is_used_and_none_means_none(
    case: Case, server: ScriptedServer, open_adapter: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    server.on(f"{HOST}{case.path}", json_reply(case.good))
    await open_adapter(case.connection(HOST)).submit(call())
    assert len(server.seen) == 1
    direct = await failing(open_adapter(case.connection(HOST, proxy="none")))
    assert direct.code == "dns"
    monkeypatch.setenv("no_proxy", "provider.example")
    assert (await failing(open_adapter(case.connection(HOST)))).code == "dns"
    assert len(server.seen) == 1


async def test_results_go_through_the_proxy(
    server: ScriptedServer, other: ScriptedServer, open_adapter: Open
) -> None:
    far = {"url": "http://results.example/a.png"}
    server.on(f"{HOST}{IMAGES.path}", json_reply({"data": [far, far]}))
    server.on("http://results.example/a.png", Reply(200, PNG))
    adapter = open_adapter(IMAGES.connection(HOST, proxy=server.url))
    answer = await adapter.submit(call())
    assert len(answer.contents) == answer.billed_images == 2
    assert len(server.seen) == 3
    assert "authorization" not in server.seen[1].headers


async def test_loopback_results_go_through_no_proxy(
    server: ScriptedServer, other: ScriptedServer, open_adapter: Open
) -> None:
    server.on(IMAGES.path, json_reply({"data": [{"url": f"{other.url}/b.png"}]}))
    other.on("/b.png", Reply(200, PNG))
    adapter = open_adapter(IMAGES.connection(server.url, proxy="http://127.0.0.1:9"))
    answer = await adapter.submit(call())
    assert len(answer.contents) == 1


async def test_a_proxy_that_refuses_the_tunnel_has_sent_nothing(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    server.on("provider.example:443", Reply(407))
    made = call()
    proxy = server.url.replace("http://", "http://me:pass-of-proxy@")
    connection = case.connection("https://provider.example", proxy=proxy)
    failure = await failing(open_adapter(connection), made)
    assert (failure.kind, failure.code, made.begun) == (F.OFFLINE, "proxy", False)
    (seen,) = server.seen
    assert seen.method == "CONNECT"
    assert "authorization" not in seen.headers  # the proxy's own login is another header
    assert KEY not in str(seen)
    assert "pass-of-proxy" not in repr(failure)


async def test_a_tunnel_that_stays_silent_has_sent_nothing(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    server.on("provider.example:443", Reply(hang=True))
    made = call()
    connection = case.connection("https://provider.example", proxy=server.url)
    failure = await failing(open_adapter(connection, connect_s=0.1), made)
    assert (failure.kind, failure.code, made.begun) == (F.OFFLINE, "proxy", False)


async def test_socks_is_spoken(case: Case, server: ScriptedServer, open_adapter: Open) -> None:
    asked: list[bytes] = []

    async def socks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readexactly(3) == b"\x05\x01\x00"
        writer.write(b"\x05\x00")
        head = await reader.readexactly(5)
        asked.append(await reader.readexactly(head[4] + 2))
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", server.port)
        await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))

    server.on(case.path, json_reply(case.good, headers={"connection": "close"}))
    async with await asyncio.start_server(socks, "127.0.0.1", 0) as proxy:
        url = f"socks5://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
        adapter = open_adapter(case.connection(HOST, proxy=url))
        assert (await adapter.submit(call())).contents[0].data == case.result
        await adapter.close()
    assert set(asked) == {b"provider.example\x00P"}  # the proxy looks the name up
    assert len(asked) == 1 or case.aside


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        sink.write(data)
        await sink.drain()
    sink.close()
    await sink.wait_closed()


async def test_a_broken_socks_proxy_has_sent_nothing(
    case: Case, open_adapter: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SOCKS library raises exceptions of its own, which no httpx class covers."""

    async def stumble(*_: object, **__: object) -> None:
        raise ProtocolError("Malformed reply")

    adapter = open_adapter(case.connection(HOST, proxy="socks5://127.0.0.1:9"))
    monkeypatch.setattr(httpx.AsyncClient, "send", stumble)
    made = call()
    failure = await failing(adapter, made)
    assert (failure.kind, failure.code, made.begun) == (F.OFFLINE, "proxy", False)


async def test_a_dead_proxy_is_named(case: Case, open_adapter: Open) -> None:
    connection = case.connection(HOST, proxy="http://u:secret-p@127.0.0.1:9")
    failure = await failing(open_adapter(connection))
    said = Translator().say(failure.said)
    assert "http://127.0.0.1:9" in said
    assert "secret-p" not in repr(failure) + said


async def test_an_unusable_proxy_pauses_the_account(case: Case, open_adapter: Open) -> None:
    failure = await failing(open_adapter(case.connection(HOST, proxy="gopher://x:1")))
    assert (failure.kind, failure.code, failure.sent) == (F.ACCOUNT, "bad_proxy", False)


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("api.localhost", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("[::1]", True),
        ("192.168.1.5", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_loopback_by_every_name(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_proxy_settings_in_every_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://api.example/v1"
    assert proxy_for(url, "system") is None
    assert proxy_for(url, "none") is None
    assert proxy_for(url, "10.0.0.1:7890") == "http://10.0.0.1:7890"
    assert proxy_for(url, "socks://10.0.0.1:1080") == "socks5://10.0.0.1:1080"
    monkeypatch.setenv("socks_proxy", "socks://10.0.0.2:1080")
    assert proxy_for(url, "system") == "socks5://10.0.0.2:1080"
    monkeypatch.setenv("https_proxy", "10.0.0.3:3128")
    assert proxy_for(url, "system") == "http://10.0.0.3:3128"
    assert proxy_label("http://u:p@h:1") == "http://h:1"
    assert proxy_label(None) is None
