"""Sheets named where a verb would stand: the system starts the program so, with what was dropped on
its icon."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from desktop_app.domain.sheet_kinds import SHEET_SUFFIXES

_TAKES_A_VALUE = frozenset({"--data-dir", "--language"})


def parted(argv: Sequence[str], verbs: Collection[str]) -> tuple[list[str], list[str]]:
    """(What is to be parsed, the files to open, absolute). There are files where the first word
    that is no option is no verb and is there, or is named like a sheet."""
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "--":
        at += 2 if argv[at] in _TAKES_A_VALUE else 1
    rest = list(argv[at:])
    if rest[:1] == ["--"]:
        rest = rest[1:]
    elif not rest or rest[0] in verbs or not _is_sheet(rest[0]):
        return list(argv), []
    return list(argv[:at]), [str(Path(name).absolute()) for name in rest]


def _is_sheet(word: str) -> bool:
    try:
        return Path(word).suffix.lower() in SHEET_SUFFIXES or Path(word).is_file()
    except (OSError, ValueError):
        return False
