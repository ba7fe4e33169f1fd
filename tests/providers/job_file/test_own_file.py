"""A provider that nobody here knows, in a file of the operator's own: what a file can say and no
shipped one does."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, cast

import pytest

from desktop_app.domain.attempt import OTHER_MODEL
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.jobs import Job, JobDone, JobFailed, JobLost, JobRunning
from desktop_app.domain.ports import Answer
from desktop_app.domain.task import Request
from tests.contract.cases import KEY, PNG, call
from tests.contract.server import Reply, json_reply
from tests.providers.job_file.desk import CHINESE, ENGLISH, Desk, at_desk, registry, state_of

HEAD = """\
[provider]
name = "Mine"
base_url = "https://mine.example"
models = ["m"]
"""
MANY = (
    HEAD
    + """
[submit]
path = "/submit"
job_id = "data.id"
hint = "data.eta"
body = { p = "{prompt}" }

[poll]
path = "/one/{id}"
status = "state"
hint = "wait"
states = { go = "running", ok = "done", bad = "failed", gone = "lost" }
lost = [{ statuses = [404], codes = ["no_such_job"] }]

[poll.many]
path = "/many"
query = { ids = "{ids}" }
most = 3
jobs = "data"
job_id = "id"

[result]
base64 = "image"
"""
)
TEXT = (
    HEAD.replace('name = "Mine"', 'name = "Mine"\nmakes = "text"')
    + """
[submit]
path = "/chat"
body = { q = "{prompt}" }

[result]
text = "answers[].text"
cut = "stopped == 'length'"
model = "by"
total = "asked"

[price]
unit = "1k-tokens"
tokens = "used.all"
usage = "used"
"""
)
ENCODED = base64.b64encode(PNG).decode()


def write(folder: Path, text: str) -> Path:
    (folder / "mine.toml").write_text(text, "utf-8")
    return folder


async def test_many_jobs_are_asked_for_in_one_call(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, MANY)) as desk:
        assert desk.adapter.capabilities.polls_many == 3
        told = [
            {"id": "b", "state": "ok", "image": ENCODED},
            {"id": "a", "state": "go", "wait": 4},
            {"id": "stranger", "state": "ok"},
            {"id": "d", "state": "?"},
        ]
        desk.server.on("/many", json_reply({"data": told}))
        states = await desk.adapter.poll([Job("a"), Job("b"), Job("c"), Job("d")])
        # One left out, or told in unknown words, is asked for again, and is no lost one.
        assert set(states) == {"a", "b"}
        assert states["a"] == JobRunning(4.0)
        assert desk.server.seen[0].target == "/many?ids=a%2Cb%2Cc%2Cd"
        done = states["b"]
        assert isinstance(done, JobDone)
        answer = await desk.adapter.collect(Job("b"), done)
        assert answer.contents[0].data == PNG


async def test_a_call_without_what_its_address_needs_is_not_sent(tmp_path: Path) -> None:
    text = TEXT.replace('path = "/chat"', 'path = "/{style}/{model}/chat"')
    text += '[params]\nstyle = { kind = "text" }\n'
    async with at_desk("mine", "", "m", own=write(tmp_path, text)) as desk:
        with pytest.raises(ProviderFailure) as caught:
            await desk.adapter.submit(call("p"))
        failure = caught.value.failure
        assert (failure.kind, failure.code, failure.billed) == (F.INVALID, "no_value", False)
        assert "needs a value for style. Nothing was sent." in ENGLISH.say(failure.said)
        assert desk.server.seen == []
        desk.server.on("/bold/m/chat", json_reply({"answers": [{"text": "42"}]}))
        await desk.adapter.submit(call("p", style="bold"))
        assert [seen.target for seen in desk.server.seen] == ["/bold/m/chat"]


async def test_a_failed_poll_of_many_is_no_job_s_fault(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, MANY)) as desk:
        desk.server.on("/many", json_reply({"error": "no_such_job"}, 404))
        with pytest.raises(ProviderFailure):
            await desk.adapter.poll([Job("a"), Job("b")])


async def test_one_job_alone_is_asked_for_at_its_own_address(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, MANY)) as desk:
        desk.server.on("/one/a", json_reply({"state": "go"}), json_reply({"error": "?"}, 404))
        assert await desk.adapter.poll([Job("a")]) == {"a": JobRunning()}
        assert await desk.adapter.poll([Job("a")]) == {"a": JobLost()}


ASKED_IN_A_BODY = (
    HEAD
    + """
[submit]
path = "/submit"
job_id = "id"
body = { p = "{prompt}" }

[poll]
method = "POST"
path = "/ask"
body = { task = { id = "{id}", model = "{model}" }, full = true }
status = "state"
states = { ok = "done" }

[result]
base64 = "image"

[result.fetch]
method = "POST"
path = "/result"
body = { id = "{id}" }

[cancel]
path = "/stop"
body = { ids = ["{id}"] }

[test]
method = "POST"
path = "/account"
body = { page = 1 }
"""
)


async def test_a_job_may_be_asked_for_in_a_body(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ASKED_IN_A_BODY)) as desk:
        desk.server.on("/ask", json_reply({"state": "ok"}))
        desk.server.on("/result", json_reply({"image": base64.b64encode(PNG).decode()}))
        desk.server.on("/stop", json_reply({}))
        desk.server.on("/account", json_reply({"name": "me"}))
        done = await state_of(desk)
        answer = await desk.adapter.collect(desk.job, cast("JobDone", done))
        assert [content.data for content in answer.contents] == [PNG]
        await desk.adapter.cancel(desk.job)
        assert (await desk.adapter.test()).ok
        sent = [(seen.method, seen.target, seen.json) for seen in desk.server.seen]
        assert sent == [
            ("POST", "/ask", {"task": {"id": "j1", "model": "m"}, "full": True}),
            ("POST", "/result", {"id": "j1"}),
            ("POST", "/stop", {"ids": ["j1"]}),
            ("POST", "/account", {"page": 1}),
        ]
        assert all(seen.headers["content-type"] == "application/json" for seen in desk.server.seen)


async def test_a_provider_that_makes_nothing_twice_has_that_in_its_file(tmp_path: Path) -> None:
    text = ASKED_IN_A_BODY.replace('job_id = "id"', 'job_id = "id"\nidempotent_h = 24')
    async with at_desk("mine", "", "m", own=write(tmp_path, text)) as desk:
        assert desk.adapter.capabilities.idempotent_s == 86_400
        desk.server.on("/submit", json_reply({"id": 7}))
        made = call("x")
        await desk.adapter.submit(made)
        assert desk.server.seen[0].headers["idempotency-key"] == made.idempotency_key
    async with at_desk("mine", "", "m", own=write(tmp_path, ASKED_IN_A_BODY)) as desk:
        assert desk.adapter.capabilities.idempotent_s is None


ONE = (
    MANY.replace("[poll.many]", "[never]").partition("[never]")[0] + "[result]\nbase64 = 'image'\n"
)


async def one(desk: Desk, reply: Reply) -> Any:
    desk.server.on("/one/j1", reply)
    return await state_of(desk)


async def test_words_for_a_job_that_is_not_known_and_what_is_none(tmp_path: Path) -> None:
    text = ONE.replace("statuses = [404]", "statuses = [400]")
    async with at_desk("mine", "", "m", own=write(tmp_path, text)) as desk:
        assert desk.adapter.capabilities.lost_after_s == 600
        for reply in (
            json_reply({"code": "no_such_job"}, 400),
            json_reply({"state": "gone"}),
            json_reply({"code": "who knows"}, 410),
        ):
            assert await one(desk, reply) == JobLost()
        for reply in (
            json_reply({"code": "other"}, 400),
            json_reply({"code": "no_such_job"}, 500),
            json_reply({"code": "ModelNotOpen"}, 404),
            Reply(403),
            Reply(404),
            Reply(404, b"gone"),
        ):
            with pytest.raises(ProviderFailure):
                await one(desk, reply)


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("^$", Reply(404)),
        ("^no such job$", Reply(404, b"no such job\n")),
        ("^unknown job", Reply(410, b"<html><title>Unknown job</title><body>Sorry!</body></html>")),
    ],
)
async def test_a_provider_that_says_so_with_a_page_or_nothing_has_that_in_its_file(
    tmp_path: Path, text: str, reply: Reply
) -> None:
    known = 'lost = [{ statuses = [404], codes = ["no_such_job"] }]'
    mine = ONE.replace(known, f"lost = [{{ text = '{text}' }}]")
    async with at_desk("mine", "", "m", own=write(tmp_path, mine)) as desk:
        assert await one(desk, reply) == JobLost()
        with pytest.raises(ProviderFailure):
            await one(desk, Reply(404, b"<html><title>404 Not Found</title></html>"))


async def test_where_a_file_says_where_its_words_are_they_tell_its_404_from_others(
    tmp_path: Path,
) -> None:
    mine = f"{ONE}\n[errors]\nmessage = 'oops'\n"
    async with at_desk("mine", "", "m", own=write(tmp_path, mine)) as desk:
        assert await one(desk, json_reply({"oops": "no such job"}, 404)) == JobLost()
        for other in ({"message": "no Route matched with those values"}, {"path": "/one/j1"}):
            with pytest.raises(ProviderFailure):
                await one(desk, json_reply(other, 404))


async def test_how_long_a_job_may_be_unknown_is_the_file_s_to_say(tmp_path: Path) -> None:
    text = ONE.replace('models = ["m"]', 'models = ["m"]\nlost_after_s = 30')
    async with at_desk("mine", "", "m", own=write(tmp_path, text)) as desk:
        assert desk.adapter.capabilities.lost_after_s == 30


async def test_the_hint_of_a_submit_and_of_a_poll(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE)) as desk:
        desk.server.on("/submit", json_reply({"data": {"id": 77, "eta": 12}}))
        assert await desk.adapter.submit(call("x")) == Job("77", {}, 12.0)
        assert await one(desk, json_reply({"state": "go", "wait": "resets in 9s"})) == JobRunning(9)
        found = json_reply({"state": "go"}, headers={"retry-after-ms": "1500"})
        assert await one(desk, found) == JobRunning(1.5)
        assert await one(desk, json_reply({"state": "GO"})) == JobRunning()


async def test_an_id_is_spelled_into_the_path_and_leads_nowhere_else(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE)) as desk:
        await desk.adapter.poll([Job("../../admin?x=1#y")])
        assert desk.server.seen[0].target == "/one/..%2F..%2Fadmin%3Fx%3D1%23y"


async def test_an_answer_without_an_id_may_have_been_billed(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE)) as desk:
        desk.server.on("/submit", json_reply({"data": {}}))
        with pytest.raises(ProviderFailure) as caught:
            await desk.adapter.submit(call("x"))
        failure = caught.value.failure
        assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, "unreadable", True)
        desk.server.on("/submit", json_reply({"code": "Arrearage", "message": "no", "data": None}))
        with pytest.raises(ProviderFailure) as caught:
            await desk.adapter.submit(call("x"))
        assert caught.value.failure.kind is F.ACCOUNT


async def test_a_done_job_whose_picture_does_not_decode(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE)) as desk:
        for image, code in (("!!", "unreadable"), ("aGVsbG8=", "not_a_picture")):
            done = await one(desk, json_reply({"state": "ok", "image": image}))
            with pytest.raises(ProviderFailure) as caught:
                await desk.adapter.collect(desk.job, cast("JobDone", done))
            failure = caught.value.failure
            assert (failure.kind, failure.code, failure.billed) == (F.UNKNOWN, code, True)


async def test_a_failed_job_without_words(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE)) as desk:
        state = await one(desk, json_reply({"state": "bad"}))
        assert isinstance(state, JobFailed)
        assert (state.failure.kind, state.failure.code) == (F.INVALID, "job_failed")


async def test_texts_with_their_flags_and_figures(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, TEXT)) as desk:
        assert desk.adapter.capabilities.makes == "text"
        told = {
            "answers": [{"text": "你好"}, {"text": "hi"}],
            "stopped": "length",
            "by": "other-model",
            "asked": 3,
            "used": {"all": 42},
        }
        desk.server.on("/chat", json_reply(told))
        answer = await desk.adapter.submit(call("x"))
        assert isinstance(answer, Answer)
        assert [content.text for content in answer.contents] == ["你好", "hi"]
        assert answer.flags == ("other_model", "length", "partial")
        assert (answer.tokens, answer.usage) == (42, {"all": 42})


async def test_without_a_test_of_its_own_nothing_is_asked_that_could_cost(
    tmp_path: Path,
) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE)) as desk:
        for status in (200, 404, 405, 501):
            desk.server.on("/", Reply(status, headers={"date": "Fri, 15 Jan 2027 07:50:00 GMT"}))
        for _ in range(4):
            report = await desk.adapter.test()
            assert report.ok
        assert {(seen.method, seen.target, seen.body) for seen in desk.server.seen} == {
            ("HEAD", "/", b"")
        }
        assert KEY not in str([seen.headers for seen in desk.server.seen])
        english, chinese = (" ".join(map(tr.say, report.said)) for tr in (ENGLISH, CHINESE))
        for sentence in (
            "127.0.0.1",
            "A key is there. Whether it is good was not asked.",
            "mine.toml names no call that costs nothing, so none was made.",
            "[test]",
            "clock is 10 minutes ahead",
        ):
            assert sentence in english
        assert "limits" not in english
        assert "The key works" not in english
        assert "mine.toml" in chinese
        assert "names no call" not in chinese


async def test_without_a_test_a_host_that_is_not_there_and_a_key_that_is_missing_are_told(
    tmp_path: Path,
) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE)) as desk:
        desk.server.on("/", Reply(drop=True))
        assert not (await desk.adapter.test()).ok
    away = Connection("c", "http-job", "https://provider.invalid", "m", preset="mine")
    adapter = registry(own=tmp_path).open(away, None)
    report = await adapter.test()
    await adapter.close()
    assert (report.ok, [said.code for said in report.said]) == (False, ["providers.no_key"])


async def test_a_sentence_alone_says_nothing_in_a_gateway_s_answer(tmp_path: Path) -> None:
    rules = """
[[errors.rules]]
means = "try_again"
text = "please wait"

[[errors.rules]]
means = "busy"
text = "please wait a lot"

[[errors.rules]]
means = "no_money"
codes = ["E7"]
"""
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE + rules)) as desk:
        for status, body, kind in (
            (400, {"message": "please wait"}, F.TRANSIENT),
            (500, {"message": "please wait"}, F.TRANSIENT),
            (504, {"message": "please wait"}, F.UNKNOWN),
            (408, {"message": "please wait"}, F.UNKNOWN),
            (504, {"message": "please wait", "code": "E7"}, F.ACCOUNT),
            (400, {"message": "please wait", "code": "e7"}, F.ACCOUNT),
        ):
            desk.server.on("/submit", json_reply(body, status))
            with pytest.raises(ProviderFailure) as caught:
                await desk.adapter.submit(call("x"))
            assert caught.value.failure.kind is kind, (status, body)


@pytest.mark.parametrize(
    ("base", "root", "asked"),
    [
        ("https://mine.example/api", "/api", "/api/submit"),
        ("https://mine.example/api", "", "/api/submit"),
        ("https://mine.example/v3", "", "/v3/submit"),
        ("https://mine.example/v3", "/gateway/v3", "/gateway/v3/submit"),
        ("https://mine.example", "", "/submit"),
    ],
)
async def test_the_base_address_in_every_shape_reaches_the_same_endpoint(
    tmp_path: Path, base: str, root: str, asked: str
) -> None:
    own = write(tmp_path, ONE.replace("https://mine.example", base))
    async with at_desk("mine", root, "m", own=own) as desk:
        desk.server.on(asked, json_reply({"data": {"id": "1"}}))
        assert await desk.adapter.submit(call("x")) == Job("1")


async def test_extra_is_laid_over_the_body_at_its_places(tmp_path: Path) -> None:
    text = ONE.replace(
        'body = { p = "{prompt}" }', 'rest = "a.b"\nbody = { a = { p = "{prompt}" } }'
    )
    async with at_desk("mine", "", "m", own=write(tmp_path, text)) as desk:
        request = Request("x", {"style": "red", "blank": ""}, {"a": {"q": 1}, "z": None})
        assert desk.adapter.body_preview(request) == {
            "a": {"p": "x", "b": {"style": "red"}, "q": 1}
        }


async def test_where_a_file_has_no_place_for_a_model_no_row_can_name_one(tmp_path: Path) -> None:
    async with at_desk("mine", "", "m", own=write(tmp_path, ONE)) as desk:
        assert "model" not in {param.name for param in desk.adapter.capabilities.params}


async def test_who_made_a_result_is_judged_by_the_model_of_its_row(tmp_path: Path) -> None:
    text = TEXT.replace('{ q = "{prompt}" }', '{ q = "{prompt}", m = "{model}" }')
    async with at_desk("mine", "", "m", own=write(tmp_path, text)) as desk:
        desk.server.on("/chat", json_reply({"answers": [{"text": "yes"}], "by": "other"}))
        for model, is_other in (("other", False), (None, True)):
            answer = await desk.adapter.submit(call("x", model=model))
            assert isinstance(answer, Answer)
            assert (OTHER_MODEL in answer.flags) is is_other
        assert [seen.json["m"] for seen in desk.server.seen] == ["other", "m"]
