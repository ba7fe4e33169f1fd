"""A mistyped model must cost one handful of rows their turn, not ten thousand their life."""

from __future__ import annotations

_MORE = 4


class FirstAnswers:
    """Watches the first answers of a connection until one is anything but ``invalid``."""

    def __init__(self) -> None:
        self._code: str | None = None
        self._pks: list[int] = []
        self._over = False
        self._factor = 1

    def room(self, concurrency: int, out: int) -> int | None:
        """How many more may be sent while ``out`` are, or None for any number: until an answer is
        anything but ``invalid``, the slots of those that were are not filled again."""
        if self._over:
            return None
        return max(0, concurrency * self._factor - len(self._pks) - out)

    def other(self) -> None:
        """An answer that was not ``invalid``: the connection is set up rightly."""
        self._over = True
        self._pks.clear()

    def invalid(self, code: str, task_pk: int, concurrency: int) -> tuple[int, ...]:
        """An ``invalid`` answer; returns the rows before it to requeue when the connection must
        pause (``task_pk`` is the last of the returned), else nothing."""
        if self._over:
            return ()
        if self._code not in (None, code):
            self.other()
            return ()
        self._code = code
        self._pks.append(task_pk)
        if len(self._pks) < concurrency * self._factor:
            return ()
        self._over = True
        rows = tuple(self._pks)
        self._pks.clear()
        return rows

    def again(self) -> None:
        """A person says try again: watch once more, but believe the connection for longer, so
        that a few bad rows at the head of a sheet cannot pause it for ever."""
        self._over = False
        self._code = None
        self._factor *= _MORE
