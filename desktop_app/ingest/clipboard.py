"""What a spreadsheet puts on the clipboard, as a table: text parted by tabs, else a web table."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.guess import names_prompts
from desktop_app.ingest.headless import PROMPT

_BREAKS = re.compile("\r\n|\r|\n")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"(?=\t|\r|\n|\Z)')
_SPACE = re.compile(r"[ \t\r\n\f]+")
_MOST_SPAN = 1_000

Table = list[list[str]]


def write_pasted(text: str, html: str, path: Path) -> None:
    """The clipboard's table as a sheet at ``path``: a lone column without a name is named. Raises
    OperatorError where there is none, or it can't be written."""
    table = pasted_table(text, html)
    if not any(cell.strip() for row in table for cell in row):
        raise OperatorError(message("ingest.nothing_pasted"))
    width = max(map(len, table))
    if width == 1 and not names_prompts(next(row[0] for row in table if row and row[0].strip())):
        table = [[PROMPT], *table]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
                [*row, *[""] * (width - len(row))] for row in table
            )
    except OSError as error:
        reason = error.strerror or str(error)
        raise OperatorError(message("ingest.no_copy", file=path.name, reason=reason)) from error


def pasted_table(text: str, html: str) -> Table:
    """The text, which is exact, unless only the web table has columns."""
    table = _from_text(text)
    if "<table" in html.lower() and all(len(row) < 2 for row in table):
        web = _WebTable()
        web.feed(html)
        web.close()
        if any(len(row) > 1 for row in web.table) or not table:
            return web.table
    return table


def _from_text(text: str) -> Table:
    """Spreadsheets quote a cell that holds a line break, a tab or, some of them, a mark; other
    marks are the cell's own."""
    rows: Table = []
    row: list[str] = []
    at = 0
    while at < len(text):
        found = _QUOTED.match(text, at)
        if found is not None and _is_quotation(found.group(1)):
            cell, end = found.group(1).replace('""', '"'), found.end()
        else:
            end = _plain_end(text, at)
            cell = text[at:end]
        row.append(_BREAKS.sub("\n", cell))
        mark = text[end : end + 1]
        at = end + (2 if text[end : end + 2] == "\r\n" else 1)
        if mark != "\t":
            rows.append(row)
            row = []
        elif at >= len(text):
            row.append("")
    if row:
        rows.append(row)
    return rows


def _is_quotation(inner: str) -> bool:
    return '""' in inner or any(mark in inner for mark in "\t\r\n")


def _plain_end(text: str, at: int) -> int:
    ends = [found for mark in "\t\r\n" if (found := text.find(mark, at)) >= 0]
    return min(ends, default=len(text))


class _WebTable(HTMLParser):
    """The rows of the first table; what spans several columns stands in the first of them."""

    def __init__(self) -> None:
        super().__init__()
        self.table: Table = []
        self._row: list[str] | None = None
        self._cell: list[str] | None = None
        self._span = 1
        self._depth = 0
        self._done = False
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens rows and cells."""
        if tag in {"style", "script", "title"}:
            self._silent += 1
        elif tag == "table":
            self._depth += 1
        if self._depth != 1 or self._done:
            return
        if tag == "tr":
            self._end_row()
            self._row = []
        elif tag in {"td", "th"}:
            self._end_cell()
            if self._row is None:
                self._row = []
            span = dict(attrs).get("colspan") or "1"
            self._span = min(int(span), _MOST_SPAN) if span.isdecimal() else 1
            self._cell = []
        elif tag in {"br", "p", "div"} and self._cell:
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Closes them."""
        if tag in {"style", "script", "title"}:
            self._silent = max(0, self._silent - 1)
        elif tag in {"td", "th"} and self._depth == 1:
            self._end_cell()
        elif tag == "tr" and self._depth == 1:
            self._end_row()
        elif tag == "table":
            self._depth = max(0, self._depth - 1)
            if not self._depth:
                self._end_row()
                self._done = bool(self.table)

    def handle_data(self, data: str) -> None:
        """A cell's text, whose line breaks are none."""
        if self._cell is not None and not self._silent and not self._done:
            self._cell.append(_SPACE.sub(" ", data))

    def close(self) -> None:
        """A table that is cut short ends here."""
        super().close()
        self._end_row()

    def _end_cell(self) -> None:
        if self._cell is None or self._row is None:
            return
        text = "".join(self._cell).replace("\xa0", " ")
        text = re.sub(" *\n *", "\n", text).strip(" \n")
        self._row += [text] + [""] * (self._span - 1)
        self._cell = None

    def _end_row(self) -> None:
        self._end_cell()
        if self._row is not None:
            self.table.append(self._row)
        self._row = None
