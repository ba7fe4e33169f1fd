"""Dead letters are decided by a person, all that match, and never a row more."""

from __future__ import annotations

import threading
import unicodedata
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PIL import Image

from desktop_app.domain.batch import RunState
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import Job
from desktop_app.domain.money import Money
from desktop_app.domain.safe_names import fold
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError, Translator
from desktop_app.domain.views import Doubts, TaskFilter
from desktop_app.services import dead_letters as module
from desktop_app.services.dead_letters import price_of_resending
from tests.services.services_kit import PICTURES, Kit, exists

S = TaskState


def a_picture(path: Path) -> Path:
    Image.new("RGB", (8, 8), "red").save(path)
    return path


async def one_of_each(kit: Kit) -> tuple[int, dict[TaskState, int]]:
    """A batch with a row in every dead letter, one done and one cancelled."""
    batch_id = await kit.batch(5)
    ends = (S.FAILED, S.DEAD, S.UNCERTAIN, S.SUCCESS)
    pks = {}
    for claim, to in zip(await kit.claim(batch_id, 4), ends, strict=True):
        await kit.end(claim, to, f"code_{to.word}")
        pks[to] = claim.task_pk
    await kit.store.actions.cancel(TaskFilter(batch_id=batch_id), kit.clock.now())
    (pks[S.CANCELLED],) = await kit.queries.ids(
        TaskFilter(batch_id=batch_id, states=frozenset({S.CANCELLED}))
    )
    return batch_id, pks


async def test_s21_requeue_acts_on_all_that_match_and_leaves_the_rest(kit: Kit) -> None:
    batch_id, pks = await one_of_each(kit)
    assert [group.count for group in await kit.dead.groups(batch_id)] == [1, 1, 1]
    assert await kit.dead.requeue(TaskFilter(batch_id=batch_id, cause="code_dead")) == 1
    assert await kit.state(pks[S.DEAD]) is S.PENDING
    assert await kit.dead.requeue(TaskFilter(batch_id=batch_id)) == 1
    assert await kit.state(pks[S.CANCELLED]) is S.CANCELLED  # only where it is asked for
    assert await kit.state(pks[S.UNCERTAIN]) is S.UNCERTAIN  # it may be paid twice
    assert await kit.state(pks[S.SUCCESS]) is S.SUCCESS
    cancelled = frozenset({S.CANCELLED})
    assert await kit.dead.requeue(TaskFilter(batch_id=batch_id, states=cancelled)) == 1
    assert await kit.dead.requeue(TaskFilter(batch_id=batch_id)) == 0
    assert kit.engine.told.count(("wake",)) == 4


@pytest.mark.parametrize("states", [{S.SUCCESS}, {S.RUNNING, S.PENDING}])
async def test_what_cannot_be_requeued_is_said(kit: Kit, states: set[TaskState]) -> None:
    batch_id, _ = await one_of_each(kit)
    with pytest.raises(OperatorError) as caught:
        await kit.dead.requeue(TaskFilter(batch_id=batch_id, states=frozenset(states)))
    assert caught.value.message.code == "services.requeue_states"


async def test_a_batch_that_is_not_there_is_said(kit: Kit) -> None:
    with pytest.raises(OperatorError) as caught:
        await kit.dead.requeue(TaskFilter(batch_id=99))
    assert caught.value.message.code == "services.no_batch"


async def test_rows_that_were_no_request_are_not_sent_empty(kit: Kit) -> None:
    batch_id = await kit.batch(["", "good"])
    with pytest.raises(OperatorError) as caught:
        await kit.dead.requeue(TaskFilter(batch_id=batch_id))
    assert caught.value.message.code == "services.unusable_rows"
    (group,) = await kit.dead.groups(batch_id)
    with pytest.raises(OperatorError) as caught:
        await kit.dead.edit_and_requeue(group.sample[0], " \n")
    assert caught.value.message.code == "services.empty_prompt"
    assert await kit.dead.edit_and_requeue(group.sample[0], "a cup")
    assert [c.request.prompt for c in await kit.claim(batch_id)] == ["a cup", "good"]


async def test_an_uncertain_row_is_settled_once(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    _, pks = await one_of_each(kit)
    pk = pks[S.UNCERTAIN]
    with pytest.raises(OperatorError) as caught:
        await kit.dead.settle_ask(pk)
    assert caught.value.message.code == "services.cannot_ask"
    assert not await kit.dead.askable(pk)
    monkeypatch.setattr("tests.services.services_kit.PICTURES", replace(PICTURES, askable=True))
    assert await kit.dead.askable(pk)
    assert await kit.dead.settle_ask(pk)
    assert kit.engine.told[-1] == ("ask", pk)
    assert not await kit.dead.askable(999)
    assert await kit.dead.settle_failed(pk)
    assert await kit.state(pk) is S.FAILED
    assert not await kit.dead.settle_failed(pk)
    assert not await kit.dead.settle_resend(pk)
    for settle in (kit.dead.settle_ask, lambda p: kit.dead.settle_attach(p, Path("x.png"))):
        with pytest.raises(OperatorError) as caught:
            await settle(pk)
        assert caught.value.message.code == "services.not_uncertain"
        with pytest.raises(OperatorError) as caught:
            await settle(999)
        assert caught.value.message.code == "services.no_task"


async def test_a_row_with_a_job_can_be_asked_about_where_the_adapter_knows_jobs(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_id = await kit.batch(2)
    first, second = await kit.claim(batch_id)
    await kit.store.engine.job_taken(first.attempt_pk, Job("job-1"))
    for claim in (first, second):
        await kit.end(claim, S.UNCERTAIN)
    assert not await kit.dead.askable(first.task_pk)
    monkeypatch.setattr("tests.services.services_kit.PICTURES", replace(PICTURES, jobs=True))
    assert await kit.dead.askable(first.task_pk)
    assert not await kit.dead.askable(second.task_pk)


async def test_a_row_sent_again_goes_back_to_the_queue(kit: Kit) -> None:
    _, pks = await one_of_each(kit)
    assert await kit.dead.settle_resend(pks[S.UNCERTAIN])
    assert await kit.state(pks[S.UNCERTAIN]) is S.PENDING
    assert ("wake",) in kit.engine.told


async def test_an_attached_file_becomes_the_result(kit: Kit, tmp_path: Path) -> None:
    _, pks = await one_of_each(kit)
    pk = pks[S.UNCERTAIN]
    for wrong in (kit.sheet(["no picture"], "found.csv"), tmp_path, tmp_path / "gone.png"):
        with pytest.raises(OperatorError):
            await kit.dead.settle_attach(pk, wrong)
    picture = a_picture(tmp_path / "found.dat.png")
    with pytest.raises(OperatorError) as caught:
        await kit.dead.settle_attach(pk, picture)
    assert caught.value.message.code == "exports.folder_gone"  # it has a result, so it was there
    assert await kit.state(pk) is S.UNCERTAIN
    (tmp_path / "out").mkdir()
    assert await kit.dead.settle_attach(pk, picture)
    (row,) = await kit.queries.rows([pk])
    assert row.state is S.SUCCESS
    assert row.output == str(tmp_path / "out" / "0004_K3.png")
    assert exists(row.output)


async def test_a_text_row_takes_a_text(kit: Kit, tmp_path: Path) -> None:
    await kit.connect("shop", adapter="texts", price=None)
    batch_id = await kit.batch(1)
    (claim,) = await kit.claim(batch_id)
    await kit.end(claim, S.UNCERTAIN, kind=FailureClass.UNKNOWN)
    with pytest.raises(OperatorError):
        await kit.dead.settle_attach(claim.task_pk, a_picture(tmp_path / "a.png"))
    answer = tmp_path / "a.txt"
    answer.write_text("an answer", encoding="utf-8")
    assert await kit.dead.settle_attach(claim.task_pk, answer)


async def doubtful(kit: Kit, rows: int) -> tuple[int, tuple[int, ...]]:
    """A batch whose rows may all have been billed, at 0.04 USD a picture."""
    batch_id = await kit.batch(rows)
    claims = await kit.claim(batch_id)
    for claim in claims:
        await kit.end(claim, S.UNCERTAIN, "timeout")
    return batch_id, tuple(claim.task_pk for claim in claims)


async def test_what_may_have_been_billed_is_requeued_only_where_it_is_named(kit: Kit) -> None:
    batch_id, pks = await doubtful(kit, 3)
    for which in (TaskFilter(batch_id=batch_id), TaskFilter(pks=pks), TaskFilter(cause="timeout")):
        assert await kit.dead.requeue(which) == 0
    named = TaskFilter(batch_id=batch_id, states=frozenset({S.UNCERTAIN, S.DEAD}))
    assert await kit.dead.requeue(named) == 3


async def test_named_cancelled_rows_are_requeued(kit: Kit) -> None:
    _, pks = await one_of_each(kit)
    assert await kit.dead.requeue(TaskFilter(pks=(pks[S.CANCELLED], pks[S.UNCERTAIN]))) == 1
    assert await kit.state(pks[S.CANCELLED]) is S.PENDING


async def test_sending_again_says_what_it_costs_at_most(kit: Kit) -> None:
    batch_id, pks = await doubtful(kit, 5)
    both = await kit.dead.doubts(TaskFilter(pks=pks[:2]))
    assert both == Doubts(2, (), (Money(Decimal("0.08"), "USD"),), 0, both.stem)
    whole = await kit.dead.doubts(TaskFilter(batch_id=batch_id, cause="timeout"))
    assert whole.worst == (Money(Decimal("0.20"), "USD"),)
    assert await kit.dead.doubts(TaskFilter(states=frozenset({S.DEAD}))) == whole
    assert say(whole) == "It may be paid twice: up to 0.20 USD more."
    assert say(replace(whole, unpriced=1200)) == (
        "It may be paid twice: up to 0.20 USD more, and calls without a known price: 1,200."
    )
    assert say(Doubts(2, unpriced=2)).startswith("It may be paid twice, and what it costs is not")
    assert say(Doubts(2)) == "It costs nothing."
    assert await kit.dead.doubts(TaskFilter(batch_id=99)) == Doubts()


def say(doubts: Doubts) -> str:
    return Translator().say(price_of_resending(doubts))


async def test_an_unknown_price_is_not_said_to_be_nothing(kit: Kit) -> None:
    await kit.connect(price=None)
    batch_id, _ = await doubtful(kit, 2)
    doubts = await kit.dead.doubts(TaskFilter(batch_id=batch_id))
    assert doubts == Doubts(2, unpriced=2, stem=doubts.stem)


async def test_many_uncertain_rows_are_settled_at_once(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_id, pks = await doubtful(kit, 5)
    assert await kit.dead.settle_ask_all(TaskFilter(pks=pks)) == 0  # nobody can be asked
    monkeypatch.setattr("tests.services.services_kit.PICTURES", replace(PICTURES, askable=True))
    assert (await kit.dead.doubts(TaskFilter(pks=pks))).askable == pks
    assert await kit.dead.settle_ask_all(TaskFilter(pks=pks[:2])) == 2
    assert kit.engine.told[-2:] == [("ask", pks[0]), ("ask", pks[1])]
    assert await kit.dead.settle_failed_all(TaskFilter(pks=pks[:2])) == 2
    assert await kit.dead.settle_resend_all(TaskFilter(batch_id=batch_id, cause="timeout")) == 3
    assert [await kit.state(pk) for pk in pks] == [S.FAILED] * 2 + [S.PENDING] * 3
    assert await kit.dead.settle_failed_all(TaskFilter(batch_id=batch_id)) == 0
    (group,) = await kit.dead.groups(batch_id)
    assert (group.count, group.code) == (2, "services.settled_failed")


async def double_charges(kit: Kit, batch_id: int) -> int:
    summary = await kit.queries.batch(batch_id)
    assert summary is not None
    return summary.maybe_double


async def test_an_unchanged_prompt_keeps_its_key_and_a_double_is_counted(kit: Kit) -> None:
    batch_id, (pk, other) = await doubtful(kit, 2)
    prompt = "prompt 0"
    assert await kit.dead.edit_and_requeue(pk, prompt)
    assert await double_charges(kit, batch_id) == 0  # not sent yet
    (again,) = await kit.claim(batch_id)
    assert (again.request.prompt, again.edition) == (prompt, 1)
    await kit.end(again, S.SUCCESS)
    assert await double_charges(kit, batch_id) == 1
    detail = await kit.queries.detail(pk)
    assert detail is not None
    assert len({attempt.idempotency_key for attempt in detail.attempts}) == 1
    assert await kit.dead.edit_and_requeue(other, "another prompt")
    assert await double_charges(kit, batch_id) == 2  # may have been billed for nothing
    (changed,) = await kit.claim(batch_id)
    assert (changed.request.prompt, changed.edition) == ("another prompt", 2)
    await kit.end(changed, S.SUCCESS)
    assert await double_charges(kit, batch_id) == 2


async def test_files_in_a_folder_are_attached_to_the_rows_of_their_subfolder(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_id, pks = await doubtful(kit, 2)
    found_in: list[bool] = []
    files_by_stem = module._files_by_stem

    def listed(folder: Path) -> dict[str, Path]:
        found_in.append(threading.current_thread() is threading.main_thread())
        return files_by_stem(folder)

    monkeypatch.setattr(module, "_files_by_stem", listed)
    for folder, pk in zip("AB", pks, strict=True):
        stem = f"{folder}/1"
        await kit.store.imports._writer.do(  # type: ignore[attr-defined]
            lambda txn, stem=stem, pk=pk: txn.execute(
                "UPDATE task SET stem = ?, stem_fold = lower(?) WHERE id = ?", (stem, stem, pk)
            )
        )
    (tmp_path / "found" / "B").mkdir(parents=True)
    a_picture(tmp_path / "found" / "B" / "1.png")
    which = TaskFilter(batch_id=batch_id)
    assert await kit.dead.settle_attach_all(which, tmp_path / "found") == 1
    assert [await kit.state(pk) for pk in pks] == [S.UNCERTAIN, S.SUCCESS]
    assert found_in == [False, False]  # a slow drive holds nobody up


def test_a_file_is_known_by_its_name_whatever_its_accents_went_through(tmp_path: Path) -> None:
    file = tmp_path / unicodedata.normalize("NFD", "Café Straße.png")
    file.touch()
    assert module._files_by_stem(tmp_path) == {fold("CAFÉ STRASSE"): file}


async def test_a_requeue_knows_which_batches_stand_still(kit: Kit, tmp_path: Path) -> None:
    runs = await kit.batch(2)
    stands = await kit.batch(["a", "b"], out_dir=str(tmp_path / "other"))
    untouched = await kit.batch(["c"], out_dir=str(tmp_path / "third"))
    pks = []
    for batch_id in (runs, stands):
        for claim in await kit.claim(batch_id):
            await kit.end(claim, S.DEAD)
            pks.append(claim.task_pk)
    await kit.store.engine.set_run_state(stands, RunState.PAUSED)
    assert await kit.dead.held(TaskFilter()) == (stands,)
    assert await kit.dead.held(TaskFilter(batch_id=runs)) == ()
    assert await kit.dead.held(TaskFilter(batch_id=untouched)) == ()  # its row waits, as it did
    assert await kit.dead.held(TaskFilter(pks=tuple(pks[:2]))) == ()
    assert await kit.dead.held(TaskFilter(pks=tuple(pks))) == (stands,)
    assert await kit.dead.held(TaskFilter(states=frozenset({S.UNCERTAIN}))) == ()


async def test_rows_in_doubt_tell_how_their_files_are_named(kit: Kit) -> None:
    batch_id = await kit.batch(2)
    claims = await kit.claim(batch_id)
    assert (await kit.dead.doubts(TaskFilter(batch_id=batch_id))).stem == ""
    for claim in claims:
        await kit.end(claim, S.UNCERTAIN)
    assert (await kit.dead.doubts(TaskFilter(batch_id=batch_id))).stem == claims[0].file_stem
