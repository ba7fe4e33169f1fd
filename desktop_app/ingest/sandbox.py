"""Prompt templates with conditions, loops and filters, compiled once and filled in a sandbox: a
mapping may come from somebody else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from jinja2 import Template as Compiled
from jinja2 import TemplateError, TemplateSyntaxError, meta, nodes
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
from desktop_app.ingest.template_language import (
    BOUNDED,
    COUNTED,
    JOINED,
    LONGEST_TEXT,
    MOST_STEPS,
    MOST_WORK,
    STEPS,
    WEIGHED,
    WORK,
    TemplateLanguage,
    TooMuch,
    refuse_forbidden,
)

_PART = re.compile(
    r"\{%[-+]?\s*raw\s*-?%\}.*?\{%[-+]?\s*endraw\s*[-+]?%\}|\{#.*?#\}|\{\{\s*(.*?)\s*\}\}",
    re.DOTALL,
)
_WORDS = frozenset(
    {"and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None"}
)
_ALONE = frozenset({"row", "loop", "range", "self"})
"""Words of the language that mean columns where they stand alone."""


class SandboxedTemplate:
    """Compiled once, in which every column is looked up. Raises OperatorError that names the line
    that can't be used, or the missing column and those there are."""

    def __init__(self, text: str, columns: Sequence[str]) -> None:
        if len(text) > LONGEST_TEXT:
            raise OperatorError(message("ingest.text_too_long", limit=LONGEST_TEXT))
        environment = TemplateLanguage()
        source = _PART.sub(lambda found: _placed(found, columns), text)
        try:
            tree = environment.parse(source)
            refuse_forbidden(environment, tree)
            names = _names(environment, tree, text, columns)
            shaped = _Shaping(text, columns)
            tree = shaped.visit(tree)
            code = environment.compile(tree)
        except TemplateSyntaxError as error:
            raise _syntax(environment, text, columns, error.lineno) from error
        except (RecursionError, SyntaxError) as error:
            raise not_understood(text, 1) from error
        self._made_of = (text, columns)
        self._names = tuple(names.items())
        self.places = tuple(sorted({*names.values(), *shaped.places}))
        self.wanted: tuple[int, ...] = ()  # a condition may be there for the blank ones
        self._compiled = Compiled.from_code(environment, code, environment.make_globals(None))

    def __reduce__(self) -> tuple[type[SandboxedTemplate], tuple[str, Sequence[str]]]:
        """Another process compiles it anew."""
        return SandboxedTemplate, self._made_of

    def fill(self, cells: Sequence[str]) -> str:
        """The prompt of one row. Raises Unfilled."""
        values: dict[str, Any] = {name: cells[place] for name, place in self._names}
        values["row"], values[STEPS], values[WORK] = cells, [MOST_STEPS], [MOST_WORK]
        pieces: list[str] = []
        length = 0
        try:
            for piece in self._compiled.root_render_func(self._compiled.new_context(values)):
                length += len(piece)
                if length > LONGEST_PROMPT:
                    raise TooMuch
                pieces.append(piece)
        except TooMuch:
            raise Unfilled("ingest.text_grows", limit=LONGEST_PROMPT, rounds=MOST_STEPS) from None
        except TemplateError as error:
            raise Unfilled("ingest.text_fails", why=shortened(error.message or "", 120)) from error
        except Exception as error:  # whatever the text made of the cells is the row's trouble
            raise Unfilled("ingest.text_fails", why=shortened(str(error), 120)) from error
        return "".join(pieces)


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
        is_column = node.name in _ALONE and node.ctx == "load"
        return self._named(node.name, node.lineno) if is_column else node

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - jinja's name
        node.args = [cast("nodes.Expr", self.visit(argument)) for argument in node.args]
        return node  # ``range`` before its bounds is no column

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        if node.node is not None:
            node.node = _filtered(node.node, WEIGHED)
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        node.iter = _filtered(node.iter, COUNTED)
        return node

    def visit_Assign(self, node: nodes.Assign) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        node.node = _filtered(node.node, BOUNDED)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - jinja's name
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), JOINED)

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


def _names(
    environment: TemplateLanguage, tree: nodes.Template, text: str, columns: Sequence[str]
) -> dict[str, int]:
    """The columns that are asked for by their bare names, and their places."""
    tracker = meta.TrackingCodeGenerator(environment)
    tracker.optimizer = None  # it would work out what is constant, and whatever that raises
    tracker.visit(tree)
    names: dict[str, int] = {}
    for name in sorted(tracker.undeclared_identifiers - {"row"}):
        place = place_of(columns, name)
        if place is None:
            line = next(n.lineno for n in tree.find_all(nodes.Name) if n.name == name)
            raise no_column(text, line, name, columns)
        names[name] = place
    return names


def _syntax(
    environment: TemplateLanguage, text: str, columns: Sequence[str], line: int
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
