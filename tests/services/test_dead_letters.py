"""Dead letters are decided by a person, all that match, and never a row more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import Job
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import OperatorError
from desktop_app.domain.views import TaskFilter
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
    assert await kit.dead.requeue(TaskFilter(batch_id=batch_id)) == 2
    assert await kit.state(pks[S.CANCELLED]) is S.CANCELLED  # only where it is asked for
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
    assert await kit.state(pk) is S.UNCERTAIN
    assert await kit.dead.settle_attach(pk, a_picture(tmp_path / "found.dat.png"))
    (row,) = await kit.queries.rows([pk])
    assert row.state is S.SUCCESS
    assert row.output == str(tmp_path / "out" / "0004_K3.png")
    assert exists(row.output)


async def test_a_text_row_takes_a_text(kit: Kit, tmp_path: Path) -> None:
    await kit.connect("shop", adapter="texts")
    batch_id = await kit.batch(1)
    (claim,) = await kit.claim(batch_id)
    await kit.end(claim, S.UNCERTAIN, kind=FailureClass.UNKNOWN)
    with pytest.raises(OperatorError):
        await kit.dead.settle_attach(claim.task_pk, a_picture(tmp_path / "a.png"))
    answer = tmp_path / "a.txt"
    answer.write_text("an answer", encoding="utf-8")
    assert await kit.dead.settle_attach(claim.task_pk, answer)
