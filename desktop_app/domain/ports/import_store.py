"""What imports and connections ask of the store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from desktop_app.domain.batch import Batch
from desktop_app.domain.connection import Connection
from desktop_app.domain.task import Draft, DraftValues, TaskState
from desktop_app.domain.views import BatchSummary


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A row of a batch as it was imported. ``digest`` identifies its request, ``filed`` its cells,
    key, lane and priority (``filed_digest``; None: not looked at). ``paid``: it is on its way,
    done, or may have been billed and does not wait. ``gone``: it was cancelled because an earlier
    version of the sheet had it no longer."""

    pk: int
    row_no: int
    key: str | None
    edition: int
    digest: str
    filed: str | None = None
    state: TaskState = TaskState.PENDING
    paid: bool = False
    gone: bool = False


class AskedRow(NamedTuple):
    """A row of an earlier run, as the newest version of its sheet said it."""

    batch_id: int
    digest: str
    key: str | None
    state: TaskState


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that a newer sheet says otherwise; ``draft`` may have a problem instead of a
    request."""

    known: KnownRow
    draft: Draft


@dataclass(frozen=True, slots=True)
class Updated:
    """What became of changed rows: ``replaced`` had not been sent, ``later`` wait for the edition
    that is running, ``again`` run once more, ``moved_on`` were changed elsewhere meanwhile;
    ``new`` were added. ``refiled`` ask for the same and are filed otherwise; ``unusable`` can't
    be asked for any more, and failed if they waited; ``left`` may have been paid for and stay as
    they are; ``cancelled`` are no longer in the sheet."""

    replaced: int = 0
    later: int = 0
    again: int = 0
    moved_on: int = 0
    new: int = 0
    refiled: int = 0
    unusable: int = 0
    left: int = 0
    cancelled: int = 0


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows made ready for the store: ``rows`` in number, of which ``bad`` can't be used; ``parts``
    are the store's own shape of them, for this process and those that it starts."""

    rows: int
    bad: int
    parts: tuple[bytes, ...] = ()

    @property
    def data(self) -> bytes:
        """All parts as one."""
        return b"".join(self.parts)


class ImportStore(Protocol):
    """Import in chunks, sealed by one commit; ``discard`` removes a half-made batch."""

    @property
    def pack(self) -> Callable[[Iterable[DraftValues], int], Iterator[Packed]]:
        """Does what needs no store, so many rows at a time, and can be sent to another process:
        most of an import."""
        ...

    async def begin(self, batch: Batch) -> int: ...
    async def add(self, batch_id: int, drafts: Sequence[Draft] | Packed) -> None: ...
    async def seal(self, batch_id: int) -> None: ...
    async def discard(self, batch_id: int) -> None: ...
    async def discard_unsealed(self) -> int: ...
    async def extend(self, batch_id: int, drafts: Iterable[Draft]) -> int: ...
    async def find_runs(self, sheet_hash: str) -> list[BatchSummary]: ...
    async def find_fingerprint(self, fingerprint: str) -> Batch | None: ...
    async def find_lineage(self, sheet_path: str, connection_id: int) -> BatchSummary | None:
        """The newest batch of the same sheet (by path, else by file name) and connection of which
        something was sent; else the newest one."""
        ...

    async def find_sheet(self, sheet_path: str, connection_id: int) -> list[BatchSummary]:
        """Every batch of the same sheet and connection, newest first."""
        ...

    async def find_asked(self, connection_id: int) -> list[BatchSummary]:
        """Batches of the connection in which rows are done or may be, newest first, as many as
        can be looked through; none from before the connection began to ask for something else."""
        ...

    async def asked_source(self, batch_ids: Sequence[int]) -> Callable[[], Iterator[AskedRow]]:
        """The rows of these batches, to be called in any thread or process: it blocks, and reads
        on its own. Raises OperatorError where the store can't be read."""
        ...

    async def mean_size(self, connection_id: int) -> float | None:
        """Bytes of a result of the connection, as the newest ones took; None where there is
        none."""
        ...

    async def known_rows(
        self, batch_id: int, columns: Sequence[str] | None = None
    ) -> list[KnownRow]:
        """Every row of the batch; ``columns`` are those of the sheet that it is compared with."""
        ...

    async def known_source(
        self, batch_id: int, columns: Sequence[str] | None = None
    ) -> Callable[[], Sequence[KnownRow]]:
        """The same to be called in any thread or process: it blocks, and reads on its own. Raises
        OperatorError where the store can't be read."""
        ...

    async def update(
        self,
        batch: Batch,
        changes: Sequence[RowChange],
        now: float,
        *,
        again: Collection[int] | None = None,
        gone: Sequence[int] = (),
    ) -> Updated:
        """Supersede these rows, cancel those of ``gone`` that wait, and file the batch under its
        newer columns and mapping; also under ``batch.sheet_hash`` and ``batch.fingerprint``,
        unless a paid row was left as it was. ``again`` are the paid rows (pks) that a person
        agreed to pay for once more; None: all."""
        ...


class ConnectionStore(Protocol):
    """Connections without their secrets."""

    async def all(self) -> list[Connection]: ...
    async def get(self, connection_id: int) -> Connection | None: ...
    async def by_name(self, name: str) -> Connection | None: ...
    async def save(self, connection: Connection) -> Connection: ...
    async def remove(self, connection_id: int) -> bool: ...
    async def in_use(self, connection_id: int) -> bool: ...
