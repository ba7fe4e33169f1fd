"""A key goes through the network in clear text only where a person has said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.settings.secrets import KeyringSecrets
from tests.cli.conftest import Verbs

ADD = ("connection", "add", "shop", "--adapter", "openai-images", "--model", "m")


@pytest.mark.parametrize("url", ["http://api.example/v1", "HTTP://10.0.0.7:8000/v1"])
def test_an_address_without_encryption_has_to_be_agreed_to(verbs: Verbs, url: str) -> None:
    said = verbs.refused(*ADD, "--base-url", url)
    assert "without encryption" in said
    assert "--allow-http" in said
    assert verbs.run("--json", "connection", "list").json == []
    assert verbs.run(*ADD, "--base-url", url, "--allow-http").code == 0


def test_a_connection_that_is_replaced_is_told(verbs: Verbs) -> None:
    add = (*ADD, "--base-url", "https://api.example/v1")
    assert "nor any other" in verbs.refused("connection", "show", "shop")
    assert "already" not in verbs.run(*add, "--price", "0.04").err
    again = verbs.run(*add)  # also of a price that is not named again
    assert "shop was there already; it is now as shown.\n" in again.err
    assert verbs.run("--json", "connection", "show", "shop").json["price"] is None
    assert "Known ones: shop." in verbs.refused("connection", "show", "other")


def test_a_change_of_address_has_to_be_agreed_to_as_well(verbs: Verbs) -> None:
    assert verbs.run(*ADD, "--base-url", "https://api.example/v1").code == 0
    assert "--allow-http" in verbs.refused(*ADD, "--base-url", "http://api.example/v1")
    shown = verbs.run("--json", "connection", "show", "shop").json
    assert shown["base_url"] == "https://api.example/v1"


@pytest.mark.parametrize("host", ["127.0.0.1:8188", "localhost:11434", "[::1]:80"])
def test_this_computer_needs_no_encryption(verbs: Verbs, host: str) -> None:
    assert verbs.run(*ADD, "--base-url", f"http://{host}/v1").code == 0


# --- providers that a file describes ------------------------------------------------------------

SHOP = """\
[provider]
name = "Shop"
base_url = "https://api.shop.example/v2"
models = ["m-1"]
concurrency = 7

[submit]
path = "/jobs"
body = { prompt = "{prompt}" }

[result]
urls = "images"
"""


def test_a_shipped_file_is_a_preset_like_any_other(verbs: Verbs) -> None:
    done = verbs.run("--json", "connection", "add", "shop", "--preset", "replicate").json
    assert (done["adapter"], done["base_url"]) == ("http-job", "https://api.replicate.com/v1")
    assert done["concurrency"] == 10


def test_an_own_file_is_taken_in_and_used(verbs: Verbs, tmp_path: Path) -> None:
    file = tmp_path / "my-shop.toml"
    file.write_text(SHOP, "utf-8")
    done = verbs.run("--json", "connection", "add", "shop", "--job-file", file).json
    assert (done["adapter"], done["model"], done["concurrency"]) == ("http-job", "m-1", 7)
    kept = verbs.data / "providers" / "my-shop.toml"
    assert kept.read_text("utf-8") == SHOP
    file.unlink()
    again = verbs.run("--json", "connection", "add", "two", "--preset", "my-shop").json
    assert again["base_url"] == "https://api.shop.example/v2"


def test_every_mistake_in_a_file_is_told_and_nothing_is_taken_in(
    verbs: Verbs, tmp_path: Path
) -> None:
    file = tmp_path / "my-shop.toml"
    file.write_text(SHOP.replace("[result]", "[results]").replace("{prompt}", "{promt}"), "utf-8")
    done = verbs.run("--json", "connection", "add", "shop", "--job-file", file)
    assert done.code == 2
    told = done.json["mistakes"]
    assert [said.partition(": ")[0] for said in told] == [
        "my-shop.toml, line 1",
        "my-shop.toml, line 9",
        "my-shop.toml, line 11",
    ]
    assert all(said in done.err for said in told)
    assert not (verbs.data / "providers").exists()
    assert verbs.run("--json", "connection", "list").json == []


def test_the_test_of_a_connection_tells_what_became_wrong_in_its_file(
    verbs: Verbs, tmp_path: Path
) -> None:
    file = tmp_path / "my-shop.toml"
    file.write_text(SHOP, "utf-8")
    assert verbs.run("connection", "add", "shop", "--job-file", file).code == 0
    kept = verbs.data / "providers" / "my-shop.toml"
    kept.write_text(SHOP.replace('urls = "images"', 'urls = "images["'), "utf-8")
    done = verbs.run("connection", "test", "shop")
    assert done.code == 4
    assert "my-shop.toml, line 12: result.urls is no JMESPath expression" in done.out
    kept.unlink()
    assert (
        "my-shop.toml of this connection is not there"
        in verbs.run("connection", "test", "shop").out
    )


def test_a_broken_file_in_the_folder_stops_nothing(verbs: Verbs) -> None:
    folder = verbs.data / "providers"
    folder.mkdir(parents=True)
    (folder / "broken.toml").write_text("[provider\n", "utf-8")
    assert verbs.run("connection", "list").code == 0
    base = ("--base-url", "https://x.example", "--model", "m")
    assert verbs.run("connection", "add", "shop", "--preset", "broken", *base).code == 0
    done = verbs.run("connection", "test", "shop")
    assert "broken.toml, line 1: this can't be read as TOML" in done.out


def test_a_provider_may_be_let_call(verbs: Verbs) -> None:
    add = ("--json", "connection", "add", "shop", "--preset", "replicate")
    assert verbs.run(*add).json["callbacks"] is False
    assert verbs.run(*add, "--callbacks").json["callbacks"] is True
    assert verbs.run("--json", "connection", "show", "shop").json["callbacks"] is True


def test_with_what_it_signs_is_kept_apart_from_the_key(
    verbs: Verbs, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, str] = {}

    async def keep(self: KeyringSecrets, connection: str, secret: str) -> bool:
        kept[connection] = secret
        return True

    monkeypatch.setattr(KeyringSecrets, "set", keep)
    verbs.run("connection", "add", "shop", "--preset", "replicate", "--callbacks")
    assert verbs.run("connection", "set-key", "shop", "--callback", stdin="s3cret\n").code == 0
    assert verbs.run("connection", "set-key", "shop", stdin="sk-1\n").code == 0
    assert kept == {"callbacks: shop": "s3cret", "shop": "sk-1"}


@pytest.mark.parametrize("url", ["http://[", "https://[::1", "https://h:99999/v1"])
def test_half_an_address_is_named(verbs: Verbs, url: str) -> None:
    assert f"{url} is not a web address" in verbs.refused(*ADD, "--base-url", url)
