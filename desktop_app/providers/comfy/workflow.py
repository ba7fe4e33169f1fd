"""A workflow as ComfyUI saves it for its API: which of its inputs a sheet can fill, so that an
operator maps columns to names that stand on the nodes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from desktop_app.domain.ports import Param
from desktop_app.domain.text import Message, message

SEEDS = frozenset({"seed", "noise_seed"})
_TEXTS = frozenset({"text", "prompt", "positive", "positive_prompt", "string", "text_g", "t5xxl"})
_EXACT = 2**53  # larger whole numbers are not what they were as floats
_SHOWN = 12


class BadWorkflow(Exception):
    """It can't be used as it is; ``said`` is the sentence for the operator."""

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.said: Message = message(code, **values)


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a node that holds a value of its own, and is no link to another node."""

    node: str
    title: str
    name: str
    value: Any

    @property
    def id(self) -> str:
        """``6.text``."""
        return f"{self.node}.{self.name}"

    @property
    def titled(self) -> str:
        """``Positive Prompt.text``."""
        return f"{self.title}.{self.name}"


class Workflow:
    """Nodes by their id, as the server takes them. Nothing here changes them."""

    def __init__(self, found: object) -> None:
        """``found``: parsed JSON. Raises BadWorkflow."""
        if isinstance(found, Mapping) and isinstance(found.get("prompt"), Mapping):
            found = found["prompt"]
        if isinstance(found, Mapping) and isinstance(found.get("nodes"), list):
            raise BadWorkflow("comfyui.ui_format")
        if not isinstance(found, Mapping) or not found or not all(map(_is_node, found.values())):
            raise BadWorkflow("comfyui.no_workflow")
        self.nodes: Mapping[str, Mapping[str, Any]] = found
        self.inputs = tuple(self._inputs())
        titled: dict[str, list[Input]] = {}
        for one in self.inputs:
            titled.setdefault(one.titled, []).append(one)
        unique = {name: those[0] for name, those in titled.items() if len(those) == 1}
        self._named = {**unique, **{one.id: one for one in self.inputs}}

    def _inputs(self) -> Iterator[Input]:
        for node in sorted(self.nodes, key=by_number):
            for name, value in self.nodes[node]["inputs"].items():
                if not _is_link(value):
                    yield Input(node, self.title(node), name, value)

    def title(self, node: str) -> str:
        """What stands on a node; its type where it has no title."""
        found = self.nodes.get(node, {})
        meta = found.get("_meta")
        title = meta.get("title") if isinstance(meta, Mapping) else None
        return str(title or found.get("class_type") or node)

    def input(self, name: str) -> Input:
        """By ``6.text``, or by ``Positive Prompt.text`` where one node alone is called so. Raises
        BadWorkflow."""
        found = self._named.get(name)
        if found is None:
            raise BadWorkflow("comfyui.no_input", input=name, known=_some(self.inputs))
        return found

    def prompt(self, stated: str | None) -> Input:
        """Where the prompt goes: as stated, else the one text that leads to a positive input, else
        the one text there is. Raises BadWorkflow."""
        if stated:
            return self.input(stated)
        texts = [one for one in self.inputs if one.name in _TEXTS and isinstance(one.value, str)]
        wanted = self._before("positive")
        found = [one for one in texts if one.node in wanted]
        if not found:
            unwanted = self._before("negative")
            found = [one for one in texts if one.node not in unwanted]
        if len(found) == 1:
            return found[0]
        if not found:
            raise BadWorkflow("comfyui.no_prompt")
        raise BadWorkflow("comfyui.many_prompts", known=_some(found))

    def _before(self, name: str) -> set[str]:
        """The nodes that the inputs of this name come from, however far."""
        other = {"positive": "negative", "negative": "positive"}[name]
        left = [node["inputs"][name] for node in self.nodes.values() if name in node["inputs"]]
        found: set[str] = set()
        while left:
            link = left.pop()
            if not _is_link(link) or link[0] in found or link[0] not in self.nodes:
                continue
            found.add(link[0])
            inputs = self.nodes[link[0]]["inputs"]
            # A node between, such as a ControlNet, takes both and hands both on.
            left += [value for key, value in inputs.items() if key != other]
        return found

    def seeds(self) -> tuple[Input, ...]:
        """Inputs that make one picture differ from the next."""
        return tuple(one for one in self.inputs if one.name in SEEDS and _is_whole(one.value))

    def pictures(self) -> tuple[Input, ...]:
        """Inputs that take a picture from the server's folder, in the order of their nodes."""
        return tuple(one for one in self.inputs if one.name == "image" and self._loads(one.node))

    def _loads(self, node: str) -> bool:
        return str(self.nodes[node]["class_type"]).lower().startswith("loadimage")

    def params(self, stated_prompt: str | None = None) -> tuple[Param, ...]:
        """What a sheet's columns can fill besides the prompt: by node and input, and hidden by
        title and input."""
        try:
            taken = self.prompt(stated_prompt).id
        except BadWorkflow:
            taken = ""
        shown = [one for one in self.inputs if one.id != taken]
        by_id = [Param(one.id, _kind(one), (), self._label(one)) for one in shown]
        titled = [
            Param(one.titled, _kind(one), hidden=True)
            for one in shown
            if self._named.get(one.titled) is one
        ]
        return (*by_id, *titled)

    def _label(self, one: Input) -> str:
        """As a form calls it: by its title, and by its number where two bear it."""
        alone = self._named.get(one.titled) is one
        return f"{one.title}: {one.name}" if alone else f"{one.title} ({one.node}): {one.name}"

    def filled(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The nodes with these values, by input, each of the kind that the saved one is. Raises
        BadWorkflow."""
        nodes: dict[str, Any] = copy.deepcopy(dict(self.nodes))
        for name, value in values.items():
            one = self.input(name)
            nodes[one.node]["inputs"][one.name] = _as_saved(one.value, value)
        return nodes


def by_number(node: str) -> tuple[int, str]:
    """Sorts node ids as a person counts."""
    head = node.partition(":")[0]
    return (int(head) if head.isascii() and head.isdigit() and len(head) < 18 else 2**62, node)


def _is_node(found: object) -> bool:
    return (
        isinstance(found, Mapping)
        and isinstance(found.get("class_type"), str)
        and isinstance(found.get("inputs"), Mapping)
    )


def _is_link(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _kind(one: Input) -> str:
    value = one.value
    if isinstance(value, bool):
        return "bool"
    if one.name in SEEDS or (isinstance(value, int) and abs(value) > _EXACT):
        return "int"
    # A strength of 8.0 is saved as 8, and takes 7.5 all the same.
    return "float" if isinstance(value, int | float) else "text"


def _as_saved(saved: Any, value: Any) -> Any:
    if isinstance(saved, bool) or isinstance(value, bool):
        return value
    if isinstance(saved, int | float):
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                return value
        return int(value) if isinstance(value, float) and value.is_integer() else value
    return str(value) if isinstance(saved, str) and isinstance(value, int | float) else value


def _some(inputs: Iterable[Input]) -> str:
    names = [f"{one.id} ({one.title})" for one in inputs]
    return ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")
