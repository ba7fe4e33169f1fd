"""What may be written in a prompt template, and with which limits: columns, conditions, loops and a
few filters that neither reach the program nor run for ever nor fill the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from jinja2 import StrictUndefined, Undefined, nodes
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from jinja2.tests import TESTS
from jinja2.utils import pass_context

from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.template import LONGEST_PROMPT

LONGEST_TEXT = 100_000
"""Characters of a text with logic in it."""

MOST_STEPS = 10_000
"""Rounds of all loops together that one row may take."""

MOST_WORK = 2 * LONGEST_PROMPT
"""Characters and items that all filters together may look at for one row."""

MAX_RANGE = 1_000
_MOST_NUMBER = 10**15
STEPS, WORK = " steps", " work"  # names with a space can't be written in a text
COUNTED, BOUNDED, JOINED, WEIGHED = " counted", " bounded", " joined", " weighed"

_OF_JINJA = (
    "abs",
    "capitalize",
    "count",
    "first",
    "float",
    "int",
    "last",
    "length",
    "list",
    "lower",
    "max",
    "min",
    "reverse",
    "sort",
    "sum",
    "title",
    "trim",
    "truncate",
    "unique",
    "upper",
    "wordcount",
)
# None that works out something: "%d" is formatted by what asks whether it is odd.
_TESTS = ("defined", "undefined", "none", "string", "number", "in", "true", "false")
_OF_LOOPS = ("first", "index", "index0", "last", "length", "nextitem", "previtem", "revindex")
_NODES = (
    nodes.Template | nodes.Output | nodes.TemplateData | nodes.Name | nodes.Const | nodes.If
    | nodes.For | nodes.Assign | nodes.CondExpr | nodes.Compare | nodes.Operand | nodes.And
    | nodes.Or | nodes.Not | nodes.Neg | nodes.Pos | nodes.Add | nodes.Sub | nodes.Mul | nodes.Div
    | nodes.FloorDiv | nodes.Mod | nodes.Concat | nodes.Getitem | nodes.Getattr | nodes.Filter
    | nodes.Test | nodes.List | nodes.Tuple | nodes.Slice | nodes.Call | nodes.Keyword
)  # fmt: skip


class TooMuch(Exception):
    """A row that makes the text longer, or takes more work, than any prompt needs."""


class TemplateLanguage(SandboxedEnvironment):
    """Compiles and fills nothing but what ``refuse_forbidden`` lets pass."""

    intercepted_binops = frozenset({"+", "*", "%"})

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined,
            autoescape=False,
            keep_trailing_newline=True,
            optimized=False,
            cache_size=0,
            finalize=_finalized,
        )
        self.globals = {"range": _range}
        self.filters = {name: FILTERS[name] for name in _OF_JINJA}
        self.filters |= {"default": _default, "d": _default, "join": _join, "split": _split}
        self.filters |= {"replace": _replace, COUNTED: _counted, BOUNDED: _bounded}
        self.filters |= {JOINED: _join, WEIGHED: _weighed}
        self.tests = {name: TESTS[name] for name in _TESTS}

    def call_binop(self, _context: Context, operator: str, left: Any, right: Any) -> Any:
        """Numbers with numbers, texts beside texts; nothing that grows without end."""
        both_numbers = isinstance(left, int | float) and isinstance(right, int | float)
        both_texts = isinstance(left, str) and isinstance(right, str)
        if not both_numbers and not (both_texts and operator == "+"):
            raise TypeError(f"{type(left).__name__} {operator} {type(right).__name__}")
        return _bounded(self.binop_table[operator](left, right))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Places and slices of texts and lists; never an attribute."""
        if isinstance(argument, int | slice) and isinstance(obj, str | list | tuple):
            try:
                return obj[argument]
            except IndexError:
                pass
        return self.undefined(obj=obj, name=argument)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Only what a loop says of itself: no other may be written (``refuse_forbidden``)."""
        return getattr(obj, attribute, self.undefined(obj=obj, name=attribute))


def refuse_forbidden(environment: TemplateLanguage, tree: nodes.Template) -> None:
    """Raises OperatorError."""
    pending: list[nodes.Node] = [tree]
    while pending:
        node = pending.pop()
        pending += node.iter_child_nodes()
        what = _forbidden(environment, node)
        if what is not None:
            filters = ", ".join(sorted(name for name in environment.filters if name.isidentifier()))
            raise OperatorError(
                message("ingest.text_forbidden", line=node.lineno, what=what, filters=filters)
            )


def _forbidden(environment: TemplateLanguage, node: nodes.Node) -> str | None:
    if isinstance(node, nodes.Getattr):
        base = node.node
        name = base.name if isinstance(base, nodes.Name) else None
        is_known = name == "row" or (name == "loop" and node.attr in _OF_LOOPS)
        return None if is_known and not node.attr.startswith("_") else f".{node.attr}"
    if isinstance(node, nodes.Call):
        is_range = isinstance(node.node, nodes.Name) and node.node.name == "range"
        plain = not (node.kwargs or node.dyn_args or node.dyn_kwargs)
        name = getattr(node.node, "name", None) or getattr(node.node, "attr", "")
        return None if is_range and plain else f"{name}()"
    if isinstance(node, nodes.Filter):
        return (
            None
            if (node.name or "").isidentifier() and node.name in environment.filters
            else (f"|{node.name}")
        )
    if isinstance(node, nodes.Test):
        return None if node.name in environment.tests else f"is {node.name}"
    if isinstance(node, nodes.Name) and node.ctx == "store":
        return node.name if node.name in ("row", "loop", "range") else None
    return None if isinstance(node, _NODES) else type(node).__name__.lower()


@pass_context  # so that nothing is worked out while a text is compiled
def _finalized(_context: Context, value: Any) -> Any:
    return "" if value is None else value


@pass_context
def _counted(context: Context, value: Iterable[Any]) -> list[Any]:
    """The items of a loop, off what the row may take."""
    left = context[STEPS]
    items = list(islice(value, left[0] + 1))
    left[0] -= len(items)
    if left[0] < 0:
        raise TooMuch
    return items


@pass_context
def _weighed(context: Context, value: Any) -> Any:
    """What a filter is to look at, off what the row may take: sorting a long text a thousand times
    takes hours."""
    if isinstance(value, Undefined):
        return value
    if not isinstance(value, str | int | float | list | tuple | range | None):
        value = list(islice(value, MOST_WORK + 1))
    items = value if isinstance(value, list | tuple) else (value,)
    left = context[WORK]
    left[0] -= sum(len(item) if isinstance(item, str) else 1 for item in items)
    if left[0] < 0:
        raise TooMuch
    return value


def _bounded(value: Any) -> Any:
    """What may be kept: a number, a text, or a plain list of them, none of them huge."""
    if sum(_sizes(value)) > LONGEST_PROMPT:
        raise TooMuch
    return value


def _sizes(value: Any) -> Iterator[int]:
    for item in value if isinstance(value, list | tuple | range) else (value,):
        if isinstance(item, int | float) and abs(item) > _MOST_NUMBER:
            raise TooMuch
        if isinstance(item, list | tuple | dict):
            raise TypeError("list in list")
        yield len(item) if isinstance(item, str) else 1


def _range(*bounds: int) -> range:
    found = range(*bounds)
    if len(found) > MAX_RANGE:
        raise TooMuch
    return found


def _default(value: Any, other: Any = "", _boolean: bool = False) -> Any:
    """A blank cell counts as missing: no cell of a sheet is."""
    missing = isinstance(value, Undefined) or (isinstance(value, str) and not value.strip())
    return other if missing else value


def _join(value: Iterable[Any], between: str = "") -> str:
    texts = [str(item) if item is not None else "" for item in value]
    if sum(map(len, texts)) + len(between) * len(texts) > LONGEST_PROMPT:
        raise TooMuch
    return between.join(texts)


def _split(value: str, at: str | None = None) -> list[str]:
    """Parts without outer spaces; blank ones are left out."""
    return [part.strip() for part in str(value).split(at) if part.strip()]


def _replace(value: str, old: str, new: str) -> str:
    text = str(value)
    if len(text) + text.count(old) * len(new) > LONGEST_PROMPT:
        raise TooMuch
    return text.replace(old, new)
