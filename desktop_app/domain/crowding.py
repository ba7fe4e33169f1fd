"""A refusal that names neither number nor wait may be for either: only several of them tell."""

from __future__ import annotations

TIMES = 3


class Crowding:
    """A provider that counts what is in flight refuses the next call beyond one number, whenever
    it comes; one that counts calls a second refuses at any number, at a higher one each time where
    answers are slow. So it is the number once several events in a row, with calls let in between
    them, held the same.
    """

    def __init__(self) -> None:
        self._held: int | None = None
        self._before: int | None = None
        self._alike = 0

    def refused(self, in_flight: int, *, anew: bool) -> bool:
        """Refused while so many were out, itself included; ``anew``: some were let in since the
        last refusal. Whether it is the number."""
        held = in_flight - 1
        if anew or self._held is None:
            self._alike = self._alike + 1 if self._held == self._before else 1
            self._before, self._held = self._held, held
        else:
            # Of those that were sent together the last one tells how many were held.
            self._held = min(held, self._held)
        return self._alike + 1 >= TIMES and self._held == self._before == held
