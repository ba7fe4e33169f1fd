"""How long a run still takes is said only as long as the figure can be meant."""

from __future__ import annotations

import pytest

from desktop_app.domain.task import TaskState
from desktop_app.domain.views import AccountState
from tests.services.services_kit import Kit, stands

S = TaskState


async def test_the_time_left_follows_the_pace(kit: Kit) -> None:
    batch_id = await kit.batch(13)
    claims = await kit.claim(batch_id)
    assert (await kit.runs.status(batch_id)).eta_s is None
    for claim in claims[:3]:
        kit.clock.at += 10
        await kit.end(claim, S.SUCCESS)
        status = await kit.runs.status(batch_id)
    assert status.eta_s == pytest.approx(100.0)
    for claim in claims[3:]:
        await kit.end(claim, S.SUCCESS)
    assert (await kit.runs.status(batch_id)).eta_s is None


async def test_a_slow_last_row_is_given_no_time_that_stands_still(kit: Kit) -> None:
    batch_id = await kit.batch(6)
    *quick, _slow = await kit.claim(batch_id)
    for claim in quick:
        await kit.runs.status(batch_id)
        kit.clock.at += 4
        await kit.end(claim, S.SUCCESS)
    seen = []
    for _ in range(30):
        seen.append((await kit.runs.status(batch_id)).eta_s)
        kit.clock.at += 1
    assert seen[:5] == pytest.approx([4, 3, 2, 1, 0])
    assert seen[11:] == [None] * 19


async def test_rows_behind_a_trials_gate_are_given_no_time(kit: Kit) -> None:
    batch_id = await kit.batch(13, gate=(2, 3, 4, 5, 6))
    claims = await kit.claim(batch_id)
    assert len(claims) == 5
    for claim in claims[:4]:
        await kit.runs.status(batch_id)
        kit.clock.at += 10
        await kit.end(claim, S.SUCCESS)
    assert (await kit.runs.status(batch_id)).eta_s is None


@pytest.mark.parametrize("why", [AccountState.NO_KEY, AccountState.PAUSED, AccountState.WAITING])
async def test_the_time_in_which_an_account_took_no_calls_is_no_part_of_the_pace(
    kit: Kit, why: AccountState
) -> None:
    batch_id = await kit.batch(14)
    connection_id = (await kit.queries.batch(batch_id)).batch.connection_id
    claims = await kit.claim(batch_id)
    kit.engine.states = {connection_id: stands(why)}
    for _ in range(10):
        assert (await kit.runs.status(batch_id)).eta_s is None
        kit.clock.at += 60
    kit.engine.states = {connection_id: stands(AccountState.OK)}
    await kit.runs.status(batch_id)
    for claim in claims[:4]:
        kit.clock.at += 10
        await kit.end(claim, S.SUCCESS)
        status = await kit.runs.status(batch_id)
    assert status.eta_s == pytest.approx(100.0)
