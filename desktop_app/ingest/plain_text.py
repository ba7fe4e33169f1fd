"""Plain text: each line is one prompt, and nothing in it parts cells."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from desktop_app.ingest.delimiter import DELIMITERS, find_delimiter
from desktop_app.ingest.guess import names_prompts
from desktop_app.ingest.text_file import LONGEST_CELL, Sample, numbered, too_long


class LineSheet:
    """A text file read line by line."""

    def __init__(self, path: Path, encoding: str) -> None:
        self._path = path
        self.encoding = encoding

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """(line number, its text as the only cell), blank lines included. Raises OperatorError."""
        for line_no, line in numbered(self._path, self.encoding):
            if len(line) > LONGEST_CELL:
                raise too_long(line_no)
            yield line_no, [line.rstrip("\r\n")]

    def is_headed(self) -> bool:
        """Whether the first line that is not blank is a name for prompts, not one of them."""
        first = next((cells[0] for _, cells in self.records() if cells[0].strip()), "")
        return names_prompts(first)


def is_table(head: Sample) -> bool:
    """The rule for a ``.txt``: a table has ``sep=`` in its first line, or a header that some
    delimiter parts, with a name for prompts among it, under which every row is as wide; also a
    lone name for prompts above cells in quotation marks."""
    if head.hint is not None:
        return True
    delimiter = find_delimiter(head.lines, complete=head.complete)
    rows = [row for row in csv.reader(head.lines, delimiter=delimiter) if any(row)]
    rows = rows if head.complete else rows[:-1]
    if len(rows) < 2 or not any(names_prompts(cell) for cell in rows[0]):
        return False
    if any(mark in "".join(head.lines[:1]) for mark in DELIMITERS):
        return all(len(row) == len(rows[0]) for row in rows)
    return any(line.startswith('"') for line in head.lines[1:])
