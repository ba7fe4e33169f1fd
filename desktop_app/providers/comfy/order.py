"""From a row to the nodes that are sent: values, fresh seeds, and pictures in their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import ReferenceRule
from desktop_app.domain.references import REFERENCE
from desktop_app.domain.task import Request
from desktop_app.providers.comfy.workflow import BadWorkflow, Workflow
from desktop_app.providers.request_fields import setting

_OURS = frozenset({"seed", REFERENCE})
_MIMES = ("image/png", "image/jpeg", "image/webp")
_PICTURE_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class Order:
    """The workflow, its values by input, and the inputs that get a fresh seed."""

    workflow: Workflow
    values: Mapping[str, Any]
    fresh_seeds: Sequence[str]

    def graph(self, seed: Any, pictures: Sequence[str]) -> dict[str, Any]:
        """The nodes as they are sent. ``pictures`` by the names the server has for them. Raises
        BadWorkflow."""
        shown = zip(self.workflow.pictures(), pictures, strict=False)
        taken = {one.id: name for one, name in shown}
        seeds = dict.fromkeys(self.fresh_seeds, seed)
        return self.workflow.filled({**seeds, **taken, **self.values})

    def rule(self) -> ReferenceRule | None:
        """Which pictures it takes."""
        return rule_of(self.workflow)


def order_of(connection: Connection, request: Request) -> Order:
    """What a request comes to. Raises BadWorkflow."""
    params, extra = setting(connection, request.params, request.extra)
    workflow = Workflow(extra.get("workflow"))
    values: dict[str, Any] = {}
    if takes_prompt(extra):
        values[workflow.prompt(extra.get("prompt")).id] = request.prompt
    seeds = [one.id for one in workflow.seeds()]
    if "seed" in params:
        values |= dict.fromkeys(seeds, params["seed"])
    for name, value in params.items():
        if name not in _OURS:
            values[workflow.input(name).id] = value
    return Order(workflow, values, [name for name in seeds if name not in values])


def takes_prompt(extra: Mapping[str, Any]) -> bool:
    """Whether the prompt goes anywhere: ``"prompt": null`` says that the workflow needs none."""
    return "prompt" not in extra or extra["prompt"] is not None


def rule_of(workflow: Workflow) -> ReferenceRule | None:
    """A picture for each node that loads one."""
    most = len(workflow.pictures())
    return ReferenceRule(most, _MIMES, _PICTURE_BYTES) if most else None


def outputs_of(connection: Connection) -> tuple[str, ...]:
    """The nodes whose pictures are the results, by id, where the connection names them by id or
    title."""
    stated = connection.extra.get("outputs")
    wanted = stated if isinstance(stated, list) else [stated] if stated else []
    try:
        workflow = Workflow(connection.extra.get("workflow"))
    except BadWorkflow:
        return ()
    return tuple(n for n in workflow.nodes if n in wanted or workflow.title(n) in wanted)
