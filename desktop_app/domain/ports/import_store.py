"""What imports and connections ask of the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from desktop_app.domain.batch import Batch
from desktop_app.domain.connection import Connection
from desktop_app.domain.task import Draft, TaskState
from desktop_app.domain.views import BatchSummary


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A row of a batch as it was imported; ``digest`` identifies its request."""

    pk: int
    row_no: int
    key: str | None
    edition: int
    digest: str


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that a newer sheet says otherwise; ``draft`` has a request."""

    known: KnownRow
    draft: Draft


@dataclass(frozen=True, slots=True)
class Updated:
    """What became of changed rows: ``replaced`` had not been sent, ``later`` wait for the edition
    that is running, ``again`` run once more, ``moved_on`` were changed elsewhere meanwhile;
    ``new`` were added."""

    replaced: int = 0
    later: int = 0
    again: int = 0
    moved_on: int = 0
    new: int = 0


class ImportStore(Protocol):
    """Import in chunks, sealed by one commit; ``discard`` removes a half-made batch."""

    async def begin(self, batch: Batch) -> int: ...
    async def add(self, batch_id: int, drafts: Sequence[Draft]) -> None: ...
    async def seal(self, batch_id: int) -> None: ...
    async def discard(self, batch_id: int) -> None: ...
    async def discard_unsealed(self) -> int: ...
    async def extend(self, batch_id: int, drafts: Iterable[Draft]) -> int: ...
    async def find_runs(self, sheet_hash: str) -> list[BatchSummary]: ...
    async def find_fingerprint(self, fingerprint: str) -> Batch | None: ...
    async def find_lineage(
        self, sheet_path: str, connection_id: int, key_column: str | None
    ) -> Batch | None:
        """The newest batch of the same sheet (by path, else by file name), connection and key."""
        ...

    async def known_rows(self, batch_id: int) -> list[KnownRow]: ...
    async def update(self, batch: Batch, changes: Sequence[RowChange], now: float) -> Updated:
        """Supersede these rows, and file the batch under ``batch.sheet_hash`` and
        ``batch.fingerprint`` from now on."""
        ...

    async def done_rows(self, batch_id: int) -> Mapping[int, tuple[str, TaskState]]:
        """Of a batch: row_no -> (hash of the row's request, state)."""
        ...


class ConnectionStore(Protocol):
    """Connections without their secrets."""

    async def all(self) -> list[Connection]: ...
    async def get(self, connection_id: int) -> Connection | None: ...
    async def by_name(self, name: str) -> Connection | None: ...
    async def save(self, connection: Connection) -> Connection: ...
    async def remove(self, connection_id: int) -> bool: ...
    async def in_use(self, connection_id: int) -> bool: ...
