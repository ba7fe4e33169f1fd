"""Several sheets in one verb: each its own batch, one after the other; none is begun unless all can
be read."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop_app.cli.exits import Exit
from desktop_app.cli.reading import options_of
from desktop_app.cli.say import Say
from desktop_app.domain.errors import is_disk_full
from desktop_app.domain.safe_names import fold, numbered, safe_name
from desktop_app.domain.text import OperatorError
from desktop_app.wiring import House

One = Callable[[argparse.Namespace, Say], Awaitable[Exit]]
"""Runs the one sheet that the arguments name."""

_GOES_ON = frozenset({Exit.OK, Exit.DEAD_LETTERS})


@dataclass(frozen=True, slots=True)
class _Gathering(Say):
    """Keeps the documents, so that there is one of all."""

    documents: list[Any] = field(default_factory=list)

    def document(self, data: Any) -> None:
        """Kept for the end."""
        self.documents.append(data)


async def each(house: House, args: argparse.Namespace, say: Say, one: One) -> Exit:
    """Every sheet of the arguments by ``one``. The code is the first that is not 0; one that ends
    otherwise than by its ledger ends them all. Raises OperatorError."""
    names = list(dict.fromkeys([args.sheet, *args.more]))
    if len(names) == 1:
        return await one(args, say)
    for name in names:
        info = await house.services.imports.open(Path(name), options_of(args))
        await house.services.imports.forget(info)
    own = _own_names(names)
    gathering = _Gathering(say.tr, say.as_json)
    code = Exit.OK
    for place, name in enumerate(names, start=1):
        say.aside(
            say.tr("Sheet {place} of {total}: {name}", place=place, total=len(names), name=name)
        )
        ended = await _said(_alone(args, name, own[name]), gathering, one)
        code = code or ended
        if ended not in _GOES_ON:
            if names[place:]:
                say.aside(say.tr("Not begun: {names}", names=say.tr.listed(names[place:])))
            break
    say.document({"sheets": gathering.documents})
    return code


async def _said(args: argparse.Namespace, say: Say, one: One) -> Exit:
    try:
        return await one(args, say)
    except OperatorError as error:
        if is_disk_full(error):
            raise
        say.error(error.message)
        return Exit.USAGE


def _own_names(sheets: Sequence[str]) -> dict[str, str]:
    """What the files of each sheet are called by: its name without the ending, counted up where
    some file system would take it for that of one before."""
    own: dict[str, str] = {}
    taken: set[str] = set()
    for sheet in sheets:
        stem = safe_name(Path(sheet).stem)
        names = itertools.chain([stem], (numbered(stem, n) for n in itertools.count(2)))
        own[sheet] = next(name for name in names if fold(name) not in taken)
        taken.add(fold(own[sheet]))
    return own


def _alone(args: argparse.Namespace, sheet: str, own: str) -> argparse.Namespace:
    """The same for one sheet, whose results get a folder of their own, and its problems a file."""
    mine = argparse.Namespace(**{**vars(args), "sheet": sheet, "more": []})
    if args.out:
        mine.out = str(Path(args.out) / own)
    if args.problems:
        file = Path(args.problems)
        mine.problems = str(file.with_name(f"{file.stem}-{own}{file.suffix}"))
    return mine
