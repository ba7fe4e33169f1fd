"""Every provider of jobs that a file describes: a question about a job that goes wrong says nothing
of the job, costs nothing, and takes the key nowhere."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.jobs import Job, JobDone, JobLost, JobRunning
from desktop_app.domain.ports import CallbackAdapter, JobAdapter
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from desktop_app.providers.http.transport import HttpLimits
from desktop_app.providers.questions import Questions
from desktop_app.providers.registry import AdapterRegistry
from tests.contract.cases import (
    BFL,
    DATA_URL,
    FAL,
    JOB_FILES,
    KEY,
    REPLICATE,
    WAN,
    Case,
    FakeClock,
    call,
)
from tests.contract.conftest import shipped_files
from tests.contract.server import Reply, ScriptedServer, json_reply

JOBS = (REPLICATE, FAL, BFL, WAN)
IDS = {"replicate": "p1", "fal": "r1", "bfl": "b1", "dashscope-wan": "t1"}


@pytest.fixture(params=JOBS, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Any:
    """Each in turn."""
    return request.param


@pytest.fixture
def adapter(case: Case, server: ScriptedServer, clock: FakeClock) -> JobAdapter:
    """Without anybody who follows its jobs."""
    registry = AdapterRegistry(clock, HttpLimits(answer_bytes=10_000), shipped_files())
    return cast("JobAdapter", registry.open(case.connection(server.url), KEY))


def job_of(case: Case) -> Job:
    return Job(IDS[case.name])


def poll_path(case: Case) -> str:
    return next(iter(case.aside))


# What stands before a provider has pages of its own for what it does not find.
NOBODYS = [
    Reply(404),
    Reply(410),
    Reply(404, b"<html><head><title>404 Not Found</title></head><center>nginx</center></html>"),
    Reply(404, b"404 page not found\n"),
    Reply(404, b"default backend - 404", {"content-type": "application/json"}),
    Reply(404, b'"not found"'),
    Reply(410, b"<Error><Code>NoSuchKey</Code></Error>"),
    json_reply({}, 404),
    json_reply([], 404),
    json_reply({"detail": "Not found"}, 404, cut=5),
]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(500, b"oops"),
        Reply(502, b"<html><title>502 Bad Gateway</title>"),
        Reply(503, headers={"retry-after": "3"}),
        Reply(504),
        Reply(408),
        Reply(520),
        Reply(529),
        Reply(429),
        Reply(401),
        Reply(403),
        Reply(422, b'{"detail": "no"}'),
        *NOBODYS,
        Reply(200),
        Reply(200, b"<html>Sign in</html>"),
        Reply(200, b"[]"),
        Reply(200, b"{}"),
        Reply(200, b'"done"'),
        json_reply({"status": "made up", "output": {"task_status": "made up"}}),
        json_reply({"error": {"message": "it broke"}}),
        json_reply({"code": "Throttling", "message": "slow down"}),
        json_reply({"status": "x" * 20_000}),
        json_reply({"status": "x" * 100}, cut=20),
        Reply(drop=True),
    ],
    ids=lambda reply: f"{reply.status}-{reply.body[:12]!r}-{reply.cut}-{reply.drop}",
)
async def test_a_poll_that_failed_is_no_word_about_the_job(
    case: Case, adapter: JobAdapter, server: ScriptedServer, reply: Reply
) -> None:
    server.on(poll_path(case), reply)
    with pytest.raises(ProviderFailure) as caught:
        await adapter.poll([job_of(case)])
    failure = caught.value.failure
    assert failure.billed is False
    assert failure.kind is not F.UNKNOWN
    said = Translator().say(failure.said)
    assert said != failure.said.code
    assert "billed" not in said
    assert len(server.seen) == 1
    assert case.key_in(server.seen[0].headers) == KEY
    await adapter.close()


NOT_THERE: dict[str, Any] = {
    "replicate": {"title": "Not Found", "detail": "No such prediction.", "status": 404},
    "fal": {"detail": "Request not found"},
    "bfl": {"id": "j1", "status": "Task not found", "result": None},
    "dashscope-wan": {"request_id": "r", "code": "NotFound", "message": "No such task."},
}


@pytest.mark.parametrize("status", [404, 410])
async def test_a_job_that_is_not_there_is_told_as_one(
    case: Case, adapter: JobAdapter, server: ScriptedServer, status: int
) -> None:
    server.on(poll_path(case), json_reply(NOT_THERE[case.name], status))
    job = job_of(case)
    assert await adapter.poll([job]) == {job.id: JobLost()}
    await adapter.close()


async def test_a_poll_follows_no_redirect(
    case: Case, adapter: JobAdapter, server: ScriptedServer, other: ScriptedServer
) -> None:
    server.on(poll_path(case), Reply(307, headers={"location": f"{other.url}{poll_path(case)}"}))
    with pytest.raises(ProviderFailure):
        await adapter.poll([job_of(case)])
    assert (len(server.seen), other.seen) == (1, [])
    await adapter.close()


async def test_a_silent_poll_ends_by_itself_and_may_be_asked_again(
    case: Case, adapter: JobAdapter, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience = {"body": None, "timeout_s": 0.2}
    monkeypatch.setattr(Questions.send, "__kwdefaults__", patience)
    server.on(poll_path(case), Reply(hang=True))
    with pytest.raises(ProviderFailure) as caught:
        await adapter.poll([job_of(case)])
    assert (caught.value.failure.kind, caught.value.failure.code) == (F.TRANSIENT, "read_timeout")
    await adapter.close()


async def test_a_job_is_handed_in_once_and_followed_to_its_result(
    case: Case, adapter: JobAdapter, server: ScriptedServer
) -> None:
    case.serve(server)
    server.on(case.path, json_reply(case.good))
    job = await adapter.submit(call())
    assert isinstance(job, Job)
    assert job.id == IDS[case.name]
    assert not job.calls_back
    state = (await adapter.poll([job]))[job.id]
    assert isinstance(state, JobDone)
    for _ in range(2):  # a download that failed is repeated, and nothing else
        answer = await adapter.collect(job, state)
        assert answer.contents[0].data == case.result
    assert [seen.target for seen in server.seen] == [case.path]
    await adapter.close()


async def test_how_long_to_wait_is_taken_from_the_answer(
    case: Case, adapter: JobAdapter, server: ScriptedServer
) -> None:
    running: Any = {
        "replicate": {"status": "processing"},
        "fal": {"status": "IN_PROGRESS"},
        "bfl": {"status": "Pending"},
        "dashscope-wan": {"output": {"task_status": "RUNNING"}},
    }[case.name]
    server.on(
        poll_path(case),
        json_reply(running, headers={"retry-after": "9"}),
        json_reply({**running, "retry_after": 4}),
        json_reply(running),
    )
    job = job_of(case)
    found = [(await adapter.poll([job]))[job.id] for _ in range(3)]
    assert found == [JobRunning(9.0), JobRunning(4.0), JobRunning()]
    await adapter.close()


CANCELS: dict[str, tuple[str, str, Reply]] = {
    "replicate": ("POST", "/v1/predictions/p1/cancel", json_reply({"status": "canceled"})),
    "fal": (
        "PUT",
        "/fal-ai/flux/requests/r1/cancel",
        json_reply({"status": "CANCELLATION_REQUESTED"}, 202),
    ),
    "dashscope-wan": ("POST", "/api/v1/tasks/t1/cancel", json_reply({"request_id": "q"})),
}


async def test_a_result_that_comes_after_a_cancel_is_a_result(
    case: Case, adapter: JobAdapter, server: ScriptedServer
) -> None:
    assert adapter.capabilities.cancel is (case.name in CANCELS)
    case.serve(server)
    job = job_of(case)
    if adapter.capabilities.cancel:
        method, path, reply = CANCELS[case.name]
        server.on(path, reply)
        await adapter.cancel(job)
        (seen,) = server.seen
        assert (seen.method, seen.target) == (method, path)
        assert case.key_in(seen.headers) == KEY
    state = (await adapter.poll([job]))[job.id]
    assert isinstance(state, JobDone)
    assert (await adapter.collect(job, state)).contents[0].data == case.result
    await adapter.close()


@pytest.mark.parametrize("reply", [Reply(500), Reply(401), Reply(drop=True)])
async def test_a_cancel_that_failed_is_told(
    case: Case, adapter: JobAdapter, server: ScriptedServer, reply: Reply
) -> None:
    if not adapter.capabilities.cancel:
        pytest.skip("it can't be cancelled")
    server.on(CANCELS[case.name][1], reply)
    with pytest.raises(ProviderFailure) as caught:
        await adapter.cancel(job_of(case))
    assert caught.value.failure.billed is False
    await adapter.close()


CALLBACKS: dict[str, Any] = {
    "replicate": {"id": "p1", "status": "succeeded", "output": [DATA_URL]},
    "fal": {"request_id": "r1", "gateway_request_id": "r1", "status": "OK", "payload": {}},
    "bfl": {"id": "b1", "status": "Ready", "result": {"sample": DATA_URL}},
}


async def test_a_call_that_comes_twice_names_the_same_job_and_costs_no_question(
    case: Case, adapter: JobAdapter, server: ScriptedServer
) -> None:
    assert adapter.capabilities.calls_back is (case.name in CALLBACKS)
    if not adapter.capabilities.calls_back:
        pytest.skip("it never calls")
    assert isinstance(adapter, CallbackAdapter)
    body = CALLBACKS[case.name]
    assert [adapter.job_called(body) for _ in range(2)] == [IDS[case.name]] * 2
    assert adapter.job_called({}) is None
    server.on(case.path, json_reply(case.good))
    made = call()
    made.callback_url = "https://hooks.example/t/abc"
    job = await adapter.submit(made)
    assert isinstance(job, Job)
    assert job.calls_back
    (seen,) = server.seen
    assert "hooks.example" in seen.target + seen.body.decode()
    await adapter.close()


@given(
    prompt=st.text(),
    params=st.dictionaries(
        st.sampled_from(["seed", "n", "size", "width", "aspect_ratio", "odd"]),
        st.integers() | st.text() | st.booleans() | st.none(),
    ),
)
def test_every_body_holds_the_prompt_as_it_is_and_each_value_with_its_type(
    prompt: str, params: dict[str, Any]
) -> None:
    registry = AdapterRegistry(files=shipped_files())
    for one in JOB_FILES:
        adapter = registry.open(one.connection("http://127.0.0.1:9"), None)
        body = dict(adapter.body_preview(Request(prompt, params)))
        assert one.prompt_of(body) == prompt
        given_values = [v for v in params.values() if v is not None and v != ""]
        leaves = list(_leaves(body))
        for value in given_values:
            assert any(type(leaf) is type(value) and leaf == value for leaf in leaves)


def _leaves(tree: Any) -> Any:
    if isinstance(tree, dict | list):
        for inside in tree.values() if isinstance(tree, dict) else tree:
            yield from _leaves(inside)
    else:
        yield tree
