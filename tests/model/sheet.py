"""What a small world is made of, and the store file that it starts from."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from desktop_app.domain.batch import Batch, LaneOnDead, SheetMapping
from desktop_app.domain.connection import Connection, Limits, OnUnknown
from desktop_app.domain.money import Money, Price, PriceUnit
from desktop_app.domain.task import Draft, Request
from desktop_app.store import migrate
from desktop_app.store.connect import open_writer, raw
from tests.model.life import Life, LoopClock, MortalLoop
from tests.model.rooms import MortalWire, Rooms
from tests.model.shop import prompt_of

PRICE = Decimal("0.04")
START = 1000.0

# Written by the store itself at every move, so that no move is missed, be it in the middle of a
# transaction: from, to, and which rule of the lanes it broke.
MOVES = """
CREATE TABLE model_move (
  id INTEGER PRIMARY KEY, task_pk INTEGER, old INTEGER, new INTEGER,
  old_edition INTEGER, new_edition INTEGER, fault TEXT);
CREATE TRIGGER model_moved AFTER UPDATE OF state ON task WHEN OLD.state <> NEW.state BEGIN
  INSERT INTO model_move (task_pk, old, new, old_edition, new_edition, fault)
  SELECT NEW.id, OLD.state, NEW.state, OLD.edition, NEW.edition, CASE
    WHEN NEW.state <> 1 OR OLD.state NOT IN (0, 2) THEN NULL
    WHEN NEW.attempt_no = OLD.attempt_no THEN NULL  -- its job is known by now: it is asked about
    WHEN EXISTS (SELECT 1 FROM attempt a WHERE a.id = NEW.attempt_id AND a.outcome = 'not_sent')
      THEN NULL  -- it is set aside, and nothing is sent
    WHEN OLD.cancel_requested THEN 'claimed though its cancel was asked for'
    WHEN EXISTS (SELECT 1 FROM next_edition n WHERE n.task_pk = NEW.id)
      THEN 'an older edition was claimed'
    WHEN EXISTS (SELECT 1 FROM batch b WHERE b.id = NEW.batch_id AND b.run_state <> 1)
      THEN 'claimed though its batch does not run'
    WHEN NEW.lane IS NULL THEN NULL
    WHEN EXISTS (SELECT 1 FROM task r WHERE r.batch_id = NEW.batch_id AND r.lane = NEW.lane
                 AND r.id <> NEW.id AND r.state = 1)
      THEN 'two rows of one lane at once'
    WHEN EXISTS (SELECT 1 FROM task e WHERE e.batch_id = NEW.batch_id AND e.lane = NEW.lane
                 AND e.row_no < NEW.row_no AND e.state IN (0, 1, 2))
      THEN 'overtook an earlier row of its lane'
    WHEN EXISTS (SELECT 1 FROM task d JOIN batch b ON b.id = d.batch_id
                 WHERE d.batch_id = NEW.batch_id AND d.lane = NEW.lane
                 AND d.row_no < NEW.row_no AND d.state IN (4, 5, 6) AND b.lane_on_dead = 'stop')
      THEN 'passed a dead letter of a lane that stops'
  END;
END;
"""


@dataclass(frozen=True)
class Spec:
    """``rows`` rows in ``batches`` batches, one connection a batch; every odd row of a batch is in
    its one lane when there are ``lanes``. Caps count calls at the usual price; ``gate`` opens the
    rows up to this row of the sheet; each asks for ``several`` results."""

    rows: int = 4
    batches: int = 1
    keys: tuple[str, ...] = ("secret", "secret")
    policy: OnUnknown = OnUnknown.HOLD
    lanes: LaneOnDead | None = None
    concurrency: int = 2
    images: float | None = None  # a minute, of the account
    retries: int = 3
    rate: float | None = None
    cap: int | None = None
    day_cap: int | None = None
    gate: int | None = None
    max_calls: int | None = None
    callbacks: bool = False
    several: int = 1

    @property
    def price(self) -> Decimal:
        """Of one call."""
        return PRICE * self.several

    @property
    def names(self) -> tuple[str, ...]:
        """Of the connections, in the order of their batches."""
        return ("fal", "fal too")[: self.batches]

    def secrets(self) -> dict[str, str]:
        """The keys by connection."""
        return dict(zip(self.names, self.keys, strict=False))

    def batch_of(self, row: int) -> int:
        """The batch that a row belongs to; rows and their pks count from 1 on."""
        return (row - 1) * self.batches // self.rows + 1

    def drafts(self, batch_id: int, versions: Mapping[int, int]) -> list[Draft]:
        """The rows of a batch as its sheet says them in these versions (1 where not named)."""
        mine = [row for row in range(1, self.rows + 1) if self.batch_of(row) == batch_id]
        return [
            Draft(
                row_no=row + 1,
                cells=(prompt_of(row, versions.get(row, 1)),),
                request=Request(prompt_of(row, versions.get(row, 1))),
                stem=f"{row:04}",
                key=f"sku {row}",
                lane="x" if self.lanes is not None and row % 2 else None,
            )
            for row in mine
        ]

    def batch(self, connection_id: int) -> Batch:
        """A batch on this connection."""
        return Batch(
            0, f"b{connection_id}", "s.csv", "h", "f", ("prompt",), SheetMapping("prompt"),
            connection_id, "/out", 0.0, lane_on_dead=self.lanes or LaneOnDead.GO,
            row_gate=self.gate, max_calls=self.max_calls,
            budget=None if self.cap is None else Money(self.price * self.cap, "USD"),
        )  # fmt: skip

    def connection(self, name: str) -> Connection:
        """A connection of this name."""
        return Connection(
            name,
            "fake",
            "https://api.example.com/v1",
            "m",
            limits=Limits(
                concurrency=self.concurrency,
                rate=self.rate,
                headroom=1.0,
                images_per_minute=self.images,
            ),
            price=Price(PRICE, PriceUnit.IMAGE, "USD"),
            on_unknown=self.policy,
            retries=self.retries,
            day_budget=None if self.day_cap is None else self.price * self.day_cap,
            callbacks=self.callbacks,
            params={"n": self.several} if self.several > 1 else {},
        )


def make_store(spec: Spec, path: Path, templates: Path) -> None:
    """The store's file with everything imported and sealed; made once for equal specs."""
    values: Iterable[object] = vars(spec).values()
    template = templates / f"{'-'.join(map(str, values))}.db"
    if not template.exists():
        _make(spec, template)
    shutil.copy(template, path)


def _make(spec: Spec, path: Path) -> None:
    life = Life()
    loop = MortalLoop(life, START)
    database = open_writer(path)
    migrate.migrate(raw(database), path)
    raw(database).executescript(MOVES)
    database.close()
    wire = MortalWire(path.with_suffix(".wire"), life, lambda _pk: None)
    store = Rooms(path, life, LoopClock(loop, 0.0), wire)

    async def fill() -> None:
        for name in spec.names:
            connection = await store.connections.save(spec.connection(name))
            batch_id = await store.imports.begin(spec.batch(connection.id))
            await store.imports.add(batch_id, spec.drafts(batch_id, {}))
            await store.imports.seal(batch_id)

    loop.until_done(fill())
    loop.bury()
    store.close()
