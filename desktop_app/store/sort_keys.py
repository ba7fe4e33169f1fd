"""What rows are sorted by where no index has it: what their cells show, as far as SQL can know it.

NULL stands for an empty cell. A note is stored as its code with its values and shown in the
language of the window, so that notes of one kind stand together and equal ones side by side, but
the kinds are in the order of their codes and not of their words.
"""

from __future__ import annotations

from typing import Any

from desktop_app.domain.flags import NOTES
from desktop_app.domain.task import TaskState
from desktop_app.domain.views import Sort
from desktop_app.store.filters import state_list
from desktop_app.store.page_rows import UNSENT

_S = TaskState

# As words.tries has it: nothing where nothing was sent.
_TRIES = f"nullif(t.attempt_no - {UNSENT}, 0)"

_PROMPT = "(SELECT nullif(p.prompt, '') FROM payload p WHERE p.task_pk = t.id) COLLATE NOCASE"

# Pictures before texts, each kind by the name of its file.
_PICTURE = """
(SELECT iif(r.mime LIKE 'image/%', 0, 1) || r.path FROM result r WHERE r.id = t.result_id)
COLLATE NOCASE"""

# How long the last call took, or has taken at the moment given.
_TIME = f"""
CASE WHEN t.state NOT IN ({state_list((_S.PENDING, _S.RETRYING))}) THEN
  (SELECT iif(t.state = {_S.RUNNING:d}, max(0.0, ? - a.started_at),
              coalesce(a.latency_s, a.ended_at - a.started_at))
   FROM attempt a WHERE a.id = t.attempt_id
     AND (t.state = {_S.RUNNING:d} OR t.attempt_no > {UNSENT})) END"""  # noqa: S608 - constants

# Of a result what is amiss with it, in the form in which other notes are stored.
_AMISS = " || ".join(
    f"iif(instr(r.flags, '\"{flag}\"'), '{said} ', '')" for flag, said in NOTES.items()
)

_NOTE = f"""
CASE t.state
  WHEN {_S.SUCCESS:d} THEN (SELECT nullif('["' || {_AMISS}, '["') FROM result r
                            WHERE r.id = t.result_id AND r.flags <> '[]')
  WHEN {_S.RUNNING:d} THEN coalesce((SELECT '["store.job_runs" ' || a.job_id FROM attempt a
                                     WHERE a.id = t.attempt_id), t.note)
  ELSE t.note END"""  # noqa: S608 - constants

_KEYS = {
    Sort.TRIES: _TRIES,
    Sort.TIME: _TIME,
    Sort.PROMPT: _PROMPT,
    Sort.PICTURE: _PICTURE,
    Sort.NOTE: _NOTE,
}


def order_by(sort: Sort, descending: bool, now: float) -> tuple[str, list[Any]]:
    """The terms of an ORDER BY on alias ``t``, with their values; the empty last, equal ones in
    sheet order. ``now``: until when what runs has run, epoch seconds."""
    direction = "DESC" if descending else "ASC"
    values = [now] if sort is Sort.TIME else []
    return f"{_KEYS[sort]} {direction} NULLS LAST, t.batch_id, t.row_no", values
