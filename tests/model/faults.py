"""What the program logs as its own fault is a fault found."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from desktop_app.domain.errors import LocalTrouble
from tests.model.adapter import Bug

EXPECTED = (
    "waits for its (folder|adapter)|could not be removed|could not be (committed|settled)"
    "|a round of the feeder failed|upkeep failed|command .* failed|whose caller had gone failed"
    "|is in memory only|does not say with what it signs|it does not call|without a good signature"
    r"|attempt \d+ broke|a poll broke|the answer of attempt \d+ could not be read"
)
"""What a folder that is gone, a disk that is full and an adapter's bug may bring into the log."""


class _Ear(logging.Handler):
    def __init__(self, heard: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        # This machine's own trouble is nobody's fault, and an adapter's is the shop's.
        if not isinstance(error, LocalTrouble | Bug):
            self._heard.append(logging.Formatter().format(record))


@contextmanager
def heard(faults: list[str]) -> Iterator[None]:
    """While it lasts, faults that are logged are added to the list."""
    ear = _Ear(faults)
    logging.getLogger().addHandler(ear)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(ear)
