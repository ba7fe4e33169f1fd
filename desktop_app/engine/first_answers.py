"""A mistyped model must cost one handful of rows their turn, not ten thousand their life."""

from __future__ import annotations

_MORE = 4


class FirstAnswers:
    """Watches the first answers of a connection until one is anything but ``invalid``."""

    def __init__(self) -> None:
        self._rows: dict[str, list[int]] = {}
        self._over = False
        self._factor = 1

    def room(self, concurrency: int, out: int) -> int | None:
        """How many more may be sent while ``out`` are, or None for any number: until an answer is
        anything but ``invalid``, the slots of those that were are not filled again."""
        if self._over:
            return None
        most = max(map(len, self._rows.values()), default=0)
        return max(0, concurrency * self._factor - most - out)

    def other(self) -> None:
        """An answer that was not ``invalid``: the connection is set up rightly."""
        self._over = True
        self._rows.clear()

    def invalid(self, code: str, task_pk: int, concurrency: int) -> tuple[int, ...]:
        """An ``invalid`` answer; rows that are bad by themselves, each with a code of its own,
        prove nothing. Returns the rows to requeue when the connection must pause (``task_pk`` is
        the last of them), else nothing."""
        if self._over:
            return ()
        rows = self._rows.setdefault(code, [])
        rows.append(task_pk)
        if len(rows) < concurrency * self._factor:
            return ()
        self.other()
        return tuple(rows)

    def again(self) -> None:
        """A person says try again: watch once more, but believe the connection for longer, so
        that a few bad rows at the head of a sheet cannot pause it for ever."""
        self._over = False
        self._factor *= _MORE
