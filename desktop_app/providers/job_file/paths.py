"""Finds a part of an answer by a JMESPath expression, which is understood before the first call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions
from jmespath.parser import ParsedResult


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
        return cls(source, compiled)

    def find(self, answer: Any) -> Any:
        """What the expression finds; None for nothing, and where the answer is of another shape."""
        try:
            return self.compiled.search(answer)
        except JMESPathError:
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


def _calls(node: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    children = node.get("children") or ()
    if node.get("type") == "function_expression":
        yield str(node["value"]), len(children)
    values = node.get("value")
    for child in (*children, *((values,) if isinstance(values, Mapping) else ())):
        if isinstance(child, Mapping):
            yield from _calls(child)
