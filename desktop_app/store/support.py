"""The store's share of the support file: its shape and its counts, and nothing that was written
into it. It opens the file on its own, because it is wanted when nothing else can."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from desktop_app.domain.task import TaskState

BUSY_S = 2.0
CHECK_S = 20.0
_STEPS = 20_000
_PRAGMAS = (
    "application_id", "user_version", "journal_mode", "page_size", "page_count",
    "freelist_count", "auto_vacuum", "encoding",
)  # fmt: skip
# Connection settings that name things or say nothing of their values' meaning.
_PLAIN_SPEC = (
    "preset", "limits", "price", "model_prices", "timeout_s", "on_unknown", "resend_below",
    "day_budget",
)  # fmt: skip

Writer = Callable[[sqlite3.Connection], str]


class StoreFacts:
    """``ports.SupportSource`` of the file at ``path``. ``check_s`` bounds the look for damage."""

    def __init__(self, path: Path, check_s: float = CHECK_S) -> None:
        self._path = path
        self._check_s = check_s

    def parts(self) -> Mapping[str, str]:
        """Schema, checks, counts, connections."""
        readers: Mapping[str, Writer] = {
            "store/schema.sql": _schema,
            "store/checks.txt": self._checks,
            "store/counts.json": _counts,
            "store/connections.json": _connections,
        }
        files = "\n".join(self._files())
        found = {name: self._read(read) for name, read in readers.items()}
        found["store/checks.txt"] = f"{files}\n{found['store/checks.txt']}"
        return found

    def _read(self, read: Writer) -> str:
        """Each on a line of its own, so that damage in one table hides no other."""
        try:
            if not self._path.exists():
                return _missed("there is no store yet")
            uri = f"{self._path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_S)) as conn:
                conn.text_factory = lambda data: data.decode("utf-8", "replace")
                return read(conn)
        except (sqlite3.Error, OSError, ValueError) as error:
            return _missed(f"{type(error).__name__}: {error}")

    def _files(self) -> list[str]:
        found = []
        try:
            for file in sorted(self._path.parent.glob(f"{self._path.stem}*")):
                stat = file.stat()
                when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(stat.st_mtime))
                found.append(f"{file.name}  {stat.st_size} bytes  {when}")
        except OSError as error:
            found.append(_missed(str(error)))
        return found

    def _checks(self, conn: sqlite3.Connection) -> str:
        lines = [f"sqlite {sqlite3.sqlite_version}"]
        lines += [f"{name} = {conn.execute(f'PRAGMA {name}').fetchone()[0]}" for name in _PRAGMAS]
        until = time.monotonic() + self._check_s
        conn.set_progress_handler(lambda: int(time.monotonic() > until), _STEPS)
        for check in ("quick_check(20)", "foreign_key_check"):
            try:
                rows = conn.execute(f"PRAGMA {check}").fetchmany(20)
                lines += [f"{check}: {' '.join(map(str, row))}" for row in rows]
            except sqlite3.DatabaseError as error:
                lines.append(_missed(f"{check}: {error} (at most {self._check_s:g} s)"))
        return "\n".join(lines)


def _missed(why: str) -> str:
    return f"not read: {why}"


def _schema(conn: sqlite3.Connection) -> str:
    version = conn.execute("PRAGMA user_version").fetchone()[0]
    rows = conn.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    return "\n\n".join((f"-- migration {version}", *(f"{row[0]};" for row in rows)))


def _counts(conn: sqlite3.Connection) -> str:
    tasks: dict[str, dict[str, int]] = {}
    for batch, state, n in conn.execute("SELECT batch_id, state, n FROM tally WHERE n > 0"):
        tasks.setdefault(str(batch), {})[TaskState(state).word] = n
    said = {
        "batches": _rows(
            conn,
            "SELECT id, connection_id, stage, run_state, created_at, started_at, finished_at, "
            "ran_s, max_calls FROM batch",
        ),
        "tasks by batch and state": tasks,
        "dead letters by cause": _rows(
            conn,
            "SELECT batch_id, state, error_class, error_code, count(*) AS n FROM task "
            "WHERE state IN (4, 5, 6) GROUP BY 1, 2, 3, 4",
        ),
        "attempts": _rows(
            conn,
            "SELECT batch_id, outcome, error_class, error_code, http_status, billed, "
            "count(*) AS n, round(avg(latency_s), 2) AS latency_s FROM attempt "
            "GROUP BY 1, 2, 3, 4, 5, 6",
        ),
        "spent": _rows(conn, "SELECT batch_id, currency, nano FROM spent"),
        "commands not taken": conn.execute(
            "SELECT count(*) FROM command WHERE taken_at IS NULL"
        ).fetchone()[0],
        "paused accounts": conn.execute("SELECT count(*) FROM account_pause").fetchone()[0],
    }
    return json.dumps(said, indent=1)


def _connections(conn: sqlite3.Connection) -> str:
    """Hosts and limits; of what an operator typed into requests, the names of the fields."""
    said = []
    for row in _rows(
        conn, "SELECT id, adapter, base_url, model, retries, removed, spec FROM connection"
    ):
        spec = json.loads(row.pop("spec"))
        url = urlsplit(row.pop("base_url"))
        proxy = str(spec.get("proxy"))
        said.append(
            row
            | {"scheme": url.scheme, "host": url.netloc.rpartition("@")[2]}
            | {name: spec.get(name) for name in _PLAIN_SPEC}
            | {"proxy": proxy if proxy in ("system", "none") else "an address"}
            | {name: sorted(spec.get(name) or {}) for name in ("params", "extra")}
        )
    return json.dumps(said, indent=1)


def _rows(conn: sqlite3.Connection, sql: str) -> list[dict[str, Any]]:
    found = conn.execute(sql)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found]
