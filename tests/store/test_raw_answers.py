"""An answer that came home is there at the next start, whole, for its own attempt, and no longer
than it is needed."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.domain.errors import Failure, FailureClass, broken
from desktop_app.domain.ports import RawAnswer
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import message
from desktop_app.domain.verdict import POISON
from desktop_app.store.raw_answers import RawAnswers
from desktop_app.store.store import Store
from tests.store.store_kit import Kit, draft, ending

ANSWER = RawAnswer(200, {"content-type": "application/json"}, b'{"data": [1]}\n\x00\xff', 1.5)

CHILD = """
import os, signal, sys
from pathlib import Path
from desktop_app.domain.ports import RawAnswer
from desktop_app.store.raw_answers import RawAnswers

answers = RawAnswers(Path(sys.argv[1]))
answers.open(frozenset())
for pk in (1, 2, 3):
    answers.keep(pk, f"key-{pk}", RawAnswer(200, {}, b"picture %d" % pk, 0.5))
answers.drop(2)
os.kill(os.getpid(), signal.SIGKILL)
"""


def reopened(folder: Path, *attempt_pks: int) -> RawAnswers:
    answers = RawAnswers(folder)
    answers.open(frozenset(attempt_pks))
    return answers


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_came_before_a_kill_is_found_and_what_was_dropped_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    child = subprocess.run([sys.executable, "-c", CHILD, folder], check=False)
    assert child.returncode == -signal.SIGKILL
    found = reopened(folder, 1, 2)
    assert found.of(1, "key-1") == RawAnswer(200, {}, b"picture 1", 0.5)
    assert found.of(2, "key-2") is None
    # Its attempt is not open any more: nobody will ask.
    assert found.of(3, "key-3") is None
    found.drop(1)
    found.close()
    assert list(folder.iterdir()) == []


def test_an_answer_is_for_its_own_attempt_only(tmp_path: Path) -> None:
    """A restored store counts its attempts from an earlier number again."""
    answers = reopened(tmp_path / "answers")
    answers.keep(7, "mine", ANSWER)
    answers.close()
    again = reopened(tmp_path / "answers", 7)
    assert again.of(7, "mine") == ANSWER
    assert again.of(7, "another") is None


def test_an_answer_that_was_cut_short_says_nothing(tmp_path: Path) -> None:
    answers = reopened(tmp_path / "answers")
    answers.keep(1, "a", ANSWER)
    answers.keep(2, "b", ANSWER)
    answers.close()
    first, second = sorted((tmp_path / "answers").iterdir())
    first.write_bytes(first.read_bytes()[:-1])
    second.write_bytes(b"\0" * second.stat().st_size)
    again = reopened(tmp_path / "answers", 1, 2)
    assert (again.of(1, "a"), again.of(2, "b")) == (None, None)


def test_new_answers_do_not_overwrite_what_is_held(tmp_path: Path) -> None:
    answers = reopened(tmp_path / "answers")
    answers.keep(1, "a", ANSWER)
    answers.close()
    again = reopened(tmp_path / "answers", 1)
    for pk in range(2, 6):
        again.keep(pk, "later", ANSWER)
    assert again.of(1, "a") == ANSWER


def test_a_file_that_is_not_needed_any_more_serves_again(tmp_path: Path) -> None:
    """File systems take long to make a file where many were removed just before."""
    folder = tmp_path / "answers"
    answers = reopened(folder)
    for pk in range(1, 50):
        answers.keep(pk, "a", ANSWER)
        answers.keep(pk + 100, "long", replace(ANSWER, body=b"x" * 5000))
        answers.drop(pk)
        assert (answers.of(pk, "a"), answers.of(pk + 100, "long") is None) == (None, False)
        answers.drop(pk + 100)
    assert len(list(folder.iterdir())) <= 4
    answers.keep(500, "short", ANSWER)
    assert answers.of(500, "short") == ANSWER
    answers.close()
    again = reopened(folder, 499, 500)
    assert again.of(500, "short") == ANSWER
    again.drop(500)
    again.close()
    assert list(folder.iterdir()) == []


def test_what_was_dropped_is_no_answer_after_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    killed = reopened(folder)
    killed.keep(1, "a", ANSWER)
    killed.keep(2, "a", ANSWER)
    killed.drop(1)
    assert RawAnswers(folder).left() == {2: "a"}
    assert reopened(folder, 1, 2).of(1, "a") is None


def test_a_file_that_somebody_removed_meanwhile_is_made_anew(tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    answers = reopened(folder)
    for pk in (1, 2, 3):
        answers.keep(pk, "a", ANSWER)
    for pk in (1, 2, 3):
        answers.drop(pk)
    for path in folder.iterdir():
        path.unlink()
    for pk in (4, 5, 6):
        answers.keep(pk, "a", ANSWER)
    # The one that lay open went with the others.
    assert [answers.of(pk, "a") for pk in (5, 6)] == [ANSWER, ANSWER]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_nobody_else_may_read_them(tmp_path: Path) -> None:
    answers = reopened(tmp_path / "answers")
    answers.keep(1, "a", ANSWER)
    paths = [tmp_path / "answers", *(tmp_path / "answers").iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in paths} == {0}


@pytest.mark.expect_log("no answer can be put aside")
def test_a_folder_that_cannot_be_made_loses_no_more_than_the_crash_would(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("in the way")
    answers = RawAnswers(tmp_path / "answers")
    answers.open(frozenset())
    answers.keep(1, "a", ANSWER)
    assert answers.of(1, "a") is None
    (tmp_path / "answers").unlink()
    answers.keep(1, "a", ANSWER)
    assert answers.of(1, "a") == ANSWER


async def test_an_attempt_that_is_finished_needs_its_answer_no_more(kit: Kit) -> None:
    batch_id = await kit.batch([draft(2)])
    await kit.store.engine.orphans()
    claim = await kit.claim_one(batch_id)
    kit.store.engine.keep_raw(claim, ANSWER)
    assert await kit.store.engine.raw_of(claim) == ANSWER
    await kit.end(claim, TaskState.SUCCESS)
    assert await kit.store.engine.raw_of(claim) is None


async def test_an_answer_to_an_attempt_that_had_ended_is_there_until_it_is_finished_anew(
    kit: Kit, opened: Callable[..., Awaitable[Store]]
) -> None:
    batch_id = await kit.batch([draft(2), draft(3), draft(4)])
    await kit.store.engine.orphans()
    late, done, killer = await kit.store.engine.claim(batch_id, 3, kit.clock.now())
    await kit.end(late, TaskState.UNCERTAIN)
    await kit.end(done, TaskState.SUCCESS)
    said = Failure(FailureClass.UNKNOWN, POISON, message("engine.poison"))
    await kit.end(killer, TaskState.FAILED, failure=said)
    for claim in (late, done, killer):
        kit.store.engine.keep_raw(claim, ANSWER)
    again = await opened(boot_id="boot-1")
    [orphan] = await again.engine.orphans()
    assert (orphan.claim.attempt_pk, orphan.late, orphan.begun) == (late.attempt_pk, True, True)
    assert await again.engine.raw_of(orphan.claim) == ANSWER
    assert await again.engine.raw_of(done) is None
    await kit.end(late, TaskState.SUCCESS)
    assert (await kit.ledger(batch_id)).success == 2
    assert await (await opened(boot_id="boot-1")).engine.orphans() == []


async def test_an_answer_over_which_the_program_failed_is_there_at_every_start_until_it_is_read(
    kit: Kit, opened: Callable[..., Awaitable[Store]]
) -> None:
    batch_id = await kit.batch([draft(2)])
    await kit.store.engine.orphans()
    claim = await kit.claim_one(batch_id)
    kit.store.engine.keep_raw(claim, ANSWER)
    failed = ending(claim, TaskState.UNCERTAIN, failure=broken(KeyError("data")), unread=True)
    await kit.store.engine.finish(failed)
    for _ in range(2):
        again = await opened(boot_id="boot-1")
        [orphan] = await again.engine.orphans()
        assert await again.engine.raw_of(orphan.claim) == ANSWER
        await again.engine.finish(failed)
    await again.engine.finish(replace(failed, unread=False))
    assert await again.engine.raw_of(claim) is None
