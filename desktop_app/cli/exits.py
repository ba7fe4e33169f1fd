"""Exit codes: scripts read these, so they are named once."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What a verb ends with. Signals end with 128 + their number."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    DEAD_LETTERS = 3
    PAUSED = 4
    IN_USE = 5
    SIGINT = 130
    SIGTERM = 143
