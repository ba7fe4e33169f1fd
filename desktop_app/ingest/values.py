"""A cell's text as the typed value an adapter expects; what does not fit is said, never bent."""

from __future__ import annotations

import json
import math
from typing import Any

from desktop_app.domain.ports import Param

_YES = frozenset({"true", "yes", "y", "1", "on", "是"})
_NO = frozenset({"false", "no", "n", "0", "off", "否"})


class WrongValue(ValueError):
    """The text is no value of this kind: ``code`` is that of the sentence about the row, which
    ``values`` fill together with row, column and value."""

    def __init__(self, code: str, **values: str | int | list[str]) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


def typed(param: Param, text: str) -> Any:
    """``text`` (not blank) as ``param.kind`` says: int, float, bool, one of the choices, one of
    them or an object of JSON, or the text itself, unchanged. Raises WrongValue."""
    plain = text.strip()
    if param.kind == "int":
        return _integer(plain)
    if param.kind == "float":
        return _float(plain)
    if param.kind == "bool":
        return _bool(plain)
    if param.kind == "json":
        return _json(param.choices, plain)
    if param.kind == "choice" and param.choices:
        return _choice(param.choices, plain)
    return text


def _integer(text: str) -> int:
    number = _finite(text)
    if number is None or number != int(number):
        raise WrongValue("ingest.not_int")
    try:
        return int(text)
    except ValueError:
        return int(number)  # "3.0", as some programs write a 3


def _float(text: str) -> float:
    number = _finite(text)
    if number is None:
        raise WrongValue("ingest.not_number")
    return number


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _bool(text: str) -> bool:
    word = text.casefold()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise WrongValue("ingest.not_bool")


def _choice(choices: tuple[str, ...], text: str) -> str:
    wanted = _loose(text)
    for choice in choices:
        if _loose(choice) == wanted:
            return choice
    raise WrongValue("ingest.not_choice", choices=list(choices))


def _json(choices: tuple[str, ...], text: str) -> str | dict[str, Any]:
    if not text.startswith("{"):
        return _choice(choices, text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        place = f"{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else "-"
        raise WrongValue("ingest.not_json", place=place) from None
    return dict(found)


def _loose(text: str) -> str:
    """Case does not count, nor which cross a size is written with."""
    return text.casefold().replace("×", "x").replace(" ", "")
