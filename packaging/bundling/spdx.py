"""Reads SPDX licence expressions (https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/):
what they name must be shown, and where they leave a choice, we make it here once for all."""

from __future__ import annotations

import ast
import re

# Of these the words are enough. Others want each author's copyright line beside them, which lists
# of parts seldom give; so where there is a choice, one of these is taken.
WORDS_ARE_ENOUGH = (
    "CC0-1.0", "Unlicense", "0BSD", "MIT-0", "BSL-1.0", "Zlib", "Apache-2.0",
)  # fmt: skip
_NAME = re.compile(r"[\w.+-]+(?: WITH [\w.+-]+)?")


def taken(expression: str) -> tuple[str, ...]:
    """The licences (and exceptions) that we follow, in the order named. Raises ValueError where it
    is no such expression."""
    names: list[str] = []

    def in_python(found: re.Match[str]) -> str:
        word = found.group()
        if word in {"AND", "OR"}:
            return word.lower()
        names.append(word)
        return f"_{len(names) - 1}"

    # Python gives "and", "or" and brackets the same order as SPDX.
    written = _NAME.sub(in_python, expression.strip())
    if re.search(r"[^\w ()]", written):
        raise ValueError(f"{expression!r} is no SPDX expression")
    try:
        tree = ast.parse(written, mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{expression!r} is no SPDX expression") from error
    return tuple(dict.fromkeys(_followed(tree.body, names)))


def is_expression(text: str) -> bool:
    """Whether a licence's name can be looked up, and is no loose wording."""
    try:
        return bool(taken(text))
    except ValueError:
        return False


def _followed(node: ast.expr, names: list[str]) -> list[str]:
    match node:
        case ast.Name(id=place):
            return names[int(place[1:])].split(" WITH ")
        case ast.BoolOp(op=ast.And(), values=parts):
            return [name for part in parts for name in _followed(part, names)]
        case ast.BoolOp(op=ast.Or(), values=choices):
            return min((_followed(choice, names) for choice in choices), key=_burden)
    raise ValueError(f"{ast.unparse(node)!r} has no place in an SPDX expression")


def _burden(licences: list[str]) -> int:
    """The lighter the licence, the smaller; of equal ones the first named is taken."""
    return max(_burden_of(licence) for licence in licences)


def _burden_of(licence: str) -> int:
    if licence in WORDS_ARE_ENOUGH:
        return WORDS_ARE_ENOUGH.index(licence)
    return len(WORDS_ARE_ENOUGH) + licence.startswith(("GPL", "AGPL"))
