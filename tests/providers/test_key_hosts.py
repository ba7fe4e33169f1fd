"""To which addresses a call may carry the key."""

from __future__ import annotations

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.providers.http.key_hosts import is_host_pattern, may_have_key, names

BFL = Connection("c", "http-job", "https://api.bfl.ai/v1", "m")
NAMED = ("*.bfl.ai", "jobs.example.com:8443")


@pytest.mark.parametrize(
    "url",
    [
        "https://api.bfl.ai/v1/x",
        "https://API.bfl.ai/v1/x",
        "https://api.bfl.ai:443/v1/x",
        "https://api.us1.bfl.ai/v1/get_result?id=1",
        "https://api.eu.bfl.ai:443#x",
        "https://jobs.example.com:8443/a",
    ],
)
def test_own_and_named_hosts_may(url: str) -> None:
    assert may_have_key(url, BFL, NAMED)


@pytest.mark.parametrize(
    "url",
    [
        "http://api.bfl.ai/v1/x",
        "http://api.us1.bfl.ai/v1/x",
        "https://bfl.ai/v1/x",
        "https://evilbfl.ai/v1",
        "https://bfl.ai.evil.example/v1",
        "https://api.us1.bfl.ai:8443/v1",
        "https://jobs.example.com/a",
        "https://a.jobs.example.com:8443/a",
        "https://api.us1.bfl.ai@evil.example/",
        "https://user:pass@api.us1.bfl.ai/",
        "https://evil.example\\@api.us1.bfl.ai/",
        "https://evil.example\\.bfl.ai/",
        "https://evil.example/.bfl.ai",
        "https://evil.example?.bfl.ai",
        "https://evil.example#.bfl.ai",
        "https://evil.example%2f.bfl.ai/",
        "https://evil.example\t.bfl.ai/",
        "https://api.us1.bfl。ai/",
        "https://аpi.us1.bfl.ai/",
        "https:/api.us1.bfl.ai/",
        "//api.us1.bfl.ai/",
        "api.us1.bfl.ai",
        "ftp://api.us1.bfl.ai/",
        "https://[::1/",
        "https://api.us1.bfl.ai:99999999/",
        "",
    ],
)
def test_no_other_address_may_however_it_is_dressed(url: str) -> None:
    assert not may_have_key(url, BFL, NAMED)


def test_without_a_name_only_the_own_host_may() -> None:
    assert may_have_key("https://api.bfl.ai/x", BFL)
    assert not may_have_key("https://api.us1.bfl.ai/x", BFL)


def test_a_server_on_this_machine_may_be_named_without_encryption_and_with_its_port_only() -> None:
    local = Connection("c", "http-job", "http://127.0.0.1:4001/v1", "m")
    assert may_have_key("http://127.0.0.1:4001/x", local)
    assert not may_have_key("http://127.0.0.1:4002/x", local)
    assert may_have_key("http://127.0.0.1:4002/x", local, ("127.0.0.1:4002",))
    assert not may_have_key("http://localhost:4002/x", local, ("127.0.0.1:4002",))
    assert may_have_key("http://[::1]:4002/x", local, ("[::1]:4002",))
    assert not may_have_key("http://10.0.0.7:4002/x", local, ("10.0.0.7:4002",))


def test_what_can_be_named() -> None:
    for good in ("a.example", "*.a.example", "localhost:80", "127.0.0.1:1", "[::1]:9"):
        assert is_host_pattern(good), good
    for bad in (
        "",
        "*",
        "*.com",
        "a.*.example",
        "https://a.example",
        "a.example/x",
        "u@a.b",
        "例.a",
    ):
        assert not is_host_pattern(bad), bad


def test_a_host_is_named_by_its_pattern() -> None:
    assert names("api.us1.bfl.ai", "*.bfl.ai")
    assert names("API.bfl.ai:443", "api.bfl.ai")
    assert not names("bfl.ai.example", "*.bfl.ai")
