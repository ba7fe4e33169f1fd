"""Whatever another process leaves in the command table is done once, and always answered."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.domain.batch import RunState
from desktop_app.domain.ports import Command
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.domain.views import TaskFilter
from desktop_app.services.obey_commands import filter_of
from tests.services.services_kit import Kit

S = TaskState


async def answered(kit: Kit, verb: str, **args: Any) -> dict[str, Any]:
    command = await kit.store.commands.post(verb, args)
    assert await kit.store.commands.result(command) is None
    await kit.obey.pump()
    result = await kit.store.commands.result(command)
    assert result is not None
    return dict(result)


def said(result: dict[str, Any]) -> str:
    assert result["ok"] is False
    return Message.load(result["error"]).code


async def test_verbs_reach_the_services(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    assert await answered(kit, "resume", batch=batch_id, max_calls=5) == {"ok": True}
    batch = await kit.store.engine.batch(batch_id)
    assert batch is not None
    assert batch.max_calls == 5
    assert await answered(kit, "pause", batch=batch_id, now=True) == {"ok": True}
    assert ("pause", batch_id, True) in kit.engine.told
    assert await answered(kit, "cancel", batch=batch_id) == {"ok": True, "count": 3}
    assert await answered(kit, "requeue", batch=batch_id, states=["cancelled"]) == {
        "ok": True,
        "count": 3,
        "left_uncertain": 0,
        "held": [batch_id],  # it was paused
    }
    assert await answered(kit, "connection", id=7) == {"ok": True}
    assert ("changed", 7) in kit.engine.told


async def test_a_trials_rest_is_let_loose_only_when_it_is_asked_for(kit: Kit) -> None:
    batch_id = await kit.batch(3, gate=(3,))
    assert await answered(kit, "resume", batch=batch_id) == {"ok": True}
    assert [claim.row_no for claim in await kit.claim(batch_id)] == [3]
    assert await answered(kit, "resume", batch=batch_id, rest=True) == {"ok": True}
    assert [claim.row_no for claim in await kit.claim(batch_id)] == [2, 4]


async def test_what_cannot_be_done_is_answered_with_the_reason(kit: Kit, expect_log: Any) -> None:
    assert said(await answered(kit, "pause", batch=99)) == "services.no_batch"
    assert said(await answered(kit, "cancel", batch=99)) == "services.no_batch"
    assert said(await answered(kit, "requeue", batch=1, states=["odd"])) == "services.bad_state"
    assert said(await answered(kit, "settle", task="no-such", how="failed")) == (
        "services.no_task_id"
    )
    with pytest.raises(OperatorError) as caught:
        await kit.obey.do(Command(1, "dance", {}))
    assert caught.value.message.code == "services.bad_command"
    expect_log("command connection failed")
    assert said(await answered(kit, "connection")) == "services.unexpected"


PRICE = {
    "may_cost": [{"amount": "0.04", "currency": "USD"}],
    "said": message("services.resend_up_to", sum="0.04 USD").dump(),
}


async def test_an_uncertain_row_is_settled_from_outside(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    claims = await kit.claim(batch_id)
    for claim in claims:
        await kit.end(claim, S.UNCERTAIN)
    one, two, _ = [claim.task_id for claim in claims]
    assert said(await answered(kit, "settle", task=one, how="ask")) == "services.cannot_ask"
    assert await answered(kit, "settle", task=one, how="failed") == {"ok": True}
    assert said(await answered(kit, "settle", task=one, how="resend")) == ("services.not_uncertain")
    assert await answered(kit, "settle", task=two, how="resend") == {"ok": True, **PRICE}
    assert await answered(kit, "requeue", batch=batch_id) == {
        "ok": True,
        "count": 1,
        "left_uncertain": 1,
    }
    assert (
        said(
            await answered(kit, "settle", task=claims[2].task_id, how="attach", file="/no/such.png")
        )
        == "exports.attach_unreadable"
    )


async def test_all_uncertain_rows_of_a_batch_are_settled_from_outside(kit: Kit) -> None:
    batch_id = await kit.batch(3)
    other = await kit.batch(1, out_dir=str(kit.folder / "other"))
    for claim in await kit.claim(batch_id) + await kit.claim(other):
        await kit.end(claim, S.UNCERTAIN)
    which = {"batch": batch_id}
    assert said(await answered(kit, "settle", **which, how="ask")) == "services.cannot_ask"
    assert said(await answered(kit, "settle", **which, how="attach")) == "services.attach_one"
    assert said(await answered(kit, "settle", batch=99, how="failed")) == "services.no_batch"
    assert await answered(kit, "settle", batch=other, how="resend") == {
        "ok": True,
        "count": 1,
        **PRICE,
    }
    failed = {"ok": True, "count": 3, "left_uncertain": 0}
    assert await answered(kit, "settle", **which, how="failed") == failed
    assert await answered(kit, "settle", **which, how="failed") == failed | {"count": 0}
    assert await answered(kit, "settle", **which, how="resend") == {"ok": True, "count": 0}


def test_a_command_names_its_rows_in_words() -> None:
    found = filter_of({"batch": 3, "states": ["dead", "failed"], "cause": "", "pks": [1, 2]})
    assert found == TaskFilter(
        batch_id=3, states=frozenset({S.DEAD, S.FAILED}), cause=None, pks=(1, 2)
    )
    assert filter_of({"batch": 3, "states": None}) == TaskFilter(batch_id=3)


async def test_uncertain_rows_are_requeued_where_they_are_named(kit: Kit) -> None:
    batch_id = await kit.batch(1)
    (claim,) = await kit.claim(batch_id)
    await kit.end(claim, S.UNCERTAIN)
    which = {"batch": batch_id, "cause": "x"}
    left = {"ok": True, "count": 0, "left_uncertain": 1}
    assert await answered(kit, "requeue", **which) == left
    assert await answered(kit, "requeue", **which, states=["uncertain"]) == {
        "ok": True,
        "count": 1,
        "left_uncertain": 0,
        **PRICE,
    }


@pytest.mark.parametrize("verb", ["requeue", "settle"])
async def test_what_is_requeued_in_a_batch_that_stands_still_says_so(kit: Kit, verb: str) -> None:
    batch_id = await kit.batch(2)
    state = TaskState.DEAD if verb == "requeue" else TaskState.UNCERTAIN
    for claim in await kit.claim(batch_id):
        await kit.end(claim, state)
    wanted = {"batch": batch_id, "how": "resend"}
    told = [await kit.obey.do(Command(0, verb, wanted))]
    assert "held" not in told[0]  # it runs: they are sent
    for claim in await kit.claim(batch_id):
        await kit.end(claim, state)
    await kit.store.engine.set_run_state(batch_id, RunState.PAUSED)
    told.append(await kit.obey.do(Command(0, verb, wanted)))
    assert [each["count"] for each in told] == [2, 2]
    assert told[1]["held"] == [batch_id]
    assert "held" not in await kit.obey.do(Command(0, verb, wanted))  # nothing was requeued
