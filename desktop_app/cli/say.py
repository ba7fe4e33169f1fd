"""Where words go: one JSON document or human lines on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from desktop_app.domain.text import Message, Translator


@dataclass(frozen=True, slots=True)
class Say:
    """Prints for one verb. ``as_json``: only ``document`` reaches stdout."""

    tr: Translator
    as_json: bool

    def document(self, data: Any) -> None:
        """The verb's JSON document; nothing when humans read."""
        if self.as_json:
            print(json.dumps(data, ensure_ascii=False, indent=2, default=str))

    def line(self, text: str) -> None:
        """A line for humans."""
        if not self.as_json:
            print(text)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table for humans."""
        if self.as_json:
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for header in headers:
            table.add_column(header, overflow="fold")
        for row in rows:
            table.add_row(*("-" if cell is None else str(cell) for cell in row))
        Console(soft_wrap=False, highlight=False, markup=False).print(table)

    def aside(self, text: str) -> None:
        """Progress or a note, on stderr."""
        print(text, file=sys.stderr, flush=True)

    def error(self, said: Message) -> None:
        """One sentence on stderr; in JSON mode the document says it too."""
        text = self.tr.say(said)
        print(text, file=sys.stderr, flush=True)
        self.document({"error": text, "code": said.code})

    def ledger(self, status: Mapping[str, Any]) -> None:
        """The ledger line that always adds up."""
        tr = self.tr
        parts = (
            ("success", tr("done")),
            ("failed", tr("failed")),
            ("dead", tr("dead")),
            ("uncertain", tr("uncertain")),
            ("running", tr("running")),
            ("retrying", tr("retrying")),
            ("pending", tr("waiting")),
            ("cancelled", tr("cancelled")),
        )
        shown = " + ".join(f"{status[k]:,} {word}" for k, word in parts if status[k])
        self.line(f"{status['imported']:,} = {shown or 0}")
