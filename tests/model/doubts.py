"""Whether a row is rightly called uncertain, and stands for what its newest version asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.domain.task import TaskState
from desktop_app.domain.verdict import KEY_EXPIRED
from tests.model.shop import Submission, read_prompt

if TYPE_CHECKING:
    from tests.model.rules import Rules
    from tests.model.world import World

S = TaskState
BAD_FATES = frozenset({"job_lost", "endless", "uncollected", "gone", "bad", "console", "cancelled"})
"""Of jobs whose bill nobody knows, or whose result is not to be had."""


def check_editions(rules: Rules) -> None:
    """A newer version waits for the older one and never falls behind it."""
    waiting = rules.sql("SELECT t.id, t.state FROM next_edition n JOIN task t ON t.id = n.task_pk")
    assert all(state == S.RUNNING for _pk, state in waiting), "a newer edition was forgotten"
    over = rules.sql(
        "SELECT t.id FROM task t JOIN result r ON r.id = t.result_id "
        "JOIN attempt a ON a.id = r.attempt_id WHERE t.state = 3 AND a.edition <> t.edition"
    )
    assert not over, "an older edition's result stands over a newer one"
    prompts = rules.sql(
        "SELECT p.task_pk, coalesce(n.prompt, p.prompt) FROM payload p "
        "LEFT JOIN next_edition n ON n.task_pk = p.task_pk"
    )
    for row, prompt in prompts:
        assert read_prompt(prompt)[1] <= rules.newest.get(row, 1), "a version nobody asked for"
    _check_promises(rules)


def _check_promises(rules: Rules) -> None:
    """What waited for an older edition's end has taken its place, unless the row was cancelled."""
    promised = dict(
        rules.sql(
            "SELECT n.task_pk, n.prompt FROM next_edition n JOIN task t ON t.id = n.task_pk "
            "WHERE n.again = 1 AND n.problem IS NULL AND t.cancel_requested = 0"
        )
    )
    now = dict(rules.sql("SELECT task_pk, prompt FROM payload"))
    for row, prompt in rules.promised.items():
        kept = row in promised or row in rules.given_up or now[row] == prompt
        assert kept, f"row {row} was to become {prompt}, and is {now[row]}"
    rules.promised = promised
    if not rules.sql("SELECT 1 FROM command WHERE result IS NULL"):
        rules.given_up.clear()


def check_doubt(rules: Rules) -> None:
    """A row is UNCERTAIN only where the wire, or what came over it, was."""
    world = rules.world
    for row, attempt_pk, code in rules.sql(
        "SELECT id, attempt_id, error_code FROM task WHERE state = 6"
    ):
        calls = [s for s in world.shop.of(row) if s.attempt_pk == attempt_pk]
        if code == KEY_EXPIRED:
            calls = world.shop.of(row)
        assert calls, f"row {row} is called uncertain and was not sent"
        excused = code == "no_connection" or (code == "job_deadline" and world.jumped)
        excused |= code == KEY_EXPIRED and any(c.heard in ("nothing", "unknown") for c in calls)
        doubtful = excused or any(_is_doubtful(world, call) for call in calls)
        assert doubtful, f"row {row} is called uncertain ({code}): {calls}"


def _is_doubtful(world: World, submission: Submission) -> bool:
    made = submission.job
    if submission.given_up and submission.heard == "job":
        return True  # whoever asks now finds the job
    askable = world.shop.askable and not submission.asked_in_vain
    if made is not None and (askable or submission.heard == "job" or submission.called):
        return made.fate in BAD_FATES
    if submission.heard in ("nothing", "unknown"):
        return True
    if submission.heard == "answer" and submission.behaviour in ("bad", "bug"):
        return True
    # An answer to an attempt that has ended, or that nobody understands at a start, is put aside
    # like any other, and at the end it has to be known. Until it is, be it when the folder is back
    # or at a later start, its row is in doubt.
    stored = world.rules.sql("SELECT 1 FROM result WHERE attempt_id = ?", submission.attempt_pk)
    return (submission.given_up or world.people.misunderstood) and not stored
