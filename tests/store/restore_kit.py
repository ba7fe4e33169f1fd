"""A list of tasks with a history after its copy, and ways to damage it."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.domain.attempt import Claim, Kept, Outcome
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import TaskFilter
from desktop_app.store import backups
from tests.store.store_kit import Kit, draft, failure

S = TaskState
NOON = 1_700_000_000.0
SIZE = 4096


def page(path: Path, number: int, filling: bytes = b"\xff") -> None:
    """Overwrite one page."""
    with path.open("r+b") as file:
        file.seek((number - 1) * SIZE)
        file.write((filling * SIZE)[:SIZE])


def root(path: Path, name: str) -> int:
    """The first page of a table or index."""
    with closing(sqlite3.connect(path)) as conn:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(conn.execute(sql, (name,)).fetchone()[0])


def pages_of(path: Path, name: str, kind: str = "leaf") -> list[int]:
    """The pages of a table or index, by what SQLite says of them."""
    with closing(sqlite3.connect(path)) as conn:
        sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path"
        return [number for (number,) in conn.execute(sql, (name, kind))]


def everything(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    found = {}
    with closing(sqlite3.connect(path)) as conn:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        for (name,) in conn.execute(tables).fetchall():
            found[name] = sorted(conn.execute(f"SELECT * FROM {name}"), key=repr)
    return found


def finished(claim: Claim, out: Path, *, text: str = "picture") -> dict[str, Any]:
    """A result file on the disk, and what the store keeps of it."""
    data = f"{text} {claim.task_id}".encode()
    name = f"{claim.file_stem}.png"
    (out / name).write_bytes(data)
    kept = Kept(name, len(data), "image/png", sha256=hashlib.sha256(data).hexdigest())
    return {"kept": kept}


@dataclass
class History:
    """What happened: 40 rows, 10 done, a copy; then 15 more done, 2 refused, 3 on their way, 10
    cancelled, and a second batch finished."""

    kit: Kit
    out: Path
    one: int = 0
    two: int = 0

    async def make(self) -> None:
        kit = self.kit
        kit.clock.at = NOON
        self.out.mkdir(exist_ok=True)
        rows = [draft(n, prompt=f"prompt {n} " + "long " * 60) for n in range(2, 42)]
        self.one = await kit.batch(rows, name="w1", out_dir=str(self.out))
        await self._done(self.one, 10)
        backups.make(kit.path, NOON)
        kit.clock.at = NOON + 3_600
        await self._done(self.one, 15)
        for claim in await kit.claim(self.one, 2):
            refused = failure(FailureClass.REFUSED, "moderation")
            await kit.end(claim, S.FAILED, outcome=Outcome.REFUSED, failure=refused)
        await kit.claim(self.one, 3)
        waiting = TaskFilter(batch_id=self.one, states=frozenset({S.PENDING}))
        assert await kit.store.actions.cancel(waiting, kit.clock.at) == 10
        self.two = await kit.batch(5, name="w2", out_dir=str(self.out / "w2"))
        (self.out / "w2").mkdir(exist_ok=True)
        await self._done(self.two, 5, self.out / "w2")

    async def close(self) -> dict[str, list[tuple[Any, ...]]]:
        """Close the store; returns all that is in it."""
        await self.kit.store.close()
        return everything(self.kit.path)

    async def _done(self, batch_id: int, count: int, out: Path | None = None) -> None:
        for claim in await self.kit.claim(batch_id, count):
            kept = finished(claim, out or self.out)
            await self.kit.end(claim, S.SUCCESS, ended_at=self.kit.clock.at, **kept)
