"""How a sheet is read, as the words of the command line say it."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from desktop_app.cli.argument_types import count
from desktop_app.domain.sheet_kinds import WHOLE_LINES
from desktop_app.domain.wording.services import N_

if TYPE_CHECKING:
    from desktop_app.domain.ports import SheetInfo, SheetOptions

DELIMITERS = {
    "tab": "\t",
    "comma": ",",
    "semicolon": ";",
    "pipe": "|",
    "none": WHOLE_LINES,
}
_YES_NO = {"yes": True, "no": False}


def _delimiter(text: str) -> str:
    mark = DELIMITERS.get(text, text)
    if len(mark) != 1 or (mark in '\r\n"' and mark != WHOLE_LINES):
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither one character nor one of {', '.join(DELIMITERS)}"
        )
    return mark


def declare(verb: argparse.ArgumentParser) -> None:
    """The options of a verb that reads sheets."""
    verb.add_argument("--encoding", metavar="E", help=N_("of a text file; default: found out"))
    verb.add_argument(
        "--delimiter",
        type=_delimiter,
        metavar="D",
        help=N_("a character, or comma, semicolon, tab, pipe; none: a line is one prompt"),
    )
    verb.add_argument(
        "--quoting",
        choices=tuple(_YES_NO),
        help=N_("whether quotation marks hold a cell together; default: found out"),
    )
    verb.add_argument(
        "--header",
        choices=tuple(_YES_NO),
        help=N_("whether the first row names the columns; default: yes, in plain text found out"),
    )
    verb.add_argument(
        "--header-row",
        type=count,
        metavar="N",
        help=N_("the row that names the columns; what stands above it is left out"),
    )
    verb.add_argument("--sheet", dest="worksheet", metavar="NAME", help=N_("of a workbook"))
    verb.add_argument(
        "--hidden-rows",
        choices=("skip", "take"),
        default="skip",
        help=N_("of a workbook; default: skip, and say how many"),
    )


def options_of(args: argparse.Namespace) -> SheetOptions:
    """What was chosen."""
    from desktop_app.domain.ports import SheetOptions

    return SheetOptions(
        encoding=args.encoding,
        delimiter=args.delimiter,
        worksheet=args.worksheet,
        quoting=_YES_NO.get(args.quoting),
        header=_YES_NO.get(args.header),
        hidden=args.hidden_rows == "take" or None,
        header_row=args.header_row,
    )


def as_options(info: SheetInfo) -> str:
    """How a sheet was read, in the words that would read it so again: whoever sees that it is wrong
    sees as well what to change."""
    names = {mark: name for name, mark in DELIMITERS.items()}
    said = {
        "--encoding": info.encoding and info.encoding.removesuffix("-sig"),
        "--delimiter": info.delimiter and names.get(info.delimiter, info.delimiter),
        "--quoting": "no" if info.quoting is False else None,
        "--header": "no" if info.header is False else None,
        "--header-row": info.header_row and str(info.header_row),
        "--sheet": info.worksheet,
        "--hidden-rows": "take" if info.with_hidden else None,
    }
    return shlex.join(word for name, value in said.items() if value for word in (name, value))
