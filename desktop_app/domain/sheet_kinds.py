"""Which files are sheets, by the ends of their names, and how their lines are cut."""

from __future__ import annotations

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
JSON_SUFFIXES = (".jsonl", ".ndjson")
BOOK_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".et")
SHEET_SUFFIXES = TEXT_SUFFIXES + JSON_SUFFIXES + BOOK_SUFFIXES

WHOLE_LINES = "\n"
"""As a delimiter: nothing parts a line, it is one cell."""
