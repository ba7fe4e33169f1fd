"""Writes a request by a pattern: a value keeps its type, and what has no value leaves no trace."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ABSENT: Any = object()


class BadTemplate(ValueError):
    """A brace that neither begins a field nor is doubled."""


def is_field(name: str) -> bool:
    """Whether a field can be called so."""
    return _NAME.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Template:
    """JSON in whose texts ``{name}`` is a field, and ``{{`` a brace. A text that is one field
    alone becomes its value as it is; what lacks a value is left out, and what is emptied by
    that, too."""

    pattern: Any

    @classmethod
    def of(cls, pattern: Any) -> Template:
        """Raises BadTemplate."""
        for text in _texts(pattern):
            for part in _PART.finditer(text):
                known = part[0] in ("{{", "}}") or _NAME.fullmatch(part[1] or "")
                if not known:
                    raise BadTemplate(text)
        return cls(pattern)

    def count(self, *names: str) -> int:
        """How often any of these fields stands in it."""
        parts = (part for text in _texts(self.pattern) for part in _PART.finditer(text))
        return sum(part[1] in names for part in parts)

    @property
    def fields(self) -> frozenset[str]:
        """The names of all fields."""
        parts = (part for text in _texts(self.pattern) for part in _PART.finditer(text))
        return frozenset(part[1] for part in parts if part[1])

    def fill(self, values: Mapping[str, Any]) -> Any:
        """The JSON; None where nothing is left of it. A value None is none."""
        made = _filled(self.pattern, values)
        return None if made is _ABSENT else made

    def line(
        self, values: Mapping[str, Any], spell: Callable[[str, str], str] = lambda _, text: text
    ) -> str | None:
        """The text of a pattern that is one, each value as ``spell(name, text)`` writes it."""
        if any(values.get(name) is None for name in self.fields):
            return None
        spelled = {name: spell(name, _spoken(values[name])) for name in self.fields}
        return _join(str(self.pattern), spelled)


def _texts(pattern: Any) -> Iterator[str]:
    if isinstance(pattern, str):
        yield pattern
    elif isinstance(pattern, Mapping):
        for inside in pattern.values():
            yield from _texts(inside)
    elif isinstance(pattern, list):
        for inside in pattern:
            yield from _texts(inside)


def _filled(pattern: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(pattern, str):
        alone = _PART.fullmatch(pattern)
        if alone is not None and alone[1]:
            found = values.get(alone[1])
            return _ABSENT if found is None else found
        spelled = {}
        for part in _PART.finditer(pattern):
            if part[1]:
                if values.get(part[1]) is None:
                    return _ABSENT
                spelled[part[1]] = _spoken(values[part[1]])
        return _join(pattern, spelled)
    if isinstance(pattern, Mapping):
        made = {name: _filled(inside, values) for name, inside in pattern.items()}
        kept = {name: inside for name, inside in made.items() if inside is not _ABSENT}
        return kept if kept or not pattern else _ABSENT
    if isinstance(pattern, list):
        items = [one for inside in pattern if (one := _filled(inside, values)) is not _ABSENT]
        return items if items or not pattern else _ABSENT
    return pattern


def _spoken(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _join(pattern: str, spelled: Mapping[str, str]) -> str:
    return _PART.sub(lambda part: spelled[part[1]] if part[1] else part[0][0], pattern)
