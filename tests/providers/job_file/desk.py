"""What the tests of provider files share: a vendor's recorded answer, and what is made of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, ProviderFailure
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.jobs import Job, JobFailed, JobState
from desktop_app.domain.ports import Call, JobAdapter
from desktop_app.domain.references import REFERENCE, Reference, stored
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from desktop_app.providers.http.transport import HttpLimits
from desktop_app.providers.job_file.shelf import JobFiles
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.settings.paths import resources_dir
from tests.contract.cases import KEY, FakeClock, call
from tests.contract.server import Reply, ScriptedServer, json_reply

SHIPPED = resources_dir() / "providers"
ENGLISH = Translator()
CHINESE = Translator("zh_CN", resources_dir() / "locale")


SLOW = ("HOST asks to slow down.", "HOST 要求放慢速度。")
BAD_KEY = (
    "HOST refused the key. Enter a valid key in the connection.",
    "HOST 拒绝了该密钥。请在连接中填写有效的密钥。",
)
NO_MONEY = (
    "The account at HOST has no money left. Top it up, then try again.",
    "HOST 的账号余额不足。请充值后重试。",
)
EMPTY = (
    "Refused by the provider: it answered without a result.",
    "服务商拒绝了：它回答了，但没有结果。",
)
NO_STATE = (
    "The answer of HOST does not say how the job stands.",
    "HOST 的回答没有说明任务的状态。",
)
FLAGGED = (
    "The provider made this and hid it by its content rules (blurred or black).",
    "服务商生成了结果，但按其内容规则遮住了它（模糊或全黑）。",
)


def server_error(status: int) -> tuple[str, str]:
    return f"HOST had an error of its own (HTTP {status}).", f"HOST 内部出错（HTTP {status}）。"


def invalid(text: str | int) -> tuple[str, str]:
    if isinstance(text, int):
        english = f"HOST can't work with this request (HTTP {text})."
        return english, f"HOST 无法处理此请求（HTTP {text}）。"
    return f"HOST can't work with this request: {text}", f"HOST 无法处理此请求：{text}"


def no_model(model: str) -> tuple[str, str]:
    return (
        f"HOST has no model {model}. Correct the model in the connection.",
        f"HOST 没有模型 {model}。请修改连接中的模型。",
    )


def refused(text: str = "") -> tuple[str, str]:
    if not text:
        english = "The provider refused this by its content rules."
        return english, "服务商按其内容规则拒绝了此内容。"
    return (
        f"The provider refused this by its content rules. It said: {text}",
        f"服务商按其内容规则拒绝了此内容。服务商答复：{text}",
    )


def not_finished(text: str = "") -> tuple[str, str]:
    if not text:
        return "HOST could not finish this job.", "HOST 没能完成这个任务。"
    return (
        f"HOST could not finish this job. It said: {text}",
        f"HOST 没能完成这个任务。服务商答复：{text}",
    )


def unknown_state(state: str, file: str) -> tuple[str, str]:
    return (
        f'HOST says that the job is "{state}". {file} does not say what that means.',
        f"HOST 说任务的状态是“{state}”，而 {file} 没有说明它的含义。",
    )


@dataclass(frozen=True)
class Desk:
    """An adapter and the server it speaks to. ``submit_path`` and ``poll_path`` are targets there;
    ``job`` is one that was taken."""

    adapter: JobAdapter
    server: ScriptedServer
    submit_path: str
    poll_path: str
    job: Job
    fetch_path: str = ""


@dataclass(frozen=True)
class Row:
    """A recorded answer ``at`` submit, poll or fetch, and what it means: a failure of the job where
    ``of_job``, else of the call; ``said`` in English and in Chinese, the server's name as HOST."""

    at: str
    status: int
    body: Any
    kind: F
    code: str
    said: tuple[str, str]
    of_job: bool = False
    billed: bool | None = None
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float | None = None

    def __str__(self) -> str:
        return f"{self.at}-{self.status}-{self.code}"


def registry(clock: FakeClock | None = None, own: Path | None = None) -> AdapterRegistry:
    """With the shipped files and those in ``own``."""
    return AdapterRegistry(clock or FakeClock(), HttpLimits(), JobFiles(SHIPPED, own))


@asynccontextmanager
async def at_desk(
    preset: str, root: str, model: str, *, own: Path | None = None, home: str = "", **more: Any
) -> AsyncIterator[Desk]:
    """The adapter of this file at a server of its own, which is the vendor's own if the file in
    ``own`` has ``home`` for it."""
    server = ScriptedServer()
    await server.start()
    if own is not None and home:
        file = own / f"{preset}.toml"
        file.write_text(file.read_text("utf-8").replace(home, server.url + root), "utf-8")
    connection = Connection("c", "http-job", server.url + root, model, preset=preset)
    adapter = cast("JobAdapter", registry(own=own).open(connection, KEY))
    desk = Desk(adapter, server, **{"submit_path": "", "poll_path": "", "job": Job("j1"), **more})
    try:
        yield desk
    finally:
        await adapter.close()
        await server.close()


def showing(prompt: str, *references: Reference) -> Call:
    """A call with reference pictures."""
    request = Request(prompt, {REFERENCE: stored(references)})
    return Call(request, idempotency_key="task-1", timeout_s=20.0)


async def outcome(desk: Desk, row: Row) -> tuple[bool, Failure]:
    """Whether it is the job's own, and the failure."""
    empty = Reply(row.status, b"", row.headers)
    reply = empty if row.body is None else json_reply(row.body, row.status, row.headers)
    path = {"submit": desk.submit_path, "poll": desk.poll_path, "fetch": desk.fetch_path}[row.at]
    desk.server.on(path, reply)
    try:
        if row.at == "submit":
            found: Any = await desk.adapter.submit(call())
        else:
            found = await state_of(desk)
    except ProviderFailure as trouble:
        return False, trouble.failure
    assert isinstance(found, JobFailed), found
    return True, found.failure


async def state_of(desk: Desk, **context: str) -> JobState:
    """What a poll for the job says."""
    job = replace(desk.job, context={**desk.job.context, **context})
    return (await desk.adapter.poll([job]))[job.id]


async def check(desk: Desk, row: Row) -> None:
    """The row means what it says."""
    of_job, failure = await outcome(desk, row)
    said, in_chinese = ENGLISH.say(failure.said), CHINESE.say(failure.said)
    assert (of_job, failure.kind, failure.code) == (row.of_job, row.kind, row.code), said
    host = desk.server.url.removeprefix("http://")
    assert tuple(one.replace(host, "HOST") for one in (said, in_chinese)) == row.said
    assert failure.billed is row.billed
    assert failure.wait.seconds == row.wait_s
    assert KEY not in repr(failure)
