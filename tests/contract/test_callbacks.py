"""Every provider that calls: its address goes into the submit alone, what it calls about is known
however often it calls, and no body of a stranger's is more than doubtful."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.jobs import Job
from desktop_app.domain.ports import CallbackAdapter, JobAdapter
from desktop_app.domain.task import Request
from tests.contract.cases import KEY, call
from tests.contract.server import ScriptedServer, json_reply
from tests.helpers.vendor_bodies import VENDORS
from tests.providers.job_file.desk import registry

URL = "https://hooks.example/callbacks/7-mark-word"
SIGNS = "with-what-calls-are-signed"
DOUBTFUL: tuple[Any, ...] = (
    None, True, 7, "j1", [], [1], {}, {"id": None}, {"id": {}}, {"request_id": ["j1"]},
    {"status": "COMPLETED"}, {"id": ""}, {"x" * 1000: "你好"}, [[[[]]]],
)  # fmt: skip

CALLING = [
    preset.id
    for preset in registry().presets()
    if preset.adapter == "http-job"
    and registry()
    .capabilities("http-job", Connection("", "http-job", "", "", preset=preset.id))
    .calls_back
]


@pytest.fixture(params=CALLING)
def vendor(request: pytest.FixtureRequest) -> str:
    """Each in turn."""
    return str(request.param)


def opened(vendor: str, base_url: str) -> JobAdapter:
    connection = Connection("c", "http-job", base_url, VENDORS[vendor].model, preset=vendor)
    return cast("JobAdapter", registry().open(connection, KEY))


def test_three_of_those_that_ship_call() -> None:
    assert CALLING == ["bfl", "fal", "replicate"]


async def test_the_address_goes_into_the_submit_and_nowhere_else(vendor: str) -> None:
    server = ScriptedServer()
    await server.start()
    server.on(VENDORS[vendor].submit, json_reply(VENDORS[vendor].taken(server.url, "j1")))
    adapter = opened(vendor, server.url + VENDORS[vendor].root)
    try:
        made = call("a cat")
        made.callback_url, made.callback_secret = URL, SIGNS
        job = await adapter.submit(made)
        assert isinstance(job, Job)
        assert job.calls_back
        (seen,) = server.seen
        sent = seen.target.replace("%3A", ":").replace("%2F", "/") + seen.body.decode()
        assert sent.count(URL) == 1
        assert URL not in json.dumps(dict(job.context))
        assert SIGNS not in repr(job) + repr(made.request) + seen.target
        preview = json.dumps(adapter.body_preview(Request("a cat")))
        assert "hooks.example" not in preview
    finally:
        await adapter.close()
        await server.close()


async def test_the_same_call_ten_times_is_about_one_job(vendor: str) -> None:
    adapter = opened(vendor, "http://127.0.0.1:9/v1")
    assert isinstance(adapter, CallbackAdapter)
    body = {"id": "j1", "request_id": "j1", "status": "OK"}
    assert {adapter.job_called(body) for _ in range(10)} == {"j1"}
    await adapter.close()


@pytest.mark.parametrize("body", DOUBTFUL, ids=lambda body: json.dumps(body)[:20])
async def test_a_doubtful_body_is_about_no_job(vendor: str, body: Any) -> None:
    adapter = opened(vendor, "http://127.0.0.1:9/v1")
    assert isinstance(adapter, CallbackAdapter)
    assert adapter.job_called(body) is None
    await adapter.close()
