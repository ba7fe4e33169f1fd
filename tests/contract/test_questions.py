"""A question that goes wrong costs nothing, and is never told as if it had been a purchase."""

from __future__ import annotations

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.text import Translator
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.transport import HttpLimits
from desktop_app.providers.manner import Manner
from desktop_app.providers.vendor_line import VendorLine
from tests.contract.cases import IMAGES, KEY, FakeClock
from tests.contract.server import Reply, ScriptedServer, json_reply


@pytest.fixture
def line(server: ScriptedServer, clock: FakeClock) -> VendorLine:
    return line_to(server.url, clock)


def line_to(base: str, clock: FakeClock, *key_hosts: str) -> VendorLine:
    connection = IMAGES.connection(base)
    http = HttpClient(connection, KEY, clock, HttpLimits(answer_bytes=1000))
    return VendorLine(connection, KEY, http, Manner(key_hosts=key_hosts))


@pytest.mark.parametrize(
    ("reply", "kind", "code"),
    [
        (json_reply({"a": "b" * 50}, cut=20), F.TRANSIENT, "cut_body"),
        (Reply(200, b"<html>"), F.TRANSIENT, "unreadable"),
        (Reply(200, b""), F.TRANSIENT, "unreadable"),
        (json_reply({"a": "b" * 5000}), F.TRANSIENT, "too_large"),
        (Reply(drop=True), F.TRANSIENT, "dropped"),
        (Reply(hang=True), F.TRANSIENT, "read_timeout"),
        (Reply(504), F.TRANSIENT, "http_504"),
        (Reply(408), F.TRANSIENT, "http_408"),
        (Reply(520), F.TRANSIENT, "http_520"),
        (Reply(500), F.TRANSIENT, "http_500"),
        (Reply(404), F.INVALID, "http_404"),
        (Reply(429, headers={"retry-after": "7"}), F.THROTTLED, "http_429"),
        (Reply(401), F.ACCOUNT, "http_401"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_no_failure_of_a_question_speaks_of_money(
    line: VendorLine, server: ScriptedServer, reply: Reply, kind: F, code: str
) -> None:
    server.on("/q", reply)
    with pytest.raises(ProviderFailure) as caught:
        await line.questions.ask("GET", f"{server.url}/q", timeout_s=0.5)
    failure = caught.value.failure
    assert (failure.kind, failure.code, failure.billed) == (kind, code, False)
    assert "billed" not in Translator().say(failure.said)
    await line.close()


async def test_a_question_goes_to_a_named_host_with_the_key_and_to_no_other(
    server: ScriptedServer, other: ScriptedServer, clock: FakeClock
) -> None:
    other.on("/q", json_reply({"status": "ok"}))
    line = line_to(server.url, clock, f"127.0.0.1:{other.port}")
    assert (await line.questions.ask("GET", f"{other.url}/q"))[0] == {"status": "ok"}
    assert other.seen[0].headers["authorization"] == f"Bearer {KEY}"
    await line.close()
    plain = line_to(server.url, clock)
    with pytest.raises(ValueError, match="own host"):
        await plain.questions.ask("GET", f"{other.url}/q")
    assert len(other.seen) == 1
    await plain.close()


async def test_a_named_host_that_points_elsewhere_is_not_followed(
    server: ScriptedServer, other: ScriptedServer, clock: FakeClock
) -> None:
    server.on("/q", Reply(302, headers={"location": f"{other.url}/q"}))
    line = line_to(server.url, clock, f"127.0.0.1:{other.port}")
    with pytest.raises(ProviderFailure):
        await line.questions.ask("GET", f"{server.url}/q")
    assert other.seen == []
    await line.close()
