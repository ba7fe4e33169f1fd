"""Dead letters grouped by cause, read from an index that holds dead letters and nothing else."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.task import DEAD_LETTERS, TaskState
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import DeadGroup

SAMPLE = 5

GROUPS = """
SELECT state, error_class, error_code, count(*) FROM task INDEXED BY task_cause
WHERE batch_id = ? AND error_class IS NOT NULL AND state IN (4, 5, 6)
GROUP BY state, error_code, error_class"""

SAMPLES = """
SELECT id, note FROM task INDEXED BY task_cause
WHERE batch_id = ? AND error_class IS NOT NULL AND state IN (4, 5, 6)
  AND state = ? AND error_code IS ? AND error_class IS ?
ORDER BY id LIMIT ?"""

_Key = tuple[int, str, str]


def find(conn: sqlite3.Connection, batch_id: int | None) -> list[DeadGroup]:
    """Largest first. For all batches, equal causes are one group without a batch."""
    if batch_id is None:
        batches = [pk for (pk,) in conn.execute("SELECT id FROM batch WHERE stage = 1")]
    else:
        batches = [batch_id]
    counts: dict[_Key, int] = {}
    samples: dict[_Key, list[tuple[int, str | None]]] = {}
    places: dict[_Key, list[int]] = {}
    for one in batches:
        for state, kind, code, count in conn.execute(GROUPS, (one,)):
            key = (state, kind, code or "")
            counts[key] = counts.get(key, 0) + count
            places.setdefault(key, []).append(one)
            known = samples.setdefault(key, [])
            if len(known) < SAMPLE:
                values = (one, state, code, kind, SAMPLE - len(known))
                known += conn.execute(SAMPLES, values).fetchall()
    ordered = sorted(counts, key=lambda key: (-counts[key], key))
    return [
        replace(
            _group(key, counts[key], samples[key], batch_id),
            batches=tuple(dict.fromkeys(places[key])),
        )
        for key in ordered
    ]


def advice(state: TaskState, kind: str, code: str = "") -> Message:
    """The next step for a cause."""
    if state is TaskState.UNCERTAIN:
        return message("store.advice_uncertain")
    if state is TaskState.FAILED and code.startswith(("ingest.", "store.")):
        return message("store.advice_unusable")
    if state not in DEAD_LETTERS or kind not in set(FailureClass):
        return message("store.advice_look")
    return message(f"store.advice_{kind}")


def _group(
    key: _Key, count: int, sample: list[tuple[int, str | None]], batch_id: int | None
) -> DeadGroup:
    state, kind, code = TaskState(key[0]), key[1], key[2]
    note = next((note for _, note in sample if note is not None), None)
    return DeadGroup(
        state=state,
        error_class=kind,
        code=code,
        said=message("store.no_reason") if note is None else Message.load(note),
        advice=advice(state, kind, code),
        count=count,
        sample=tuple(pk for pk, _ in sample),
        batch_id=batch_id,
    )
