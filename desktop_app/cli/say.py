"""Where words go: one JSON document or human lines on stdout, everything else on stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from desktop_app.domain.text import Message, Translator

PIPED_WIDTH = 240


# C0 without tab and line feed, DEL, C1, and what turns the direction of writing around.
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)


def printable(text: str) -> str:
    """Prompts and answers come from anybody: nothing in them may command the terminal."""
    return _UNPRINTABLE.sub("", _SEQUENCE.sub("", text))


def _escaped(document: str) -> str:
    """The same JSON, without the signs that JSON allows and terminals obey."""
    return _UNPRINTABLE.sub(
        lambda found: f"\\u{ord(found[0]):04x}" if found[0] >= " " else found[0], document
    )


@dataclass(frozen=True, slots=True)
class Say:
    """Prints for one verb. ``as_json``: only ``document`` reaches stdout."""

    tr: Translator
    as_json: bool

    def document(self, data: Any) -> None:
        """The verb's JSON document; nothing when humans read."""
        if self.as_json:
            print(_escaped(json.dumps(data, ensure_ascii=False, indent=2, default=str)))

    def line(self, text: str) -> None:
        """A line for humans."""
        if not self.as_json:
            print(printable(text))

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table for humans."""
        if self.as_json:
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for at, header in enumerate(headers):
            # Only the last column may wrap: ids and paths are there to be copied.
            last = at == len(headers) - 1
            table.add_column(header, overflow="fold", no_wrap=not last)
        for row in rows:
            table.add_row(*("-" if cell is None else printable(str(cell)) for cell in row))
        width = None if sys.stdout.isatty() else PIPED_WIDTH
        Console(width=width, highlight=False, markup=False).print(table)

    def facts(self, facts: Mapping[str, object]) -> None:
        """Names and values for humans, a line each."""
        if self.as_json:
            return
        width = max(map(cell_len, facts), default=0)  # a sign of Chinese takes the room of two
        for name, value in facts.items():
            if isinstance(value, dict):
                value = json.dumps(value, ensure_ascii=False, default=str)
            shown = "-" if value is None else printable(str(value))
            print(f"{name}{' ' * (width - cell_len(name))}  {shown}")

    def aside(self, text: str) -> None:
        """Progress or a note, on stderr."""
        print(printable(text), file=sys.stderr, flush=True)

    def error(self, said: Message) -> None:
        """One sentence on stderr; in JSON mode the document says it too."""
        text = self.tr.say(said)
        print(printable(text), file=sys.stderr, flush=True)
        self.document({"error": text, "code": said.code})

    def ledger(self, status: Mapping[str, Any], *, works: bool = True) -> None:
        """The ledger line that always adds up. ``works`` False: nobody is at work on it, and what
        runs in the store was interrupted."""
        self.line(ledger_line(self.tr, status, works=works))


def ledger_line(tr: Translator, status: Mapping[str, Any], *, works: bool = True) -> str:
    """``200 = 148 done + 3 failed + 49 waiting``; see ``Say.ledger``."""
    parts = (
        ("success", tr("{n} done")),
        ("failed", tr("{n} failed")),
        ("dead", tr("{n} dead")),
        ("uncertain", tr("{n} uncertain")),
        ("running", tr("{n} running") if works else tr("{n} interrupted")),
        ("retrying", tr("{n} retrying")),
        ("pending", tr("{n} waiting")),
        ("cancelled", tr("{n} cancelled")),
    )
    shown = " + ".join(text.format(n=f"{status[k]:,}") for k, text in parts if status[k])
    return f"{status['imported']:,} = {shown or 0}"


def joined(first: str, then: str) -> str:
    """Two sentences on a line; a provider's own words may lack the stop between them."""
    said = first if first.endswith(tuple(".!?…。！？")) else first + then[-1:]
    # A stop of Chinese holds the room after it in itself.
    return said + then if said.endswith(tuple("。！？")) else f"{said} {then}"
