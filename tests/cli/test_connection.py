"""A key goes through the network in clear text only where a person has said so."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Verbs

ADD = ("connection", "add", "shop", "--adapter", "openai-images", "--model", "m")


@pytest.mark.parametrize("url", ["http://api.example/v1", "HTTP://10.0.0.7:8000/v1"])
def test_an_address_without_encryption_has_to_be_agreed_to(verbs: Verbs, url: str) -> None:
    said = verbs.refused(*ADD, "--base-url", url)
    assert "without encryption" in said
    assert "--allow-http" in said
    assert verbs.run("--json", "connection", "list").json == []
    assert verbs.run(*ADD, "--base-url", url, "--allow-http").code == 0


def test_a_change_of_address_has_to_be_agreed_to_as_well(verbs: Verbs) -> None:
    assert verbs.run(*ADD, "--base-url", "https://api.example/v1").code == 0
    assert "--allow-http" in verbs.refused(*ADD, "--base-url", "http://api.example/v1")
    shown = verbs.run("--json", "connection", "show", "shop").json
    assert shown["base_url"] == "https://api.example/v1"


@pytest.mark.parametrize("host", ["127.0.0.1:8188", "localhost:11434", "[::1]:80"])
def test_this_computer_needs_no_encryption(verbs: Verbs, host: str) -> None:
    assert verbs.run(*ADD, "--base-url", f"http://{host}/v1").code == 0
