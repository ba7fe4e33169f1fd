"""What differs between adapters: an adapter joins the suite by one entry here."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, ProviderFailure
from desktop_app.domain.ports import Adapter, Answer, Call
from desktop_app.domain.task import Request
from tests.contract.server import Reply, ScriptedServer

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
    body itself. ``listing``: where it lists its models and how, with the model itself among the
    names; ``home``: its vendor's own address, where a key is needed. ``aside``: what a job's
    further calls are answered, by path; ``fields``: more of the connection.
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
    list_path: str = "/v1/models"
    listing: Callable[..., Any] | None = openai_models
    home: str | None = "https://api.openai.com"
    aside: Mapping[str, Reply] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)

    def connection(self, base: str, **more: Any) -> Connection:
        made = Connection(
            name="c", adapter=self.adapter, base_url=f"{base}{self.root}", model=self.model
        )
        return replace(made, **{**self.fields, **more})

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
CASES = (IMAGES, CHAT)


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


async def failing(adapter: Adapter, made: Call | None = None) -> Failure:
    """The failure of a submit that must fail."""
    try:
        answer: Answer = await adapter.submit(made or call())
    except ProviderFailure as trouble:
        return trouble.failure
    raise AssertionError(f"no failure, but {answer.contents[0].mime}")
