"""Full rows for a handful of pks: the grid's page, the detail pane, a chunk of an export."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop_app.domain.flags import flags_note
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import AttemptView, Piece, TaskDetail, TaskFilter, TaskRow
from desktop_app.store.codec import absolute, cost_text, to_message
from desktop_app.store.filters import conditions

if TYPE_CHECKING:
    # Rows on the screen wait for nothing that a sheet of them needs.
    from desktop_app.domain.ports import ExportRow

# A vendor may count something by that name, too.
_THOUGHT = """CASE json_type({0}.usage, '$.reasoning')
       WHEN 'text' THEN json_extract({0}.usage, '$.reasoning') END"""

UNSENT = "(SELECT count(*) FROM attempt u WHERE u.task_pk = t.id AND u.sent = 0)"
"""Attempts of a task ``t`` that never left: closed as such, or noted to tell a person why."""

ROWS = f"""
SELECT t.id, t.task_id, t.batch_id, t.row_no, t.state, substr(p.prompt, 1, 200), t.key,
       t.attempt_no, t.retries_spent, c.retries, t.due_at, a.started_at,
       coalesce(a.latency_s, a.ended_at - a.started_at), b.out_dir, r.path, t.error_class, t.note,
       t.cancel_requested, r.flags, t.error_code, CASE t.state WHEN 1 THEN a.job_id END,
       {UNSENT}
FROM task t
JOIN payload p ON p.task_pk = t.id
JOIN batch b ON b.id = t.batch_id
JOIN connection c ON c.id = b.connection_id
LEFT JOIN attempt a ON a.id = t.attempt_id
LEFT JOIN result r ON r.id = t.result_id
WHERE t.id IN (SELECT value FROM json_each(?))"""  # noqa: S608 - constants

COSTS = """
SELECT task_pk, currency, sum(cost_nano) FROM attempt
WHERE task_pk IN (SELECT value FROM json_each(?)) AND cost_nano IS NOT NULL AND billed <> 'no'
GROUP BY task_pk, currency ORDER BY task_pk, currency"""

_EXPORT = f"""
SELECT t.id, t.row_no, p.cells, t.state, b.out_dir, r.path, r.text, t.error_class, t.note,
       t.attempt_no - {UNSENT}, a.started_at, a.ended_at, t.task_id, a.request_id, r.flags,
       {_THOUGHT.format("m")}
FROM task t
JOIN payload p ON p.task_pk = t.id
JOIN batch b ON b.id = t.batch_id
LEFT JOIN attempt a ON a.id = t.attempt_id
LEFT JOIN result r ON r.id = t.result_id
LEFT JOIN attempt m ON m.id = r.attempt_id
WHERE t.id IN (SELECT value FROM json_each(?))"""  # noqa: S608 - constants

MORE = """
SELECT t.id, b.out_dir, m.path FROM task t CROSS JOIN batch b ON b.id = t.batch_id
CROSS JOIN more_result m ON m.result_id = t.result_id
WHERE t.id IN (SELECT value FROM json_each(?)) ORDER BY t.id, m.place"""

SEVERAL = """
SELECT t.id, count(*) + 1 FROM more_result m CROSS JOIN task t ON t.id = m.task_pk
WHERE t.result_id = m.result_id AND {} GROUP BY t.id"""

_PIECES = MORE.replace("m.path", "m.path, m.text")

_DETAIL = f"""
SELECT p.prompt, p.params, p.cells, b.columns, r.text, r.mime, t.lane, t.stem,
       {_THOUGHT.format("a")}
FROM task t JOIN payload p ON p.task_pk = t.id JOIN batch b ON b.id = t.batch_id
LEFT JOIN result r ON r.id = t.result_id LEFT JOIN attempt a ON a.id = r.attempt_id
WHERE t.id = ?"""  # noqa: S608 - a constant

_ATTEMPTS = """
SELECT attempt_no, edition, started_at, ended_at, outcome, http_status, request_id, latency_s,
       error_code, said, body, cost_nano, currency, billed, idempotency_key, wait_s,
       job_id, sent
FROM attempt WHERE task_pk = ? ORDER BY attempt_no"""

_Costs = dict[int, list[tuple[str, int]]]


def rows(conn: sqlite3.Connection, pks: Sequence[int]) -> list[TaskRow]:
    """Grid rows in the order of ``pks``."""
    wanted = json.dumps(list(pks))
    costs = _costs(conn, wanted)
    found = {row[0]: _task_row(row, costs) for row in conn.execute(ROWS, (wanted,))}
    for pk, out_dir, path in conn.execute(MORE, (wanted,)):
        found[pk] = found[pk]._replace(more=(*found[pk].more, str(Path(out_dir) / path)))
    return [found[pk] for pk in pks if pk in found]


def several(conn: sqlite3.Connection, which: TaskFilter) -> dict[int, int]:
    """How many results each of the matching tasks has that have more than one."""
    where, values = conditions(which)
    return dict(conn.execute(SEVERAL.format(where), values))


def exports(conn: sqlite3.Connection, pks: Iterable[int]) -> list[ExportRow]:
    """Rows of a result sheet in the order of ``pks``."""
    from desktop_app.domain.ports import ExportRow

    order = list(pks)
    wanted = json.dumps(order)
    costs, more = _costs(conn, wanted), _pieces(conn, wanted)
    found = {
        row[0]: ExportRow(
            row_no=row[1],
            cells=tuple(json.loads(row[2])),
            state=TaskState(row[3]),
            output=absolute(row[4], row[5]),
            text=row[6],
            error_class=row[7],
            error=to_message(row[8]) or flags_note(_flags(row[14])),
            attempts=row[9],
            cost=cost_text(costs.get(row[0], ())),
            started_at=row[10],
            ended_at=row[11],
            task_id=row[12],
            request_id=row[13],
            thinking=row[15],
            more=more.get(row[0], ()),
        )
        for row in conn.execute(_EXPORT, (wanted,))
    }
    return [found[pk] for pk in order if pk in found]


def detail(conn: sqlite3.Connection, task_pk: int) -> TaskDetail | None:
    """Everything about one task."""
    found = rows(conn, (task_pk,))
    if not found:
        return None
    prompt, params, cells, columns, text, mime, lane, stem, thinking = conn.execute(
        _DETAIL, (task_pk,)
    ).fetchone()
    pairs = zip_longest(json.loads(columns), json.loads(cells), fillvalue="")
    return TaskDetail(
        row=found[0],
        prompt=prompt,
        params=json.loads(params),
        cells=tuple(pairs),
        text=text,
        mime=mime,
        lane=lane,
        attempts=tuple(_attempt(row) for row in conn.execute(_ATTEMPTS, (task_pk,))),
        file_stem=stem,
        more=_pieces(conn, json.dumps([task_pk])).get(task_pk, ()),
        thinking=thinking or "",
    )


def _costs(conn: sqlite3.Connection, wanted: str) -> _Costs:
    found: _Costs = {}
    for pk, currency, nano in conn.execute(COSTS, (wanted,)):
        found.setdefault(pk, []).append((currency, nano))
    return found


def _pieces(conn: sqlite3.Connection, wanted: str) -> dict[int, tuple[Piece, ...]]:
    found: dict[int, tuple[Piece, ...]] = {}
    for pk, out_dir, path, text in conn.execute(_PIECES, (wanted,)):
        found[pk] = (*found.get(pk, ()), Piece(str(Path(out_dir) / path), text))
    return found


def _flags(written: str | None) -> tuple[str, ...]:
    return tuple(json.loads(written)) if written else ()


def _task_row(row: Sequence[Any], costs: _Costs) -> TaskRow:
    return TaskRow(
        pk=row[0],
        task_id=row[1],
        batch_id=row[2],
        row_no=row[3],
        state=TaskState(row[4]),
        prompt=row[5],
        key=row[6],
        attempt_no=row[7],
        retries_spent=row[8],
        retries_max=row[9],
        due_at=row[10],
        started_at=row[11],
        elapsed_s=row[12],
        output=absolute(row[13], row[14]),
        error_class=row[15],
        note=to_message(row[16]) if row[20] is None else message("store.job_runs", job=row[20]),
        cost=cost_text(costs.get(row[0], ())),
        cancel_requested=bool(row[17]),
        flags=_flags(row[18]),
        error_code=row[19],
        unsent=row[21],
    )


def _attempt(row: Sequence[Any]) -> AttemptView:
    return AttemptView(
        attempt_no=row[0],
        edition=row[1],
        started_at=row[2],
        ended_at=row[3],
        outcome=row[4],
        http_status=row[5],
        request_id=row[6],
        latency_s=row[7],
        error_code=row[8],
        said=to_message(row[9]),
        body=row[10],
        cost=None if row[11] is None else cost_text([(row[12], row[11])]),
        billed=row[13],
        idempotency_key=row[14],
        wait_reason=_wait(row[4], row[15]),
        job_id=row[16],
        sent=bool(row[17]),
    )


def _wait(outcome: str, seconds: float | None) -> Message | None:
    if not seconds:
        return None
    code = "store.wait_asked" if outcome == "throttled" else "store.wait_retry"
    return message(code, seconds=f"{seconds:.1f}".removesuffix(".0"))
