"""What a file can say of calls: their signature, the time that is signed, and who knows the
secret."""

from __future__ import annotations

import pytest

from desktop_app.domain.ports import CallbackRule
from desktop_app.domain.text import Translator
from desktop_app.providers.job_file.reading import Loaded, load

BASE = """
[provider]
name = "Gateway"
base_url = "https://gateway.example/v1"
models = ["m"]

[submit]
path = "/jobs"
job_id = "id"
body = { prompt = "{prompt}" }

[poll]
path = "/jobs/{id}"
status = "status"
states = { ok = "done" }

[result]
urls = "output"
"""


def read(callback: str) -> Loaded:
    return load("gateway.toml", (BASE + callback).encode())


def mistakes(callback: str) -> list[str]:
    return [Translator().say(one) for one in read(callback).wrong]


def test_a_gateway_that_signs_the_time_with_a_secret_that_a_person_enters() -> None:
    found = read(
        """
[callback]
signature = "hmac-sha256"
header = "X-Gateway-Signature"
prefix = "v0="
encoding = "base64"
time_header = "X-Gateway-Time"
tolerance_s = 60
job_id = "job.id"
secret_entered = true

[callback.body]
notify = "{callback_url}"
"""
    )
    assert found.wrong == ()
    assert found.job is not None
    assert found.job.callback is not None
    assert found.job.callback.rule == CallbackRule(
        "hmac-sha256", "X-Gateway-Signature", "v0=", "base64", 60.0, "X-Gateway-Time"
    )
    assert found.job.capabilities.calls_back
    assert found.job.capabilities.callback_secret_entered


def test_without_calls_nobody_enters_a_secret() -> None:
    found = read("")
    assert found.job is not None
    assert not found.job.capabilities.calls_back
    assert not found.job.capabilities.callback_secret_entered


def test_a_signature_without_a_secret_is_told() -> None:
    signed = '[callback]\nsignature = "svix"\n[callback.body]\nhook = "{callback_url}"\n'
    assert mistakes(signed) == [
        "gateway.toml, line 20: the signature svix needs {callback_secret} / callback.secret_from."
    ]
    known = signed.replace('"svix"\n', '"svix"\nsecret_entered = true\n')
    assert mistakes(known) == []


def test_a_secret_has_no_place_in_the_file() -> None:
    self_made = "hunter2"
    (said,) = mistakes(
        f'[callback]\nsecret = "{self_made}"\n[callback.body]\nhook = "{{callback_url}}"\n'
    )
    assert said.startswith("gateway.toml, line 20: callback.secret is not known here.")
    assert self_made not in said


PUBLIC = """[callback]
signature = "ed25519-jwks"
keys_url = "https://keys.example/jwks.json"
header = "X-Sign"
time_header = "X-Time"
signs = ["X-Id", "X-Time"]
[callback.body]
hook = "{callback_url}"
"""


def test_a_vendor_that_publishes_its_keys() -> None:
    found = read(PUBLIC)
    assert found.wrong == ()
    assert found.job is not None
    assert found.job.callback is not None
    assert found.job.callback.keys_url == "https://keys.example/jwks.json"
    assert found.job.callback.rule == CallbackRule(
        "ed25519-jwks", "X-Sign", time_header="X-Time", signs=("X-Id", "X-Time")
    )
    assert found.job.capabilities.calls_back
    assert not found.job.capabilities.callback_secret_entered
    assert mistakes(PUBLIC.replace("https://keys.example", "http://127.0.0.1:8000")) == []


@pytest.mark.parametrize("key", ["keys_url", "header", "time_header", "signs"])
def test_each_part_of_a_public_signature_is_needed(key: str) -> None:
    lines = [line for line in PUBLIC.splitlines(True) if not line.startswith(f"{key} = ")]
    assert mistakes("".join(lines)) == [
        f"gateway.toml, line 20: the signature ed25519-jwks needs callback.{key}."
    ]


@pytest.mark.parametrize(
    "url",
    [
        "http://keys.example/jwks.json",
        "https://",
        "/jwks.json",
        "https://{model}.example/",
        "https://me:secret@keys.example/",
        "https://keys.example:port/",
        "file:///etc/passwd",
    ],
)
def test_keys_come_from_a_whole_safe_address(url: str) -> None:
    (said,) = mistakes(PUBLIC.replace("https://keys.example/jwks.json", url))
    assert said == (
        f'gateway.toml, line 21: callback.keys_url: "{url}" is no address that can be called. '
        "It must begin with https://."
    )


def test_the_time_must_be_among_what_is_signed() -> None:
    assert mistakes(PUBLIC.replace('"X-Id", "X-Time"', '"X-Id"')) == [
        "gateway.toml, line 24: callback.signs must list X-Time: a time that is not signed proves "
        "nothing."
    ]


@pytest.mark.parametrize(
    ("line", "key"), [("secret_entered = true", "secret_entered"), ('keys = ["a"]', "keys")]
)
def test_a_public_signature_has_no_secret(line: str, key: str) -> None:
    (said,) = mistakes(PUBLIC.replace("[callback.body]", f"{line}\n[callback.body]"))
    assert said.startswith(f"gateway.toml, line 25: callback.{key} is not known here.")


def test_keys_are_for_a_public_signature_alone() -> None:
    said = mistakes(PUBLIC.replace("ed25519-jwks", "svix"))
    assert [one.partition(" is not known")[0] for one in said[1:]] == [
        "gateway.toml, line 21: callback.keys_url",
        "gateway.toml, line 24: callback.signs",
    ]
