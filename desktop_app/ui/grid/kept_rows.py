"""A screen shows thirty rows of a million: those that were looked at last are kept at hand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from desktop_app.domain.views import TaskRow

KEPT = 4_000
"""Rows in memory."""


class KeptRows:
    """Rows by pk. An outdated one is still shown, and read again where it is seen."""

    def __init__(self) -> None:
        self._rows: OrderedDict[int, TaskRow] = OrderedDict()
        self._outdated: set[int] = set()

    def get(self, pk: int) -> TaskRow | None:
        """The row if it is at hand."""
        return self._rows.get(pk)

    def outdate(self, pks: Sequence[int]) -> None:
        """These have changed; none named: any may have."""
        self._outdated.update(self._rows.keys() & set(pks) if pks else self._rows.keys())

    def lacking(self, pks: Iterable[int]) -> list[int]:
        """Those that are not at hand as they are now."""
        return [pk for pk in pks if pk in self._outdated or pk not in self._rows]

    def asked_for(self, pks: Iterable[int]) -> None:
        """They are being read: what changes from now on is a change again."""
        self._outdated.difference_update(pks)

    def keep(self, rows: Iterable[TaskRow]) -> None:
        """What was read; what was read longest ago makes room."""
        for row in rows:
            self._rows[row.pk] = row
            self._rows.move_to_end(row.pk)
        while len(self._rows) > KEPT:
            pk, _ = self._rows.popitem(last=False)
            self._outdated.discard(pk)
