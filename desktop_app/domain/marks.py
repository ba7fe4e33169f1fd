"""What is noted of attempts and tasks outside the store; apart from attempts, because every start
reads it."""

from __future__ import annotations

from enum import IntEnum


class Mark(IntEnum):
    """What is noted beside the store, without waiting for the disk, in case the program dies.

    The numbers are stored; never renumber them. SUSPECT and CLEARED go with a task, the others
    with an attempt.
    """

    BEGUN = 0  # the first byte of the request is about to leave
    UNBILLED = 1  # a failure is in that cost nothing
    PROCESSING = 2  # its answer is being decoded or written
    PROCESSED = 3  # that went well
    SUSPECT = 4  # the program ended while it was processed
    CLEARED = 5  # it was processed since, or is with a person
