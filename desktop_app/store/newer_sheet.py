"""A batch brought up to a newer version of its sheet: what it knows of its rows, what they become,
and under which columns it is filed from then on."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop_app.domain.batch import Batch
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.filing import filed_digest
from desktop_app.domain.ports import KnownRow, RowChange
from desktop_app.domain.task import Draft, TaskState
from desktop_app.domain.text import OperatorError, message
from desktop_app.store import drafts, packing
from desktop_app.store.codec import dump, from_mapping
from desktop_app.store.connect import BUSY_S
from desktop_app.store.tasks import editions
from desktop_app.store.tasks.editions import Newer, Superseded
from desktop_app.store.trouble import UNREADABLE, trouble_of
from desktop_app.store.writer import Txn

_KNOWN = f"""
SELECT t.id, t.row_no, t.edition, t.state, {editions.PAID}, t.error_code IS '{editions.GONE}',
       coalesce(n.digest, p.digest), coalesce(n.cells, p.cells),
       iif(n.stem IS NULL, t.key, n.key), iif(n.stem IS NULL, t.lane, n.lane),
       iif(n.stem IS NULL, t.priority, n.priority)
FROM task t JOIN payload p ON p.task_pk = t.id LEFT JOIN next_edition n ON n.task_pk = t.id
WHERE t.batch_id = ? ORDER BY t.row_no"""  # noqa: S608 - constants

_RECOLUMN = """
UPDATE {table} SET cells = recolumned(cells)
WHERE task_pk IN (SELECT id FROM task WHERE batch_id = ?)"""


def known_rows(
    conn: sqlite3.Connection, batch_id: int, columns: Sequence[str] | None = None
) -> list[KnownRow]:
    """Every row of the batch, in sheet order, as the newest version of the sheet said it; under
    other ``columns`` than these every row is filed otherwise."""
    (found,) = conn.execute("SELECT columns FROM batch WHERE id = ?", (batch_id,)).fetchone()
    is_other = columns is not None and json.loads(found) != list(columns)
    return [
        KnownRow(
            pk=pk,
            row_no=row_no,
            key=key,
            edition=edition,
            digest=digest,
            filed="" if is_other else filed_digest(json.loads(cells), key, lane, priority),
            state=TaskState(state),
            paid=bool(paid),
            gone=bool(gone) and state == TaskState.CANCELLED,
        )
        for (
            pk,
            row_no,
            edition,
            state,
            paid,
            gone,
            digest,
            cells,
            key,
            lane,
            priority,
        ) in conn.execute(_KNOWN, (batch_id,))
    ]


@dataclass(frozen=True, slots=True)
class KnownRows:
    """``known_rows`` on a connection of its own, in any thread or process. Blocks. Raises
    OperatorError."""

    path: str
    batch_id: int
    columns: tuple[str, ...] | None

    def __call__(self) -> list[KnownRow]:
        """Every row of the batch, in sheet order."""
        with reading(self.path) as conn:
            return known_rows(conn, self.batch_id, self.columns)


@contextlib.contextmanager
def reading(path: str) -> Iterator[sqlite3.Connection]:
    """The store at ``path``, to be read in any thread or process. Blocks. Raises OperatorError."""
    try:
        uri = f"{Path(path).as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=BUSY_S)) as conn:
            yield conn
    except UNREADABLE as error:
        fault = trouble_of(error)
        if isinstance(fault, LocalTrouble):
            raise OperatorError(fault.message) from error
        raise


def take_columns(txn: Txn, batch: Batch) -> None:
    """Put the cells of every row under the newer columns, by their names; those that ``batch``
    has no longer go, for rows that the newer sheet has no longer as well. The rule for dead
    letters at the head of a lane is the newer one."""
    columns, rule = txn.one("SELECT columns, lane_on_dead FROM batch WHERE id = ?", (batch.id,))
    before = {name: at for at, name in enumerate(json.loads(columns))}
    places = [before.get(name) for name in batch.columns]
    if list(before) != list(batch.columns):

        def recolumned(cells: str) -> str:
            values = json.loads(cells)
            return dump([_cell(values, at) for at in places])

        txn.conn.create_function("recolumned", 1, recolumned, deterministic=True)
        for table in ("payload", "next_edition"):
            txn.execute(_RECOLUMN.format(table=table), (batch.id,))
        txn.execute(
            "UPDATE batch SET columns = ? WHERE id = ?", (dump(list(batch.columns)), batch.id)
        )
    if rule != batch.lane_on_dead.value:
        txn.execute(
            "UPDATE batch SET lane_on_dead = ? WHERE id = ?", (batch.lane_on_dead.value, batch.id)
        )
        drafts.lead_lanes(txn, batch.id)


def supersede(
    txn: Txn,
    batch_id: int,
    changes: Sequence[RowChange],
    now: float,
    again: Collection[int] | None,
) -> Counter[Superseded]:
    """Bring these rows up to the newer sheet. Returns how many became what."""
    counts = Counter(
        editions.supersede(
            txn,
            change.known.pk,
            change.known.edition,
            newer(change.draft),
            now,
            again=again is None or change.known.pk in again,
        )
        for change in changes
    )
    drafts.lead_lanes(txn, batch_id)
    return counts


def file(txn: Txn, batch: Batch, *, whole: bool) -> None:
    """File the batch under its newer mapping; where it is the ``whole`` sheet now, also under what
    identifies that."""
    txn.execute(
        "UPDATE batch SET mapping = ?, sheet_path = ? WHERE id = ?",
        (from_mapping(batch.mapping), batch.sheet_path, batch.id),
    )
    if whole:
        txn.execute(
            "UPDATE batch SET sheet_hash = ?, fingerprint = ? WHERE id = ?",
            (batch.sheet_hash, batch.fingerprint, batch.id),
        )
    txn.touch(batch.id)


def newer(draft: Draft) -> Newer:
    """What a sheet says of a row now."""
    problem = draft.problem
    if problem is None and draft.request is None:
        problem = message("store.no_request")
    return Newer(
        packing.payload_of(draft.values()),
        draft.key,
        draft.lane,
        draft.priority,
        draft.stem,
        problem,
    )


def _cell(values: Sequence[str], at: int | None) -> str:
    return values[at] if at is not None and at < len(values) else ""
