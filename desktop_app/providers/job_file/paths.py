"""Finds a part of an answer by a JMESPath expression, which is understood before the first call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions
from jmespath.parser import ParsedResult

# The library lets what its functions stumble over through, and their own errors as well.
_NOT_OF_THIS_SHAPE = (JMESPathError, TypeError, ValueError, ArithmeticError, RecursionError)
_STANDS_STILL = re.compile(r":\s*-?0+\s*\]")
_NEAR_CHARS = 40


class BadPath(ValueError):
    """``text`` is what is wrong, ``at`` the offset in the expression, None where it has none."""

    def __init__(self, text: str, at: int | None) -> None:
        super().__init__(text)
        self.text = text
        self.at = at


@dataclass(frozen=True, slots=True)
class Path:
    """A compiled expression."""

    source: str
    compiled: ParsedResult

    @classmethod
    def of(cls, source: str) -> Path:
        """Raises BadPath, also for what would fail with every answer."""
        try:
            compiled = jmespath.compile(source)
        except RecursionError:
            raise BadPath(source[:_NEAR_CHARS], 0) from None
        except JMESPathError as trouble:
            at = getattr(trouble, "lex_position", getattr(trouble, "lexer_position", None))
            near = getattr(trouble, "token_value", None)
            raise BadPath(str(near) if near is not None else source[at or 0 :], at) from None
        for name, given in _calls(compiled.parsed):
            known = Functions.FUNCTION_TABLE.get(name)
            if known is None:
                raise BadPath(f"{name}()", source.find(name))
            takes = known["signature"]
            endless = bool(takes) and takes[-1].get("variadic", False)
            if given < len(takes) or (given > len(takes) and not endless):
                raise BadPath(f"{name}()", source.find(name))
        if any(_stands_still(node) for node in _nodes(compiled.parsed)):
            step = _STANDS_STILL.search(source)
            raise BadPath(step[0] if step else source, step.start() if step else 0)
        return cls(source, compiled)

    def find(self, answer: Any) -> Any:
        """What the expression finds; None for nothing, and where the answer is of another shape."""
        try:
            return self.compiled.search(answer)
        except _NOT_OF_THIS_SHAPE:
            return None

    def word(self, answer: Any) -> str:
        """A text or a number as text; empty for anything else."""
        found = self.find(answer)
        if isinstance(found, bool) or not isinstance(found, str | int | float):
            return ""
        return str(found).strip()

    def every(self, answer: Any) -> list[Any]:
        """What it finds as a list: of one where it is one, of none where it is nothing."""
        found = self.find(answer)
        if isinstance(found, list):
            return found
        return [] if found is None else [found]


def _calls(tree: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for node in _nodes(tree):
        if node.get("type") == "function_expression":
            yield str(node["value"]), len(node.get("children") or ())


def _stands_still(node: Mapping[str, Any]) -> bool:
    """Whether it is a slice with a step of 0, which the library takes and fails with."""
    return node.get("type") == "slice" and (node.get("children") or (1,))[-1] == 0


def _nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in (*(node.get("children") or ()), node.get("value")):
        if isinstance(child, Mapping):
            yield from _nodes(child)
