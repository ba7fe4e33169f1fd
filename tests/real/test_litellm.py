"""The LiteLLM proxy itself, in front of models that only pretend: its answers and its errors are
its own."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import Adapter, Answer, Call
from desktop_app.domain.task import Request
from desktop_app.domain.text import Translator
from desktop_app.providers.registry import AdapterRegistry
from tests.helpers.free_port import free_port
from tests.real.conftest import interpreter
from tests.real.environments import script

pytestmark = pytest.mark.long
REQUIREMENTS = ("litellm[proxy]==1.108.7",)
KEY = "sk-real-loopback-0123456789-abcdefghij"
WORDS = "hello from the proxy"
MOCKS = {
    "hello": WORDS,
    "limited": "litellm.RateLimitError",
    "small": "litellm.ContextWindowExceededError",
    "broken": "litellm.InternalServerError",
}


def config(dead_port: int) -> dict[str, Any]:
    """JSON is YAML, too. ``gone`` lies behind a port where nobody answers."""
    known = {"model": "openai/gpt-4o-mini", "api_key": "sk-none"}
    models = [
        {"model_name": name, "litellm_params": {**known, "mock_response": said}}
        for name, said in MOCKS.items()
    ]
    gone = {**known, "api_base": f"http://127.0.0.1:{dead_port}/v1"}
    return {
        "model_list": [*models, {"model_name": "gone", "litellm_params": gone}],
        "litellm_settings": {"num_retries": 0},
        "general_settings": {"master_key": KEY},
    }


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its base URL."""
    python = interpreter("litellm", REQUIREMENTS, 900.0)
    folder = tmp_path_factory.mktemp("litellm")
    (folder / "config.yaml").write_text(json.dumps(config(free_port())), encoding="utf-8")
    port = free_port()
    command = [*script(python, "litellm"), "--config", str(folder / "config.yaml")]
    with (folder / "proxy.log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            stdout=log,
            stderr=log,
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/health/liveliness", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(30)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1800):
        assert process.poll() is None, "the proxy ended"
        try:
            urllib.request.urlopen(url, timeout=10).close()
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the proxy never answered")


@pytest.fixture
async def opened(proxy: str) -> AsyncIterator[Any]:
    """``opened(model, key=KEY, **changes)`` of the connection; closed afterwards."""
    adapters: list[Adapter] = []

    def make(model: str, key: str | None = KEY, **changes: Any) -> Adapter:
        connection = Connection("proxy", "openai-chat", proxy, model, preset="litellm")
        adapters.append(AdapterRegistry().open(replace(connection, **changes), key))
        return adapters[-1]

    yield make
    for adapter in adapters:
        await adapter.close()


def asking(**params: Any) -> Call:
    return Call(Request("hi", params), idempotency_key="task-1", timeout_s=60.0)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_an_answer(opened: Any, stream: bool) -> None:
    call = asking(stream=stream)
    found = await opened("hello").submit(call)
    assert isinstance(found, Answer)
    assert [content.text for content in found.contents] == [WORDS]
    assert found.flags == ()
    assert found.tokens
    assert found.request_id
    assert call.peek is not None
    assert call.peek().text == (WORDS if stream else "")


ERRORS = [
    ("limited", KEY, F.THROTTLED, "litellm.RateLimitError", "asks to slow down"),
    ("small", KEY, F.INVALID, "litellm.ContextWindowExceededError", "too long for small"),
    ("broken", KEY, F.TRANSIENT, "litellm.InternalServerError", "HTTP 500"),
    ("gone", KEY, F.TRANSIENT, "litellm.InternalServerError", "HTTP 500"),
    ("nope", KEY, F.INVALID, None, "has no model nope"),
    ("hello", "sk-wrong", F.ACCOUNT, "no_db_connection", "refused the key"),
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("model", "key", "kind", "code", "sentence"), ERRORS)
@pytest.mark.parametrize("preset", ["litellm", None], ids=["introduced", "unknown"])
async def test_an_error(
    opened: Any,
    stream: bool,
    model: str,
    key: str,
    kind: F,
    code: str | None,
    sentence: str,
    preset: str | None,
) -> None:
    with pytest.raises(ProviderFailure) as caught:
        await opened(model, key, preset=preset).submit(asking(stream=stream))
    failure = caught.value.failure
    assert failure.kind is kind
    assert code in (None, failure.code)
    assert sentence in Translator().say(failure.said)
    assert key not in failure.body


async def test_the_connection_test(opened: Any) -> None:
    report = await opened("hello").test()
    assert report.ok
    assert set(report.models) == {*MOCKS, "gone"}
    assert not (await opened("hello", "sk-wrong").test()).ok
