"""Prompt templates with conditions, loops and filters, in a sandbox: a mapping may come from
somebody else, so that no text of it may reach the program, run for ever or fill the memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, Undefined, meta, nodes
from jinja2 import Template as Compiled
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import pass_context
from jinja2.visitor import NodeTransformer

from desktop_app.domain.columns import place_of
from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.template import (
    LONGEST_PROMPT,
    Unfilled,
    no_column,
    not_understood,
    shortened,
)

LONGEST_TEXT = 100_000
"""Characters of a text with logic in it."""

MOST_STEPS = 10_000
"""Rounds of all loops together that one row may take."""

MAX_RANGE = 1_000
_MOST_NUMBER = 10**15
_STEPS = " steps"  # names with a space can't be written in a text
_COUNTED, _BOUNDED, _JOINED = " counted", " bounded", " joined"

_PART = re.compile(
    r"\{%[-+]?\s*raw\s*-?%\}.*?\{%[-+]?\s*endraw\s*[-+]?%\}|\{#.*?#\}|\{\{\s*(.*?)\s*\}\}",
    re.DOTALL,
)
_WORDS = frozenset(
    {"and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None"}
)
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
_NODES = (
    nodes.Template | nodes.Output | nodes.TemplateData | nodes.Name | nodes.Const | nodes.If
    | nodes.For | nodes.Assign | nodes.CondExpr | nodes.Compare | nodes.Operand | nodes.And
    | nodes.Or | nodes.Not | nodes.Neg | nodes.Pos | nodes.Add | nodes.Sub | nodes.Mul | nodes.Div
    | nodes.FloorDiv | nodes.Mod | nodes.Concat | nodes.Getitem | nodes.Getattr | nodes.Filter
    | nodes.Test | nodes.List | nodes.Tuple | nodes.Slice | nodes.Call | nodes.Keyword
)  # fmt: skip


class _TooMuch(Exception):
    """A row that makes the text longer, or its loops take more rounds, than any prompt needs."""


class SandboxedTemplate:
    """Compiled once, in which every column is looked up. Raises OperatorError that names the line
    that can't be used, or the missing column and those there are."""

    def __init__(self, text: str, columns: Sequence[str]) -> None:
        if len(text) > LONGEST_TEXT:
            raise OperatorError(message("ingest.text_too_long", limit=LONGEST_TEXT))
        environment = _Environment()
        source = _PART.sub(lambda found: _placed(found, columns), text)
        try:
            tree = environment.parse(source)
            _refuse_forbidden(environment, tree)
            names = _names(tree, text, columns)
            shaped = _Shaping(text, columns)
            tree = shaped.visit(tree)
            code = environment.compile(tree)
        except TemplateSyntaxError as error:
            raise _syntax(environment, text, columns, error.lineno) from error
        except (RecursionError, SyntaxError) as error:
            raise not_understood(text, 1) from error
        self._names = tuple(names.items())
        self.places = tuple(sorted({*names.values(), *shaped.places}))
        self._compiled = Compiled.from_code(environment, code, environment.make_globals(None))

    def fill(self, cells: Sequence[str]) -> str:
        """The prompt of one row. Raises Unfilled."""
        values: dict[str, Any] = {name: cells[place] for name, place in self._names}
        values["row"], values[_STEPS] = cells, [MOST_STEPS]
        pieces: list[str] = []
        length = 0
        try:
            for piece in self._compiled.root_render_func(self._compiled.new_context(values)):
                length += len(piece)
                if length > LONGEST_PROMPT:
                    raise _TooMuch
                pieces.append(piece)
        except _TooMuch:
            raise Unfilled("ingest.text_grows", limit=LONGEST_PROMPT, rounds=MOST_STEPS) from None
        except TemplateError as error:
            raise Unfilled("ingest.text_fails", why=shortened(error.message or "", 120)) from error
        except Exception as error:  # whatever the text made of the cells is the row's trouble
            raise Unfilled("ingest.text_fails", why=shortened(str(error), 120)) from error
        return "".join(pieces)


class _Environment(SandboxedEnvironment):
    intercepted_binops = frozenset({"+", "*", "%"})

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined,
            autoescape=False,
            keep_trailing_newline=True,
            optimized=False,
            cache_size=0,
            finalize=lambda value: "" if value is None else value,
        )
        self.globals = {"range": _range}
        self.filters = {name: FILTERS[name] for name in _OF_JINJA}
        self.filters |= {"default": _default, "d": _default, "join": _join, "split": _split}
        self.filters |= {"replace": _replace, _COUNTED: _counted, _BOUNDED: _bounded}
        self.filters[_JOINED] = _join

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
        """Only what a loop says of itself: no other may be written (``_refuse_forbidden``)."""
        return getattr(obj, attribute, self.undefined(obj=obj, name=attribute))


class _Shaping(NodeTransformer):
    """Columns asked of ``row`` become places; what can grow is counted."""

    def __init__(self, text: str, columns: Sequence[str]) -> None:
        self._text = text
        self._columns = columns
        self.places: set[int] = set()

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - jinja's name
        if not _is_row(node.node):
            return self.generic_visit(node)
        name = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if isinstance(name, int) and 0 <= name < len(self._columns):
            return self._cell(name, node.lineno)
        if not isinstance(name, str):
            raise not_understood(self._text, node.lineno)
        return self._named(name, node.lineno)

    def visit_Getattr(self, node: nodes.Getattr) -> nodes.Node:  # noqa: N802 - jinja's name
        return self._named(node.attr, node.lineno) if _is_row(node.node) else node

    def visit_Name(self, node: nodes.Name) -> nodes.Node:  # noqa: N802 - jinja's name
        return self._named("row", node.lineno) if _is_row(node) else node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        node.iter = _filtered(node.iter, _COUNTED)
        return node

    def visit_Assign(self, node: nodes.Assign) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        node.node = _filtered(node.node, _BOUNDED)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), _JOINED)

    def _named(self, name: str, line: int) -> nodes.Node:
        place = place_of(self._columns, name)
        if place is None:
            raise no_column(self._text, line, name, self._columns)
        return self._cell(place, line)

    def _cell(self, place: int, line: int) -> nodes.Node:
        self.places.add(place)
        row, at = nodes.Name("row", "load", lineno=line), nodes.Const(place, lineno=line)
        return nodes.Getitem(row, at, "load", lineno=line)


def _placed(found: re.Match[str], columns: Sequence[str]) -> str:
    """A placeholder with a column's name that is no word of the language asks the row for it."""
    name = found[1]
    place = place_of(columns, name) if name is not None else None
    if place is None or (name.isidentifier() and name not in _WORDS):
        return found[0]
    lines = "\n" * found[0].count("\n")  # as many, so that sentences name the right one
    return f"{{{{ row[{place}]{lines} }}}}"


def _names(tree: nodes.Template, text: str, columns: Sequence[str]) -> dict[str, int]:
    """The columns that are asked for by their bare names, and their places."""
    names: dict[str, int] = {}
    for name in sorted(meta.find_undeclared_variables(tree) - {"row"}):
        place = place_of(columns, name)
        if place is None:
            line = next(n.lineno for n in tree.find_all(nodes.Name) if n.name == name)
            raise no_column(text, line, name, columns)
        names[name] = place
    return names


def _refuse_forbidden(environment: _Environment, tree: nodes.Template) -> None:
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


def _forbidden(environment: _Environment, node: nodes.Node) -> str | None:
    if isinstance(node, nodes.Getattr):
        base = node.node
        is_known = isinstance(base, nodes.Name) and base.name in ("row", "loop")
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


def _syntax(
    environment: _Environment, text: str, columns: Sequence[str], line: int
) -> OperatorError:
    """Where the fault is a placeholder that is no expression, a column was meant by it."""
    for found in _PART.finditer(text):
        name = found[1]
        at = text.count("\n", 0, found.start()) + 1
        if not name or at > line or place_of(columns, name) is not None:
            continue
        try:
            environment.parse(found[0])
        except TemplateSyntaxError:
            return no_column(text, at, name, columns)
    return not_understood(text, line)


def _is_row(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "row" and node.ctx == "load"


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(cast("nodes.Expr", node), name, [], [], None, None, lineno=node.lineno)


@pass_context
def _counted(context: Context, value: Iterable[Any]) -> list[Any]:
    """The items of a loop, off what the row may take."""
    left = context[_STEPS]
    items = list(islice(value, left[0] + 1))
    left[0] -= len(items)
    if left[0] < 0:
        raise _TooMuch
    return items


def _bounded(value: Any) -> Any:
    """What may be kept: a number, a text, or a plain list of them, none of them huge."""
    if sum(_sizes(value)) > LONGEST_PROMPT:
        raise _TooMuch
    return value


def _sizes(value: Any) -> Iterator[int]:
    for item in value if isinstance(value, list | tuple | range) else (value,):
        if isinstance(item, int | float) and abs(item) > _MOST_NUMBER:
            raise _TooMuch
        if isinstance(item, list | tuple | dict):
            raise TypeError("list in list")
        yield len(item) if isinstance(item, str) else 1


def _range(*bounds: int) -> range:
    found = range(*bounds)
    if len(found) > MAX_RANGE:
        raise _TooMuch
    return found


def _default(value: Any, other: Any = "", _boolean: bool = False) -> Any:
    """A blank cell counts as missing: no cell of a sheet is."""
    missing = isinstance(value, Undefined) or (isinstance(value, str) and not value.strip())
    return other if missing else value


def _join(value: Iterable[Any], between: str = "") -> str:
    texts = [str(item) if item is not None else "" for item in value]
    if sum(map(len, texts)) + len(between) * len(texts) > LONGEST_PROMPT:
        raise _TooMuch
    return between.join(texts)


def _split(value: str, at: str | None = None) -> list[str]:
    """Parts without outer spaces; blank ones are left out."""
    return [part.strip() for part in str(value).split(at) if part.strip()]


def _replace(value: str, old: str, new: str) -> str:
    text = str(value)
    if len(text) + text.count(old) * len(new) > LONGEST_PROMPT:
        raise _TooMuch
    return text.replace(old, new)
