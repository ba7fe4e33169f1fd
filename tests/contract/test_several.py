"""Several results of one call: every adapter keeps each of them, in order, and says how many were
billed."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.domain.ports import Adapter, Answer
from desktop_app.providers.registry import AdapterRegistry
from tests.contract.cases import BFL, CASES, CLAUDE, Case, call
from tests.contract.conftest import Open, shipped_files
from tests.contract.server import ScriptedServer, json_reply

WHERE = {
    "openai-images": "data",
    "openai-chat": "choices",
    "comfyui": "images",
    "replicate": "output",
    "fal": "images",
    "dashscope-wan": "results",
    "dashscope-qwen-image": "content",
    "gemini": "candidates",
    "gemini-2.5-flash-image": "parts",
    "imagen-4.0-generate-001": "predictions",
}
"""The list that holds the results, by what tells a case from the others."""

ONE_EACH = (BFL, CLAUDE)
"""These give one result a call."""


def where(case: Case) -> str:
    return WHERE.get(case.model) or WHERE[case.name]


def doubled(found: Any, name: str) -> Any:
    """With everything in the list of that name there twice."""
    if isinstance(found, list):
        return [doubled(one, name) for one in found]
    if not isinstance(found, dict):
        return found
    made = {key: doubled(inside, name) for key, inside in found.items()}
    if isinstance(made.get(name), list):
        made[name] = [*made[name], *copy.deepcopy(made[name])]
    return made


@pytest.fixture(
    params=[one for one in CASES if one not in ONE_EACH], ids=lambda one: f"{one.name}-{one.model}"
)
def case(request: pytest.FixtureRequest) -> Any:
    """Each in turn, with an answer of two results."""
    one: Case = request.param
    name = where(one)
    aside = {
        path: json_reply(doubled(json.loads(reply.body), name))
        if reply.headers.get("content-type") == "application/json"
        else reply
        for path, reply in one.aside.items()
    }
    return replace(one, good=doubled(one.good, name), aside=aside)


async def test_each_of_two_results_is_kept(
    case: Case, adapter: Adapter, server: ScriptedServer
) -> None:
    server.on(case.path, json_reply(case.good))
    answer = await adapter.submit(call(n=2) if case.flat else call())
    assert isinstance(answer, Answer)
    assert [one.data for one in answer.contents] == [case.result] * 2
    if adapter.capabilities.of(case.model).makes == "picture" and case.result[:4] == b"\x89PNG":
        assert answer.billed_images == 2
    assert len(server.seen) == 1


async def test_a_seed_is_declared_where_one_is_sent(open_adapter: Open) -> None:
    """And nowhere else: the form offers what the provider takes."""
    seedless = {"anthropic-messages", "gemini:imagen-4.0-generate-001"}
    for one in CASES:
        connection = one.connection("http://127.0.0.1:9")
        can = AdapterRegistry(files=shipped_files()).capabilities(one.adapter, connection)
        declared = "seed" in {param.name for param in can.of(one.model).params}
        if one.model == "gpt-image-1" or seedless & {one.name, f"{one.name}:{one.model}"}:
            assert not declared, one.name
            continue
        assert declared, one.name
        body = open_adapter(connection).body_preview(call(seed=7).request)
        assert '"seed": 7' in json.dumps(body), one.name


def test_every_adapter_is_asked() -> None:
    assert {one.name for one in CASES} - {one.name for one in ONE_EACH} <= set(WHERE)


async def test_who_takes_n_is_told_it(open_adapter: Open) -> None:
    """A column for the number of results reaches the field that the vendor has for it."""
    names = {
        "openai-images": "n",
        "openai-chat": "n",
        "replicate": "num_outputs",
        "fal": "num_images",
        "dashscope-wan": "n",
        "gemini": "candidateCount",
        "imagen-4.0-generate-001": "sampleCount",
    }
    for one in CASES:
        name = names.get(one.model) or names.get(one.name)
        if name is None or one.model == "gemini-2.5-flash-image":
            continue
        body = open_adapter(one.connection("http://127.0.0.1:9")).body_preview(call(n=3).request)
        assert f'"{name}": 3' in json.dumps(body), one.name
