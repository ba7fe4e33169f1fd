"""What a file can say of calls: their signature, the time that is signed, and who knows the
secret."""

from __future__ import annotations

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
