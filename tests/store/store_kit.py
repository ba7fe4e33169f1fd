"""Short words for long set-ups: a batch of rows, a completion, a look at the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from desktop_app.domain.attempt import Billed, Claim, Completion, Kept, Outcome
from desktop_app.domain.batch import Batch, LaneOnDead, RunState, SheetMapping
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.task import Draft, Request, TaskState
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import TaskFilter, TaskRow
from desktop_app.store.store import Store


class StillClock:
    """Moves only when told to."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.at = now

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds


def connection(name: str = "Fake", **values: Any) -> Connection:
    return Connection(
        name=name, adapter="fake", base_url="https://fake.test/v1", model="m", **values
    )


def batch(connection_id: int, **values: Any) -> Batch:
    defaults: dict[str, Any] = {
        "id": 0,
        "name": "shoes",
        "sheet_path": "/sheets/shoes.csv",
        "sheet_hash": "hash",
        "fingerprint": "print",
        "columns": ("sku", "prompt"),
        "mapping": SheetMapping(prompt_column="prompt"),
        "connection_id": connection_id,
        "out_dir": "/out",
        "created_at": 1_000.0,
    }
    return Batch(**{**defaults, **values})


def draft(row_no: int, **values: Any) -> Draft:
    prompt = values.pop("prompt", f"prompt {row_no}")
    defaults: dict[str, Any] = {
        "row_no": row_no,
        "cells": (f"sku{row_no}", prompt),
        "request": Request(prompt, {"size": "1024x1024"}, {"seed": row_no}),
        "stem": f"{row_no:04d}_sku{row_no}",
    }
    return Draft(**{**defaults, **values})


def failure(
    kind: FailureClass = FailureClass.TRANSIENT, code: str = "http_500", **values: Any
) -> Failure:
    said = values.pop("said", message("fake.trouble", word=code))
    return Failure(kind, code, said, **values)


KEPT = Kept("0002_sku2.png", 123, "image/png", width=10, height=10, sha256="ab")


def ending(
    claim: Claim, to: TaskState, outcome: Outcome | None = None, **values: Any
) -> Completion:
    """A completion of this claim with what the state needs filled in."""
    if to is TaskState.SUCCESS:
        values = {
            "kept": Kept(f"{claim.file_stem}.png", 123, "image/png"),
            "billed": Billed.YES,
            **values,
        }
        outcome = outcome or Outcome.SUCCESS
    if to is TaskState.RETRYING:
        values = {"due_at": 1_010.0, "delay_s": 10.0, "failure": failure(), **values}
    return Completion(
        task_pk=claim.task_pk,
        rev=claim.rev,
        attempt_pk=claim.attempt_pk,
        to=to,
        outcome=outcome or Outcome.TRANSIENT,
        ended_at=values.pop("ended_at", 1_005.0),
        **values,
    )


@dataclass
class Kit:
    store: Store
    clock: StillClock
    path: Path
    changes: list[tuple[int, tuple[int, ...]]]

    async def batch(
        self, drafts: Iterable[Draft] | int = 3, *, run: bool = True, **values: Any
    ) -> int:
        """A sealed batch; a number stands for that many plain rows from row 2 on."""
        rows = [draft(n) for n in range(2, 2 + drafts)] if isinstance(drafts, int) else list(drafts)
        found = await self.store.connections.by_name("Fake")
        used = found or await self.store.connections.save(connection())
        batch_id = await self.store.imports.begin(batch(used.id, **values))
        await self.store.imports.add(batch_id, rows)
        await self.store.imports.seal(batch_id)
        if run:
            await self.store.engine.set_run_state(batch_id, RunState.RUNNING)
        return batch_id

    async def claim(self, batch_id: int, limit: int = 100) -> list[Claim]:
        return await self.store.engine.claim(batch_id, limit, self.clock.at)

    async def claim_one(self, batch_id: int) -> Claim:
        (claim,) = await self.claim(batch_id, 1)
        return claim

    async def end(self, claim: Claim, to: TaskState, **values: Any) -> Any:
        return await self.store.engine.finish(ending(claim, to, **values))

    async def row(self, batch_id: int, row_no: int) -> TaskRow:
        (pk,) = self.sql("SELECT id FROM task WHERE batch_id = ? AND row_no = ?", batch_id, row_no)
        (found,) = await self.store.pages.rows(pk)
        return found

    async def ledger(self, batch_id: int) -> Ledger:
        return await self.store.pages.ledger(batch_id)

    async def pks(self, **values: Any) -> list[int]:
        return list(await self.store.pages.ids(TaskFilter(**values)))

    def sql(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """A look from outside, on a connection of its own."""
        with closing(sqlite3.connect(self.path)) as conn:
            return conn.execute(sql, values).fetchall()


def row_nos(claims: Sequence[Claim]) -> list[int]:
    return [claim.row_no for claim in claims]


def lane_rows(*lanes: str | None, first: int = 2) -> list[Draft]:
    return [draft(first + index, lane=lane) for index, lane in enumerate(lanes)]


REASON: Message = message("fake.reason")
STOP = LaneOnDead.STOP
CENT = Decimal("0.04")
