"""What differs between adapters: an adapter joins the suite by one entry here."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, ProviderFailure
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.ports import Adapter, Answer, Call
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from desktop_app.settings.paths import resources_dir
from tests.contract.server import Reply, ScriptedServer, json_reply
from tests.providers.comfy.workflows import picture_to_picture

ENGLISH = Translator()
CHINESE = Translator("zh_CN", resources_dir() / "locale")
_HAN = re.compile(r"[\u4e00-\u9fff]{2}")

KEY = "sk-contract-Zm9vYmFy-0123456789"
EDGE_KEY = "not like any vendors key at all".replace(" ", "/")


def png(size: tuple[int, int] = (8, 8)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(stream, "PNG")
    return stream.getvalue()


PNG = png()


def openai_models(*names: str) -> Any:
    """A list of models as OpenAI writes it."""
    return {"object": "list", "data": [{"id": name} for name in names]}


@dataclass(frozen=True, slots=True)
class Case:
    """One adapter: where it posts, a good answer, the prompt in its body, an empty answer (None:
    nothing is said by an answer that is empty).

    ``root`` is put behind a server's address; ``key_header`` and ``key_prefix`` carry the key;
    ``model_of`` tells the model from a body and its target; ``flat``: parameters are fields of the
    body itself; ``unforeseen``: fields of a body that no preview knows. ``list_path`` is asked
    first by the test of a connection, ``listing`` a list of models of these names, where it is
    one; ``home``: its vendor's own address, where a key is needed. ``aside``: what a job's further
    calls are answered, by path; ``fields``: more of the connection. ``bare``: what ``{}`` means.
    """

    adapter: str
    path: str
    model: str
    good: Any
    empty: Any
    prompt_of: Callable[[Any], str]
    result: bytes
    root: str = "/v1"
    key_header: str = "authorization"
    key_prefix: str = "Bearer "
    model_of: Callable[[Any, str], str] = lambda body, _target: str(body["model"])
    flat: bool = True
    preview_params: Mapping[str, Any] = field(
        default_factory=lambda: {"size": "1024x1024", "temperature": 0.5}
    )
    unforeseen: tuple[str, ...] = ()
    list_path: str = "/v1/models"
    listing: Callable[..., Any] | None = openai_models
    home: str | None = "https://api.openai.com"
    aside: Mapping[str, Reply] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    bare: F = F.UNKNOWN

    def connection(self, base: str, **more: Any) -> Connection:
        made = Connection(
            name="c", adapter=self.adapter, base_url=f"{base}{self.root}", model=self.model
        )
        return replace(made, **{**self.fields, **more})

    @property
    def name(self) -> str:
        """What tells it from the others of its adapter."""
        return str(self.fields.get("preset") or self.adapter)

    def key_in(self, headers: Mapping[str, str]) -> str | None:
        """The key that a request carries; headers by lower-case name."""
        found = headers.get(self.key_header)
        return None if found is None else found.removeprefix(self.key_prefix)

    def serve(self, server: ScriptedServer) -> None:
        """Answer what a job asks further."""
        for path, reply in self.aside.items():
            server.aside(path, reply)


IMAGES = Case(
    adapter="openai-images",
    path="/v1/images/generations",
    model="gpt-image-1",
    good={"created": 1, "data": [{"b64_json": base64.b64encode(PNG).decode()}]},
    empty={"created": 1, "data": []},
    prompt_of=lambda body: body["prompt"],
    result=PNG,
)
CHAT = Case(
    adapter="openai-chat",
    path="/v1/chat/completions",
    model="m-1",
    good={
        "model": "m-1",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"content": "你好, Antwort\n"}}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    },
    empty={"model": "m-1", "choices": []},
    prompt_of=lambda body: body["messages"][-1]["content"],
    result="你好, Antwort\n".encode(),
)
COMFY_ID = "e1f84591-98d9-5142-b1e6-e40c93af3e1a"
"""What the key of ``call`` makes of a job's id."""
COMFY = Case(
    adapter="comfyui",
    path="/prompt",
    model="shoe",
    good={"prompt_id": COMFY_ID, "number": 1, "node_errors": {}},
    empty=None,
    prompt_of=lambda body: body["prompt"]["6"]["inputs"]["text"],
    result=PNG,
    root="",
    model_of=lambda _body, _target: "shoe",
    flat=False,
    preview_params={"5.width": 640.0, "seed": 7},
    unforeseen=("prompt_id", "client_id"),
    list_path="/system_stats",
    listing=None,
    home=None,
    aside={
        "/queue": json_reply({"queue_running": [], "queue_pending": []}),
        f"/history/{COMFY_ID}": json_reply(
            {
                COMFY_ID: {
                    "prompt": [1, COMFY_ID, picture_to_picture(), {}, ["9"]],
                    "outputs": {"9": {"images": [{"filename": "a.png", "type": "output"}]}},
                    "status": {"status_str": "success", "completed": True, "messages": []},
                }
            }
        ),
        "/view": Reply(200, PNG, {"content-type": "image/png"}),
    },
    fields={"extra": {"workflow": picture_to_picture()}},
)
DATA_URL = "data:image/png;base64," + base64.b64encode(PNG).decode()


def of_file(preset: str, path: str, model: str, good: Any, **more: Any) -> Case:
    """A provider that one of the shipped files describes."""
    told = {"empty": None, "prompt_of": lambda body: body["prompt"], "flat": False, **more}
    return Case(
        adapter="http-job",
        path=path,
        model=model,
        good=good,
        result=PNG,
        listing=None,
        fields={"preset": preset},
        **told,
    )


REPLICATE = of_file(
    "replicate",
    "/v1/predictions",
    "black-forest-labs/flux-schnell",
    {"id": "p1", "status": "starting", "error": None},
    prompt_of=lambda body: body["input"]["prompt"],
    model_of=lambda body, _target: str(body["version"]),
    home="https://api.replicate.com",
    aside={"/v1/predictions/p1": json_reply({"status": "succeeded", "output": [DATA_URL]})},
)
FAL = of_file(
    "fal",
    "/fal-ai/flux/dev",
    "fal-ai/flux/dev",
    {"request_id": "r1", "gateway_request_id": "r1"},
    root="",
    key_prefix="Key ",
    model_of=lambda _body, target: target.removeprefix("/"),
    home="https://queue.fal.run",
    aside={
        "/fal-ai/flux/requests/r1/status": json_reply({"status": "COMPLETED"}),
        "/fal-ai/flux/requests/r1": json_reply({"images": [{"url": DATA_URL}]}),
    },
)
BFL = of_file(
    "bfl",
    "/v1/flux-2-pro",
    "flux-2-pro",
    {"id": "b1", "polling_url": None},
    key_header="x-key",
    key_prefix="",
    model_of=lambda _body, target: target.removeprefix("/v1/"),
    home="https://api.bfl.ai",
    aside={"/v1/get_result": json_reply({"status": "Ready", "result": {"sample": DATA_URL}})},
)
WAN = of_file(
    "dashscope-wan",
    "/api/v1/services/aigc/text2image/image-synthesis",
    "wan2.2-t2i-flash",
    {"request_id": "q", "output": {"task_id": "t1", "task_status": "PENDING"}},
    root="/api/v1",
    prompt_of=lambda body: body["input"]["prompt"],
    home="https://dashscope.aliyuncs.com",
    aside={
        "/api/v1/tasks/t1": json_reply(
            {"output": {"task_status": "SUCCEEDED", "results": [{"url": DATA_URL}]}}
        )
    },
)
QWEN_IMAGE = of_file(
    "dashscope-qwen-image",
    "/api/v1/services/aigc/multimodal-generation/generation",
    "qwen-image",
    {"output": {"choices": [{"message": {"content": [{"image": DATA_URL}]}}]}},
    root="/api/v1",
    empty={"output": {"choices": []}},
    prompt_of=lambda body: body["input"]["messages"][0]["content"][0]["text"],
    home="https://dashscope.aliyuncs.com",
)
JOB_FILES = (REPLICATE, FAL, BFL, WAN, QWEN_IMAGE)
CLAUDE = Case(
    adapter="anthropic-messages",
    path="/v1/messages",
    model="claude-sonnet-4-5",
    good={
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": "你好, Antwort\n"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    },
    empty={"type": "message", "content": [], "stop_reason": "end_turn"},
    prompt_of=lambda body: body["messages"][-1]["content"],
    result="你好, Antwort\n".encode(),
    key_header="x-api-key",
    key_prefix="",
    home="https://api.anthropic.com",
)


def google_models(*names: str) -> Any:
    """A list of models as Google writes it."""
    return {"models": [{"name": f"models/{name}"} for name in names]}


def _google(model: str, method: str, **more: Any) -> Case:
    return Case(
        adapter="gemini",
        path=f"/v1beta/models/{model}:{method}",
        model=model,
        root="/v1beta",
        key_header="x-goog-api-key",
        key_prefix="",
        model_of=lambda _body, target: target.rpartition("/")[2].partition(":")[0],
        flat=False,
        list_path="/v1beta/models",
        listing=google_models,
        home="https://generativelanguage.googleapis.com",
        # In one piece: an address with a query is another one to a test.
        fields={"params": {"stream": False}},
        **more,
    )


GEMINI = _google(
    "gemini-2.5-flash",
    "generateContent",
    good={
        "candidates": [
            {"content": {"parts": [{"text": "你好, Antwort\n"}]}, "finishReason": "STOP"}
        ],
        "usageMetadata": {"totalTokenCount": 7},
    },
    empty={"candidates": [], "usageMetadata": {}},
    prompt_of=lambda body: body["contents"][0]["parts"][-1]["text"],
    result="你好, Antwort\n".encode(),
)
NANO = _google(
    "gemini-2.5-flash-image",
    "generateContent",
    good={
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"text": "Here it is."},
                        {
                            "inlineData": {
                                "mimeType": "image/png",
                                "data": base64.b64encode(PNG).decode(),
                            }
                        },
                    ]
                },
                "finishReason": "STOP",
            }
        ]
    },
    empty={"candidates": []},
    prompt_of=lambda body: body["contents"][0]["parts"][-1]["text"],
    result=PNG,
)
IMAGEN = _google(
    "imagen-4.0-generate-001",
    "predict",
    good={"predictions": [{"bytesBase64Encoded": base64.b64encode(PNG).decode()}]},
    empty={"predictions": []},
    prompt_of=lambda body: body["instances"][0]["prompt"],
    result=PNG,
    bare=F.REFUSED,
)
CASES = (IMAGES, CHAT, COMFY, *JOB_FILES, CLAUDE, GEMINI, NANO, IMAGEN)


class FakeClock:
    """Time that moves only when told; sleeping is remembered and takes no time."""

    def __init__(self) -> None:
        self.wall = 1_800_000_000.0
        self.tick = 1000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.wall

    def monotonic(self) -> float:
        return self.tick

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def advance(self, seconds: float) -> None:
        self.wall += seconds
        self.tick += seconds


def call(prompt: str = "a red sneaker", timeout_s: float = 20.0, **params: Any) -> Call:
    return Call(Request(prompt, params), idempotency_key="task-1", timeout_s=timeout_s)


def assert_said(failure: Failure) -> None:
    """A person reads a whole sentence, in English and in Chinese."""
    english, chinese = ENGLISH.say(failure.said), CHINESE.say(failure.said)
    assert english != failure.said.code
    assert chinese != english
    assert _HAN.search(chinese), chinese


async def failing(adapter: Adapter, made: Call | None = None) -> Failure:
    """The failure of a submit that must fail; it can be said in both languages."""
    try:
        answer: Answer = await adapter.submit(made or call())
    except ProviderFailure as trouble:
        assert_said(trouble.failure)
        return trouble.failure
    raise AssertionError(f"no failure, but {answer.contents[0].mime}")
