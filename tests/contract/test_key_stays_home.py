"""The key goes to the connection's own host and nowhere else: no log, no text, no other server."""

from __future__ import annotations

import base64
import logging
import ssl
import traceback
from pathlib import Path

import pytest
import trustme

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.providers.http.quiet import LOGGERS
from tests.contract.cases import IMAGES, KEY, PNG, Case, FakeClock, call, failing
from tests.contract.conftest import Open
from tests.contract.server import Reply, ScriptedServer, json_reply

ODD_KEY = "practice/key+with=odd&signs"


async def test_a_redirect_is_not_followed(
    case: Case, server: ScriptedServer, other: ScriptedServer, open_adapter: Open
) -> None:
    for status in (301, 302, 303, 307, 308):
        server.on(case.path, Reply(status, headers={"location": f"{other.url}{case.path}"}))
        failure = await failing(open_adapter(case.connection(server.url)))
        assert (failure.kind, failure.http_status) == (F.ACCOUNT, status)
    server.on(case.list_path, Reply(302, headers={"location": f"{other.url}{case.list_path}"}))
    report = await open_adapter(case.connection(server.url)).test()
    assert not report.ok
    assert other.seen == []


@pytest.mark.parametrize(
    "place",
    [
        "{own}/elsewhere",
        "/elsewhere",
        "{other}/v1/x",
        "http://localhost:{port}/v1/x",
        "https://127.0.0.1:{port}/v1/x",
        "//127.0.0.1:{port}/v1/x",
        "file:///etc/passwd",
    ],
    ids=["same host", "path", "other port", "other name", "other scheme", "no scheme", "file"],
)
async def test_a_redirect_leads_the_key_nowhere_not_even_on_its_own_host(
    case: Case, server: ScriptedServer, other: ScriptedServer, open_adapter: Open, place: str
) -> None:
    to = place.format(own=server.url, other=other.url, port=other.port)
    server.on(case.path, Reply(307, headers={"location": to}))
    made = call()
    failure = await failing(open_adapter(case.connection(server.url)), made)
    # Nobody knows whether it was billed on the way: the account waits, and nothing is resent.
    assert (failure.kind, failure.said.code) == (F.ACCOUNT, "providers.moved")
    assert [seen.target for seen in server.seen] == [case.path]
    assert other.seen == []


async def test_an_encrypted_connection_is_not_led_back_to_clear_text(
    case: Case,
    other: ScriptedServer,
    open_adapter: Open,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    company = trustme.CA()
    company.cert_pem.write_to_path(tmp_path / "company.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "company.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    company.issue_cert("127.0.0.1").configure_cert(context)
    secure = ScriptedServer(context)
    await secure.start()
    try:
        secure.on(case.path, Reply(308, headers={"location": f"{other.url}{case.path}"}))
        failure = await failing(open_adapter(case.connection(secure.url)))
    finally:
        await secure.close()
    assert (failure.kind, failure.said.code) == (F.ACCOUNT, "providers.moved")
    assert other.seen == []


async def test_a_result_host_gets_no_key_even_through_redirects(
    server: ScriptedServer, other: ScriptedServer, open_adapter: Open
) -> None:
    signed = f"{other.url}/a.png?sig=a%2Bb%3D&x=%E4%BD%A0"
    server.on(IMAGES.path, json_reply({"data": [{"url": signed}]}))
    other.on("/a.png", Reply(302, headers={"location": "/b.png?again=%2F"}))
    other.on("/b.png", Reply(200, PNG, {"content-type": "image/png"}))
    answer = await open_adapter(IMAGES.connection(server.url)).submit(call())
    assert answer.contents[0].data == PNG
    assert [seen.target for seen in other.seen] == [
        "/a.png?sig=a%2Bb%3D&x=%E4%BD%A0",
        "/b.png?again=%2F",
    ]
    for seen in other.seen:
        assert "authorization" not in seen.headers
        assert KEY not in str(seen)


async def test_a_result_on_the_own_host_is_fetched_without_the_key(
    server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(IMAGES.path, json_reply({"data": [{"url": f"{server.url}/own.png"}]}))
    server.on("/own.png", Reply(200, PNG))
    await open_adapter(IMAGES.connection(server.url)).submit(call())
    assert "authorization" not in server.seen[1].headers


async def test_s20_the_key_is_nowhere(
    case: Case,
    server: ScriptedServer,
    open_adapter: Open,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in LOGGERS:
        caplog.set_level(logging.DEBUG, logger=name)
    echo = {"error": {"message": f"Bad key {ODD_KEY}, Bearer {ODD_KEY}", "code": ODD_KEY}}
    server.on(
        case.path,
        json_reply(case.good),
        json_reply(echo, 401),
        json_reply(echo, 400),
        json_reply(echo),
        Reply(500, ODD_KEY.encode()),
        Reply(drop=True),
        json_reply(case.good, cut=3),
    )
    server.on(case.list_path, json_reply(echo, 401))
    adapter = open_adapter(case.connection(server.url), ODD_KEY)
    await adapter.submit(call())
    texts = [repr(adapter), repr(vars(adapter))]
    for _ in range(6):
        with pytest.raises(ProviderFailure) as caught:
            await adapter.submit(call())
        texts.append(repr(caught.value.failure))
        texts.append("".join(traceback.format_exception(caught.value)))
    texts.append(repr(await adapter.test()))
    assert all(case.key_in(seen.headers) == ODD_KEY for seen in server.seen)
    assert ODD_KEY not in caplog.text
    assert not [record for record in caplog.records if record.name in LOGGERS]
    for text in texts:
        assert ODD_KEY not in text
        assert "odd&signs" not in text


async def test_a_key_that_a_vendor_echoes_shortened_is_taken_out(
    case: Case, adapter: object, server: ScriptedServer, open_adapter: Open
) -> None:
    said = "Incorrect API key provided: sk-contr*************6789. You can find it at x."
    server.on(case.path, json_reply({"error": {"message": said, "code": "invalid_api_key"}}, 401))
    failure = await failing(open_adapter(case.connection(server.url)))
    assert (failure.kind, failure.code) == (F.ACCOUNT, "invalid_api_key")
    assert "6789" not in failure.body


@pytest.mark.parametrize("key", [None, "", "  "])
async def test_s15_no_key_means_no_call_where_one_is_needed(
    case: Case, server: ScriptedServer, open_adapter: Open, key: str | None
) -> None:
    if case.home is None:
        pytest.skip("no call of it needs a key")
    made = call()
    connection = case.connection(case.home)
    failure = await failing(open_adapter(connection, key), made)
    assert (failure.kind, failure.code, failure.sent) == (F.ACCOUNT, "no_key", False)
    assert not made.begun
    report = await open_adapter(connection, key).test()
    assert [said.code for said in report.said] == ["providers.no_key"]


@pytest.mark.parametrize("key", [None, "", "  "])
async def test_s15_an_empty_key_is_never_sent(
    case: Case, server: ScriptedServer, open_adapter: Open, key: str | None
) -> None:
    server.on(case.path, json_reply(case.good))
    preset = case.fields.get("preset", "openai-chat")
    await open_adapter(case.connection(server.url, preset=preset), key).submit(call())
    assert case.key_in(server.seen[0].headers) is None


async def test_s15_a_key_of_3000_characters_works(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(case.path, json_reply(case.good))
    await open_adapter(case.connection(server.url), "k" * 3000 + "\n").submit(call())
    assert case.key_in(server.seen[0].headers) == "k" * 3000


@pytest.mark.parametrize("key", ["schlüssel", "two words", "a\nb", "密钥"])
async def test_s15_a_key_that_can_not_be_one_is_refused_clearly(
    case: Case, server: ScriptedServer, open_adapter: Open, key: str
) -> None:
    failure = await failing(open_adapter(case.connection(server.url), key))
    assert (failure.kind, failure.code) == (F.ACCOUNT, "bad_key")
    assert key not in repr(failure)
    assert server.seen == []


async def test_user_and_password_in_the_address_are_not_sent(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(case.path, json_reply(case.good))
    base = server.url.replace("http://", "http://user:pass@")
    await open_adapter(case.connection(base)).submit(call())
    assert case.key_in(server.seen[0].headers) == KEY


# --- downloads --------------------------------------------------------------------------------


async def test_only_the_download_is_repeated(
    server: ScriptedServer, other: ScriptedServer, open_adapter: Open, clock: FakeClock
) -> None:
    server.on(IMAGES.path, json_reply({"data": [{"url": f"{other.url}/a.png"}]}))
    other.on("/a.png", Reply(404), Reply(drop=True), Reply(200, PNG, cut=9), Reply(200, PNG))
    answer = await open_adapter(IMAGES.connection(server.url)).submit(call())
    assert answer.contents[0].data == PNG
    assert len(server.seen) == 1
    assert len(other.seen) == 4
    assert clock.slept == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("reply", "tries", "code"),
    [
        (Reply(403, b"expired"), 1, "expired"),
        (Reply(500), 4, "download_failed"),
        (Reply(200, b""), 4, "download_failed"),
        (Reply(302, headers={"location": "/a.png"}), 1, "download_failed"),
        (Reply(302, headers={"location": "file:///etc/passwd"}), 1, "download_failed"),
        (Reply(200, b"x" * 2000), 1, "too_large"),
    ],
    ids=["403", "500", "empty", "loop", "file", "large"],
)
async def test_a_picture_that_can_not_be_fetched_was_billed(
    server: ScriptedServer,
    other: ScriptedServer,
    open_adapter: Open,
    reply: Reply,
    tries: int,
    code: str,
) -> None:
    url = f"{other.url}/a.png"
    server.on(IMAGES.path, json_reply({"data": [{"url": url}]}))
    other.on("/a.png", reply)
    failure = await failing(open_adapter(IMAGES.connection(server.url), picture_bytes=1000))
    assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, code, True)
    assert url in failure.body  # a person may still fetch it
    assert len(server.seen) == 1
    assert len(other.seen) in (tries, 5)  # five hops of the loop


async def test_a_data_url_is_a_picture_in_hand(server: ScriptedServer, open_adapter: Open) -> None:
    data = "data:image/png;base64," + base64.b64encode(PNG).decode()
    server.on(IMAGES.path, json_reply({"data": [{"url": data}]}))
    answer = await open_adapter(IMAGES.connection(server.url)).submit(call())
    assert (answer.contents[0].data, answer.contents[0].mime) == (PNG, "image/png")
