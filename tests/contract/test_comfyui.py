"""A ComfyUI server as one was recorded: shared files, ids taken twice, records that come late."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.attempt import PARTIAL
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, ProviderFailure
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.jobs import (
    RESULT_EXPIRED,
    Arrival,
    Job,
    JobCancelled,
    JobDone,
    JobFailed,
    JobLost,
    JobRunning,
)
from desktop_app.domain.ports import Call
from desktop_app.domain.references import REFERENCE, Reference, stored
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from desktop_app.providers.registry import AdapterRegistry
from tests.contract.cases import COMFY, KEY, Case, FakeClock, call, png
from tests.contract.conftest import Open
from tests.contract.server import ScriptedServer, json_reply
from tests.helpers.comfy_server import NODES, ComfyServer, picture
from tests.providers.comfy.workflows import picture_to_picture, text_to_picture

SAY = Translator().say
IN_CHINESE = Translator("zh_CN", Path(__file__).parents[2] / "resources" / "locale").say


@pytest.fixture
def case() -> Case:
    """What the scripted server answers aside."""
    return COMFY


@pytest.fixture
async def comfy() -> AsyncIterator[ComfyServer]:
    async with ComfyServer() as server:
        yield server


class Desk:
    """One connection to a server."""

    def __init__(self, comfy: ComfyServer, workflow: Any = None, **extra: Any) -> None:
        self.clock = FakeClock()
        graph = text_to_picture() if workflow is None else workflow
        self.connection = Connection(
            "comfy", "comfyui", comfy.url, "shoe", extra={"workflow": graph, **extra}
        )
        self.adapter: Any = AdapterRegistry(self.clock).open(self.connection, None)

    def call(self, prompt: str = "a red shoe", key: str = "k1", **params: Any) -> Call:
        return Call(Request(prompt, params), idempotency_key=key, timeout_s=20.0)

    async def submit(self, prompt: str = "a red shoe", key: str = "k1", **params: Any) -> Job:
        job = await self.adapter.submit(self.call(prompt, key, **params))
        assert isinstance(job, Job)
        return job

    async def ended(self, job: Job) -> Any:
        while True:
            state = (await self.adapter.poll([job]))[job.id]
            if not isinstance(state, JobRunning):
                return state
            await asyncio.sleep(0.005)

    async def answer(self, job: Job) -> Any:
        state = await self.ended(job)
        assert isinstance(state, JobDone)
        return await self.adapter.collect(job, state)

    async def refused(self, call: Call) -> Failure:
        with pytest.raises(ProviderFailure) as caught:
            await self.adapter.submit(call)
        return caught.value.failure


@pytest.fixture
async def desk(comfy: ComfyServer) -> AsyncIterator[Desk]:
    made = Desk(comfy)
    yield made
    await made.adapter.close()


async def test_a_row_becomes_a_picture_with_its_seed(desk: Desk, comfy: ComfyServer) -> None:
    job = await desk.submit(**{"5.width": 640.0, "3.steps": 12.0, "Negative Prompt.text": "blur"})
    answer = await desk.answer(job)
    (content,) = answer.contents
    assert content.mime == "image/png"
    assert content.data == comfy.files["ComfyUI_00001_.png"]
    graph = comfy.history[job.id]["prompt"][2]
    inputs = {node: graph[node]["inputs"] for node in graph}
    assert inputs["6"]["text"] == "a red shoe"
    assert inputs["7"]["text"] == "blur"
    assert (inputs["5"]["width"], inputs["3"]["steps"]) == (640, 12)
    assert inputs["3"]["seed"] != 156680208700286
    assert answer.usage == {"seed": inputs["3"]["seed"]}
    assert answer.flags == ()


async def test_each_row_has_its_own_seed_and_a_given_one_is_kept(
    desk: Desk, comfy: ComfyServer
) -> None:
    one = await desk.answer(await desk.submit(key="k1"))
    other = await desk.answer(await desk.submit(key="k2"))
    again = await desk.answer(await desk.submit(key="k3", seed=42))
    assert one.usage != other.usage
    assert one.contents != other.contents
    assert again.usage == {"seed": 42}


async def test_what_two_rows_share_stays_where_it_is(desk: Desk, comfy: ComfyServer) -> None:
    first = await desk.answer(await desk.submit(key="k1", seed=42))
    second = await desk.answer(await desk.submit(key="k2", seed=42))
    assert first.contents == second.contents
    assert list(comfy.files) == ["ComfyUI_00001_.png"]


async def test_a_waiting_job_runs_and_one_poll_tells_of_many(
    desk: Desk, comfy: ComfyServer
) -> None:
    comfy.go.clear()
    jobs = [await desk.submit(key=f"k{n}") for n in range(3)]
    states = await desk.adapter.poll(jobs)
    assert states == dict.fromkeys((job.id for job in jobs), JobRunning())
    comfy.go.set()
    assert [type(await desk.ended(job)) for job in jobs] == [JobDone] * 3


async def test_a_record_that_comes_late_is_waited_for(desk: Desk, comfy: ComfyServer) -> None:
    comfy.trouble.lag = 1
    job = await desk.submit()
    await comfy.idle.wait()
    assert (await desk.adapter.poll([job]))[job.id] == JobLost(hint_s=2.0)
    assert 0 < desk.adapter.capabilities.lost_after_s < 2.0  # so it is looked at twice
    assert isinstance((await desk.adapter.poll([job]))[job.id], JobDone)


async def test_a_job_of_before_a_restart_is_not_known(desk: Desk, comfy: ComfyServer) -> None:
    job = await desk.submit()
    await desk.ended(job)
    comfy.restart()
    for _ in range(2):
        assert (await desk.adapter.poll([job]))[job.id] == JobLost(hint_s=2.0)


async def test_a_server_that_is_away_loses_no_job(desk: Desk, comfy: ComfyServer) -> None:
    job = await desk.submit()
    await desk.ended(job)
    away = Desk(comfy)
    away.connection = replace(desk.connection, base_url="http://127.0.0.1:9")
    dead: Any = AdapterRegistry().open(away.connection, None)
    for _ in range(3):
        with pytest.raises(ProviderFailure) as caught:
            await dead.poll([job])
        assert caught.value.failure.kind is F.OFFLINE
    await dead.close()
    await away.adapter.close()


async def test_a_gateway_that_does_not_find_the_history_loses_no_job(
    desk: Desk, comfy: ComfyServer
) -> None:
    job = await desk.submit()
    await comfy.idle.wait()
    comfy.trouble.away = 3
    for _ in range(3):
        with pytest.raises(ProviderFailure):
            await desk.adapter.poll([job])
    assert isinstance((await desk.adapter.poll([job]))[job.id], JobDone)


async def test_a_gateway_that_does_not_find_the_history_can_not_say_what_came(
    desk: Desk, comfy: ComfyServer
) -> None:
    await desk.submit()
    await desk.ended(await desk.submit(key="k2"))
    comfy.trouble.away = 1
    with pytest.raises(ProviderFailure):
        await desk.adapter.ask("k1")
    assert (await desk.adapter.ask("k1")).arrival is Arrival.ARRIVED


# --- was it received? -------------------------------------------------------------------------


async def test_a_lost_answer_is_asked_about_and_found(desk: Desk, comfy: ComfyServer) -> None:
    comfy.trouble.lose_answers = 1
    failure = await desk.refused(desk.call())
    assert failure.kind is F.UNKNOWN
    asked = await desk.adapter.ask("k1")
    assert asked.arrival is Arrival.ARRIVED
    assert (await desk.answer(asked.job)).contents
    assert len(comfy.submitted) == 1


async def test_what_never_came_is_told_after_two_looks(desk: Desk, comfy: ComfyServer) -> None:
    await desk.ended(await desk.submit())
    assert (await desk.adapter.ask("never")).arrival is Arrival.NOT_ARRIVED
    assert desk.clock.slept == [2.0]


async def test_a_server_that_remembers_nothing_can_not_say_what_came(
    desk: Desk, comfy: ComfyServer
) -> None:
    await desk.ended(await desk.submit())
    comfy.restart()
    assert (await desk.adapter.ask("k1")).arrival is Arrival.UNKNOWN
    comfy.go.clear()
    await desk.submit(key="k2")
    assert (await desk.adapter.ask("k3")).arrival is Arrival.NOT_ARRIVED


async def test_the_id_is_one_that_new_servers_take(desk: Desk) -> None:
    job = await desk.submit(key="3f9c2c2e-0000-4000-8000-000000000001#2")
    assert job.id == job.id.lower()
    assert [len(part) for part in job.id.split("-")] == [8, 4, 4, 4, 12]


# --- cancel -----------------------------------------------------------------------------------


async def test_a_waiting_job_is_taken_out_and_costs_nothing(desk: Desk, comfy: ComfyServer) -> None:
    comfy.go.clear()
    first, second = await desk.submit(key="k1"), await desk.submit(key="k2")
    await desk.adapter.cancel(second)
    assert comfy.interrupts == []  # nobody else's work is stopped
    comfy.go.set()
    for _ in range(2):
        state = await desk.ended(second)
        assert state == JobLost(JobCancelled(billed=False), hint_s=2.0)
    assert isinstance(await desk.ended(first), JobDone)
    assert comfy.executed == [first.id]


async def test_the_running_job_alone_is_interrupted(desk: Desk, comfy: ComfyServer) -> None:
    comfy.go.clear()
    job = await desk.submit()
    await comfy.begun.wait()
    await desk.adapter.cancel(job)
    assert comfy.interrupts == [job.id]
    assert await desk.ended(job) == JobCancelled(billed=None)


async def test_a_finished_job_is_not_cancelled(desk: Desk, comfy: ComfyServer) -> None:
    job = await desk.submit()
    await comfy.idle.wait()
    await desk.adapter.cancel(job)
    assert comfy.interrupts == []
    assert isinstance(await desk.ended(job), JobDone)


# --- failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "kind", "sentence", "chinese"),
    [
        (
            {
                "exception_type": "torch.OutOfMemoryError",
                "exception_message": "Allocation on device 0 would exceed allowed memory.",
            },
            F.TRANSIENT,
            "The server's memory was too small for this row. "
            "Ask for smaller pictures, or free some.",
            "内存（显存）不够",
        ),
        (
            {"exception_type": "RuntimeError", "exception_message": "CUDA error: launch timed out"},
            F.TRANSIENT,
            "A node of the workflow failed: KSampler 3: CUDA error: launch timed out",
            "节点出错：KSampler 3",
        ),
        (
            {"exception_type": "ValueError", "exception_message": "shapes do not match\n"},
            F.INVALID,
            "A node of the workflow failed: KSampler 3: shapes do not match",
            "节点出错：KSampler 3",
        ),
        (
            {"exception_type": "Exception", "exception_message": "Rejected by moderation"},
            F.REFUSED,
            "The provider refused this by its content rules. "
            "It said: KSampler 3: Rejected by moderation",
            "KSampler 3: Rejected by moderation",
        ),
    ],
    ids=["memory", "card", "shapes", "moderation"],
)
async def test_a_node_that_fails_says_why(
    desk: Desk,
    comfy: ComfyServer,
    error: dict[str, str],
    kind: F,
    sentence: str,
    chinese: str,
) -> None:
    comfy.trouble.fails["bad row"] = {"node_id": "3", "node_type": "KSampler", **error}
    state = await desk.ended(await desk.submit("bad row"))
    assert isinstance(state, JobFailed)
    assert state.failure.kind is kind
    assert SAY(state.failure.said) == sentence
    assert chinese in IN_CHINESE(state.failure.said)
    assert isinstance(await desk.ended(await desk.submit("good row", "k2")), JobDone)


async def test_a_success_without_a_picture_is_none(desk: Desk, comfy: ComfyServer) -> None:
    comfy.trouble.empty = True
    state = await desk.ended(await desk.submit())
    assert (state.failure.kind, state.failure.code) == (F.INVALID, "no_output")
    assert "Save Image" in SAY(state.failure.said)


async def test_a_model_the_server_lacks_is_named_with_its_node(
    desk: Desk, comfy: ComfyServer
) -> None:
    failure = await desk.refused(desk.call(**{"4.ckpt_name": "flux.safetensors"}))
    assert (failure.kind, failure.code) == (F.INVALID, "value_not_in_list")
    assert SAY(failure.said) == (
        f"{desk.connection.host} can't run the workflow: CheckpointLoaderSimple (4): Value not in "
        "list: ckpt_name: 'flux.safetensors' not in ['sd15.safetensors', 'sdxl.safetensors']"
    )
    assert "无法运行该工作流：CheckpointLoaderSimple (4)" in IN_CHINESE(failure.said)
    assert failure.billed is False


async def test_a_node_the_server_lacks_is_named(comfy: ComfyServer) -> None:
    graph = text_to_picture()
    graph["8"]["class_type"] = "FancyDecode"
    desk = Desk(comfy, graph)
    failure = await desk.refused(desk.call())
    assert failure.kind is F.INVALID
    assert "node FancyDecode does not exist. (Node ID '#8')" in SAY(failure.said)
    await desk.adapter.close()


def two_outputs() -> Any:
    graph = text_to_picture()
    graph["14"] = {
        "class_type": "CheckpointLoaderSimple",
        "inputs": {"ckpt_name": "gone.safetensors"},
    }
    graph["18"] = {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["14", 2]}}
    graph["19"] = {"class_type": "SaveImage", "inputs": {"images": ["18", 0]}}
    return graph


async def test_of_two_outputs_one_is_left_out_and_that_is_told(comfy: ComfyServer) -> None:
    desk = Desk(comfy, two_outputs())
    answer = await desk.answer(await desk.submit())
    assert len(answer.contents) == 1
    assert answer.flags == (PARTIAL,)
    await desk.adapter.close()


async def test_where_the_wanted_output_was_left_out_nothing_came(comfy: ComfyServer) -> None:
    desk = Desk(comfy, two_outputs(), outputs=["19"])
    state = await desk.ended(await desk.submit())
    assert (state.failure.kind, state.failure.code) == (F.INVALID, "left_out")
    assert "CheckpointLoaderSimple (14): Value not in list" in SAY(state.failure.said)
    await desk.adapter.close()


async def test_several_outputs_are_several_results_in_order(comfy: ComfyServer) -> None:
    graph = text_to_picture()
    graph["19"] = {"class_type": "SaveImage", "inputs": {"images": ["8", 0]}}
    graph["20"] = {"class_type": "PreviewImage", "inputs": {"images": ["8", 0]}}
    desk = Desk(comfy, graph)
    answer = await desk.answer(await desk.submit())
    # What is only shown is no result while something is saved.
    assert [one.data for one in answer.contents] == [
        comfy.files["ComfyUI_00003_.png"],
        comfy.files["ComfyUI_00001_.png"],
    ]
    await desk.adapter.close()


async def test_a_picture_gone_from_the_server_is_asked_for_anew(
    desk: Desk, comfy: ComfyServer
) -> None:
    job = await desk.submit()
    state = await desk.ended(job)
    comfy.files.clear()
    with pytest.raises(ProviderFailure) as caught:
        await desk.adapter.collect(job, state)
    assert (caught.value.failure.kind, caught.value.failure.code) == (F.UNKNOWN, RESULT_EXPIRED)


async def test_of_several_pictures_one_that_is_gone_keeps_none_of_the_others(
    comfy: ComfyServer,
) -> None:
    graph = text_to_picture()
    graph["19"] = {"class_type": "SaveImage", "inputs": {"images": ["8", 0]}}
    desk = Desk(comfy, graph)
    job = await desk.submit()
    state = await desk.ended(job)
    del comfy.files["ComfyUI_00001_.png"]
    answer = await desk.adapter.collect(job, state)
    assert [one.data for one in answer.contents] == list(comfy.files.values())
    assert answer.flags == (PARTIAL,)
    await desk.adapter.close()


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_picture_that_failed_alone_is_downloaded_again_alone(
    comfy: ComfyServer, status: int
) -> None:
    graph = text_to_picture()
    graph["19"] = {"class_type": "SaveImage", "inputs": {"images": ["8", 0]}}
    desk = Desk(comfy, graph)
    job = await desk.submit()
    state = await desk.ended(job)
    one, other = list(comfy.files)
    comfy.trouble.views[other] = [status]
    answer = await desk.adapter.collect(job, state)
    assert [found.data for found in answer.contents] == [comfy.files[one]]
    assert answer.missing is not None
    assert answer.missing.http_status == status
    answer = await desk.adapter.collect(job, state)
    assert sorted(found.data for found in answer.contents) == sorted(comfy.files.values())
    assert (answer.missing, answer.flags) == (None, ())
    assert sorted(comfy.viewed) == sorted([one, other, other])
    await desk.adapter.close()


async def test_nothing_but_failed_downloads_is_a_failure(desk: Desk, comfy: ComfyServer) -> None:
    job = await desk.submit()
    state = await desk.ended(job)
    comfy.trouble.views = {name: [500] for name in comfy.files}
    with pytest.raises(ProviderFailure) as caught:
        await desk.adapter.collect(job, state)
    assert caught.value.failure.kind is F.TRANSIENT
    assert len((await desk.adapter.collect(job, state)).contents) == 1


# --- what goes where --------------------------------------------------------------------------


def file_of(path: Path, content: bytes) -> Reference:
    path.write_bytes(content)
    return Reference(str(path), hashlib.sha256(content).hexdigest())


async def test_reference_pictures_go_to_the_nodes_that_load_them(
    comfy: ComfyServer, tmp_path: Path
) -> None:
    desk = Desk(comfy, picture_to_picture())
    (tmp_path / "x").mkdir()
    red = file_of(tmp_path / "shoe.png", png((5, 5)))
    blue = file_of(tmp_path / "x" / "shoe.png", png((6, 6)))
    job = await desk.submit(**{REFERENCE: stored([red, blue])})
    await desk.answer(job)
    graph = comfy.history[job.id]["prompt"][2]
    names = [graph[node]["inputs"]["image"] for node in ("10", "11")]
    assert [comfy.inputs[name] for name in names] == [png((5, 5)), png((6, 6))]
    assert all(name.startswith("batchwright/") for name in names)
    await desk.submit(key="k2", **{REFERENCE: stored([red])})
    assert len(comfy.inputs) == 2  # the same picture is there already
    await desk.adapter.close()


@pytest.mark.parametrize(
    ("change", "extra", "code", "words"),
    [
        (
            lambda g: g["3"]["inputs"].pop("positive"),
            {},
            "many_prompts",
            "6.text (Positive Prompt)",
        ),
        (lambda g: [g.pop("6"), g.pop("7")], {}, "no_prompt", "no text that the prompt could go"),
        (lambda g: g.clear(), {}, "no_workflow", "holds no workflow"),
        (lambda g: g.update(nodes=[], links=[]), {}, "ui_format", "Export (API)"),
    ],
    ids=["two texts", "none", "empty", "saved by the window"],
)
async def test_a_workflow_that_can_not_be_used_pauses_the_account_before_anything_is_sent(
    comfy: ComfyServer, change: Any, extra: Any, code: str, words: str
) -> None:
    graph = text_to_picture()
    graph["3"]["inputs"].pop("negative", None) if code == "many_prompts" else None
    change(graph)
    desk = Desk(comfy, graph, **extra)
    made = desk.call()
    failure = await desk.refused(made)
    assert (failure.kind, failure.code, failure.sent, made.begun) == (F.ACCOUNT, code, False, False)
    assert words in SAY(failure.said)
    report = await desk.adapter.test()
    assert not report.ok
    assert words in SAY(report.said[0])
    assert comfy.submitted == []
    await desk.adapter.close()


async def test_an_input_that_is_not_there_fails_the_row_alone(
    desk: Desk, comfy: ComfyServer
) -> None:
    failure = await desk.refused(desk.call(**{"6.txt": "x"}))
    assert (failure.kind, failure.sent) == (F.INVALID, False)
    assert SAY(failure.said).startswith(
        "The workflow has no input 6.txt. It has: 3.seed (KSampler)"
    )


# --- the test of a connection -----------------------------------------------------------------


async def test_it_says_which_node_gets_what_and_starts_nothing(comfy: ComfyServer) -> None:
    desk = Desk(comfy, picture_to_picture())
    report = await desk.adapter.test()
    said = " ".join(map(SAY, report.said))
    assert report.ok
    host = comfy.url.removeprefix("http://")
    assert said.startswith(
        f"{host} answers, without a key. The server has all that the workflow needs. "
        "The prompt goes to 6.text (Positive Prompt). Each row gets a new seed: 3.seed (KSampler). "
        "Reference pictures go to 10.image (Load Image), 11.image (Load Image), in this order. "
    )
    assert said.endswith("Without a proxy.")
    assert comfy.submitted == []
    await desk.adapter.close()


async def test_it_names_the_model_that_is_missing_before_any_run(comfy: ComfyServer) -> None:
    graph = text_to_picture()
    graph["4"]["inputs"]["ckpt_name"] = "flux.safetensors"
    graph["3"]["inputs"]["sampler_name"] = "uni_pc"
    desk = Desk(comfy, graph)
    report = await desk.adapter.test()
    assert not report.ok
    assert [SAY(said) for said in report.said[:2]] == [
        "The server has no uni_pc, which KSampler (3) wants as its sampler_name. "
        "It has: euler, dpmpp_2m.",
        "The server has no flux.safetensors, which Load Checkpoint (4) wants as its ckpt_name. "
        "It has: sd15.safetensors, sdxl.safetensors.",
    ]
    await desk.adapter.close()


async def test_it_names_the_nodes_that_are_missing(
    comfy: ComfyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(NODES, "KSampler")
    desk = Desk(comfy)
    report = await desk.adapter.test()
    assert not report.ok
    assert "does not know these nodes of the workflow: KSampler (3)." in SAY(report.said[0])
    await desk.adapter.close()


async def test_a_key_goes_where_what_guards_the_server_wants_it(
    case: Case, server: ScriptedServer, open_adapter: Open
) -> None:
    server.on(COMFY.path, json_reply(COMFY.good))
    fields = {**COMFY.fields["extra"], "key_header": "X-API-Key"}
    await open_adapter(COMFY.connection(server.url, extra=fields)).submit(call())
    headers = server.seen[0].headers
    assert headers["x-api-key"] == KEY
    assert "authorization" not in headers


# --- progress ---------------------------------------------------------------------------------


async def test_progress_is_heard_while_somebody_looks(desk: Desk, comfy: ComfyServer) -> None:
    comfy.go.clear()
    made = desk.call()
    job = await desk.adapter.submit(made)
    assert made.peek is not None
    assert made.peek().progress == ""
    async with asyncio.timeout(10):
        await comfy.connected.wait()
        comfy.go.set()
        seen = made.peek()
        while seen.picture is None or seen.picture.no < 2 or not seen.progress:
            await asyncio.sleep(0.005)
            seen = made.peek()
    assert seen.progress == "KSampler: 8/20"
    assert seen.picture.read() == picture(9)
    assert isinstance(await desk.ended(job), JobDone)


async def test_without_its_socket_polling_goes_on(desk: Desk, comfy: ComfyServer) -> None:
    comfy.refuse_sockets = True
    made = desk.call()
    job = await desk.adapter.submit(made)
    assert made.peek is not None
    made.peek()
    assert isinstance(await desk.ended(job), JobDone)
    assert made.peek().picture is None
