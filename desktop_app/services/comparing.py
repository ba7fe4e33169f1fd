"""A long sheet beside the rows that a batch has of it, in a process of its own: two million rows at
once would hold up the window, and their memory goes with the process."""

from __future__ import annotations

import copyreg
import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from desktop_app.domain.ports import Capabilities, Drafter, KnownRow, Packed, Sheets
from desktop_app.domain.task import Draft
from desktop_app.services.import_plan import ImportPlan
from desktop_app.services.plan_rows import drafts_of

Work = Callable[[Sequence[KnownRow], Iterable[Draft]], Any]


@dataclass(frozen=True, slots=True)
class Comparing:
    """Yields one ``Packed`` that holds what ``work`` made of them: see ``made``. Can be sent to
    another process as it is, ``work`` included."""

    sheets: Sheets
    drafter: Drafter
    plan: ImportPlan
    caps: Capabilities
    known: Callable[[], Sequence[KnownRow]]
    work: Work

    @property
    def is_long(self) -> bool:
        """Others are compared where they are."""
        return True

    def __iter__(self) -> Iterator[Packed]:
        """Blocks. Raises OperatorError."""
        rows = drafts_of(self.sheets, self.drafter, self.plan, self.caps)
        packed = io.BytesIO()
        _Pickler(packed, pickle.HIGHEST_PROTOCOL).dump(self.work(self.known(), rows))
        yield Packed(0, 0, (packed.getvalue(),))


def made(data: bytes) -> Any:
    """What ``work`` made; it comes from this program's own process."""
    return pickle.loads(data)  # noqa: S301


class _Pickler(pickle.Pickler):
    """What rows share is kept from being changed by a proxy, which has no shape of its own."""

    dispatch_table = copyreg.dispatch_table | {
        MappingProxyType: lambda shared: (dict, (dict(shared),))
    }
