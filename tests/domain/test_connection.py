"""Half of an address is no trouble: it is one that leads nowhere."""

from __future__ import annotations

import pytest

from desktop_app.domain.connection import Connection, parts_of


@pytest.mark.parametrize("address", ["http://[", "https://[::1", "https://a]b/v1", "", "http://"])
def test_what_is_no_address_has_no_host(address: str) -> None:
    made = Connection("c", "openai-chat", address, "m")
    assert (made.host, made.is_loopback, parts_of(address).hostname) == ("", False, None)


@pytest.mark.parametrize(
    ("address", "host", "own"),
    [
        ("https://Api.Example.com:444/v1", "api.example.com:444", False),
        ("http://[::1]:8080/v1", "[::1]:8080", True),
        ("https://me:secret@h/v1", "h", False),
        (" http://10.0.0.2/v1 ", "10.0.0.2", True),
    ],
)
def test_the_host_is_what_a_key_may_be_sent_to(address: str, host: str, own: bool) -> None:
    made = Connection("c", "openai-chat", address, "m")
    assert (made.host, made.is_own_server) == (host, own)
