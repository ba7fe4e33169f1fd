"""Pictures that a request shows to the provider, as data: which files or addresses, and of which
content, so that nothing else is ever sent under their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import PurePath
from typing import Any

REFERENCE = "reference"
"""The parameter that holds them in a request: a list of what ``stored`` makes."""

FURTHER = f"{REFERENCE}_2"
"""What a mapping calls a second column of them; its pictures follow in the same list."""

_NUMBERED = re.compile(rf"{REFERENCE}(_[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Reference:
    """Either a file (absolute ``path``, and the ``sha256`` of the content that was checked, hex) or
    a ``url``."""

    path: str = ""
    sha256: str = ""
    url: str = ""

    @property
    def name(self) -> str:
        """What a person calls it: the file's name, or the address."""
        return self.url or PurePath(self.path).name


def is_reference(param: str) -> bool:
    """Whether a mapping's parameter names reference pictures: ``reference``, and ``reference_2``
    and so on where they are in several columns."""
    return _NUMBERED.fullmatch(param) is not None


def reference_names() -> Iterator[str]:
    """The parameters of one column, a second one, and so on."""
    yield REFERENCE
    for number in count(2):
        yield f"{REFERENCE}_{number}"


def stored(references: Iterable[Reference]) -> list[dict[str, str]]:
    """As a request's parameter."""
    return [
        {"url": one.url} if one.url else {"path": one.path, "sha256": one.sha256}
        for one in references
    ]


def references_of(params: Mapping[str, Any]) -> tuple[Reference, ...]:
    """What ``stored`` put into a request's parameters, in order."""
    found = params.get(REFERENCE)
    if not isinstance(found, list):
        return ()
    return tuple(Reference(**one) for one in found if isinstance(one, dict))


def identities(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters as they tell one request from another: of a file only its content counts.

    A picture that was edited makes another request, which may be paid for again; one that was only
    moved or renamed would be paid for twice for nothing. Of an address nothing is known but itself.
    """
    if REFERENCE not in params:
        return params
    known = [one.url or one.sha256 for one in references_of(params)]
    return {**params, REFERENCE: known}
