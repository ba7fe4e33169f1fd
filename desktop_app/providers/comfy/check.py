"""The test of a ComfyUI connection: whether the server has what the workflow needs, and which node
gets what, before a single picture is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from desktop_app.domain.text import Message, message
from desktop_app.providers.comfy.order import takes_prompt
from desktop_app.providers.comfy.workflow import Input, Workflow

_SHOWN = 3
_CHOICES = 5


def lacking(workflow: Workflow, known: Mapping[str, Any]) -> tuple[Message, ...]:
    """What the server lacks: types of nodes, and models and other values to choose from. ``known``:
    what its types take, as it tells it."""
    types = {
        node: str(found["class_type"])
        for node, found in workflow.nodes.items()
        if found["class_type"] not in known
    }
    if types:
        named = [f"{kind} ({node})" for node, kind in types.items()]
        return (message("comfyui.no_node", nodes=named),)
    wrong = list(_wrong_choices(workflow, known))
    return tuple(wrong[:_SHOWN])


def _wrong_choices(workflow: Workflow, known: Mapping[str, Any]) -> Iterator[Message]:
    pictures = {one.id for one in workflow.pictures()}
    for one in workflow.inputs:
        choices = _choices(known, workflow, one)
        if one.id in pictures or choices is None or one.value in choices:
            continue
        some = [str(choice) for choice in choices[:_CHOICES]] or ["-"]
        more = ["…"] if len(choices) > _CHOICES else []
        yield message(
            "comfyui.no_choice",
            value=str(one.value),
            node=f"{one.title} ({one.node})",
            input=one.name,
            choices=some + more,
        )


def _choices(known: Mapping[str, Any], workflow: Workflow, one: Input) -> list[Any] | None:
    """The values an input may have, where the server lists them."""
    found = known[workflow.nodes[one.node]["class_type"]]
    takes = found.get("input") if isinstance(found, Mapping) else None
    for group in ("required", "optional"):
        of_group = takes.get(group) if isinstance(takes, Mapping) else None
        spec = of_group.get(one.name) if isinstance(of_group, Mapping) else None
        if isinstance(spec, list) and spec:
            if isinstance(spec[0], list):
                return spec[0]
            options = spec[1].get("options") if len(spec) > 1 and spec[0] == "COMBO" else None
            return options if isinstance(options, list) else None
    return None


def destinations(workflow: Workflow, extra: Mapping[str, Any]) -> tuple[Message, ...]:
    """Which node gets what, by a connection's ``extra``. Raises BadWorkflow."""
    told: list[Message] = []
    if takes_prompt(extra):
        prompt = workflow.prompt(extra.get("prompt"))
        told.append(message("comfyui.prompt_goes", input=_named(prompt)))
    seeds = workflow.seeds()
    if seeds:
        told.append(message("comfyui.seed_goes", inputs=[_named(one) for one in seeds]))
    else:
        told.append(message("comfyui.no_seed"))
    pictures = workflow.pictures()
    if pictures:
        told.append(message("comfyui.pictures_go", inputs=[_named(one) for one in pictures]))
    return tuple(told)


def readable(extra: Mapping[str, Any]) -> tuple[Workflow, tuple[Message, ...]]:
    """The workflow of a connection and where everything goes. Raises BadWorkflow."""
    workflow = Workflow(extra.get("workflow"))
    return workflow, destinations(workflow, extra)


def _named(one: Input) -> str:
    return f"{one.id} ({one.title})"
