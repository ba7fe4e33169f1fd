"""Delimited text as Excel counts it: one row a record, every cell the exact text between the
delimiters."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from desktop_app.domain.text import OperatorError, message
from desktop_app.ingest.delimiter import find_delimiter
from desktop_app.ingest.quoting import is_quoted
from desktop_app.ingest.row_blocks import RowBlocks
from desktop_app.ingest.row_count import count_rows
from desktop_app.ingest.text_file import LONGEST_CELL, LineTooLong, Sample, opened, sample, too_long


class TextSheet:
    """A delimited file whose encoding is known; ``head`` are its first lines where somebody has
    read them."""

    def __init__(
        self,
        path: Path,
        encoding: str,
        delimiter: str | None = None,
        *,
        quoting: bool | None = None,
        head: Sample | None = None,
    ) -> None:
        self._path = path
        self.encoding = encoding
        if delimiter is None or quoting is None:
            head = head or sample(path, encoding)
            delimiter = delimiter or head.hint
            delimiter = delimiter or find_delimiter(head.lines, complete=head.complete)
            quoting = is_quoted(head.lines, delimiter) if quoting is None else quoting
        self.delimiter = delimiter
        self.quoting = quoting

    def count(self) -> int | None:
        """How many records are not blank; None where only reading them tells."""
        return count_rows(self._path, self.encoding, self.delimiter, quoting=self.quoting)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """(row number as Excel shows it, cells), blank rows included. Holds one record, or some
        hundred short ones, at a time. Bytes that the encoding does not know come as lone
        surrogates. Raises OperatorError."""
        # No row passes through Python code where many are parted at once.
        return chain.from_iterable(self._stretches())

    def _stretches(self) -> Iterator[Iterable[tuple[int, list[str]]]]:
        blocks = RowBlocks(self._path, self.encoding, self.delimiter, quoting=self.quoting)
        row_no = 0
        for block in blocks:
            yield enumerate(block.rows, row_no + 1)
            row_no += len(block.rows)
        if blocks.left_at is not None:
            yield self._parted(blocks.left_at, row_no)

    def _parted(self, start: int, above: int) -> Iterator[tuple[int, list[str]]]:
        """The records from byte ``start`` on, before which there are ``above``."""
        # The limit is the process's own and only ever raised, so that no other reader is hurt.
        if csv.field_size_limit() < LONGEST_CELL:
            csv.field_size_limit(LONGEST_CELL)
        row_no = above
        with opened(self._path, self.encoding, start=start) as lines:
            try:
                parted = csv.reader(
                    lines,
                    delimiter=self.delimiter,
                    quoting=csv.QUOTE_MINIMAL if self.quoting else csv.QUOTE_NONE,
                )
                for row_no, cells in enumerate(parted, above + 1):
                    if lines.ended and self.quoting:
                        raise OperatorError(message("ingest.open_quote", row=row_no))
                    yield row_no, cells
            except (csv.Error, LineTooLong) as error:
                raise too_long(row_no + 1) from error
            except UnicodeError as error:
                raise OperatorError(
                    message("ingest.bad_bytes", row=row_no + 1, encoding=self.encoding)
                ) from error
