"""S09: only the row whose answer kills the program is set aside, and only when it was alone."""

from __future__ import annotations

import asyncio

from desktop_app.domain.attempt import Billed, Claim, Kept, Mark
from desktop_app.domain.batch import RunState
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.ports import Answer, Call, Content
from desktop_app.domain.task import TaskState
from tests.engine.fakes import PICTURE, Row, answers
from tests.engine.house import House, running
from tests.engine.virtual import run


def new_house(rows: int = 3, **more: object) -> House:
    house = House(answers())
    house.connect(4, **more)
    house.store.add_batch(rows)
    return house


async def crash(house: House, processing: int, begun: int | None = None) -> list[Claim]:
    """Leave ``begun`` rows on the wire, the first ``processing`` of them being processed."""
    await house.store.set_run_state(1, RunState.RUNNING)
    claims = await house.store.claim(1, begun or processing, house.clock.now())
    for claim in claims:
        house.store.note(Mark.BEGUN, claim.attempt_pk)
    for claim in claims[:processing]:
        house.store.note(Mark.PROCESSING, claim.attempt_pk)
    return claims


async def start(house: House) -> None:
    house.new_engine()
    await house.engine.start()
    await house.engine.stop()
    await asyncio.sleep(100)


def row(house: House, n: int) -> Row:
    return house.store.rows[100_000 + n]


def test_s09_a_row_that_kills_the_program_alone_is_set_aside_and_not_looked_at() -> None:
    async def body() -> None:
        house = new_house(on_unknown=OnUnknown.RESEND)
        await crash(house, processing=1)
        await start(house)
        assert row(house, 0).state is TaskState.RETRYING
        assert house.store.suspects_ == {100_000}

        [again] = await crash(house, processing=1)
        house.files.kept[again.attempt_pk] = Kept("poison.png", 9, "image/png")
        await start(house)
        last = row(house, 0).history[-1]
        assert row(house, 0).state is TaskState.FAILED
        assert last.failure is not None
        assert (last.failure.code, last.billed) == ("poison", Billed.YES)
        assert house.files.settled_ == []
        assert house.store.suspects_ == set()  # a person's requeue begins anew

    run(body())


def test_s09_two_rows_processed_together_are_suspects_and_neither_is_blamed() -> None:
    async def body() -> None:
        house = new_house(on_unknown=OnUnknown.RESEND)
        for _ in range(2):
            await crash(house, processing=2)
            await start(house)
        assert house.count(TaskState.FAILED) == 0
        assert house.store.suspects_ == {100_000, 100_001}

    run(body())


def test_s09_a_row_that_was_only_on_the_wire_is_no_suspect() -> None:
    async def body() -> None:
        house = new_house(on_unknown=OnUnknown.RESEND)
        for _ in range(3):
            await crash(house, processing=1, begun=3)
            await start(house)
        states = [row(house, n).state for n in range(3)]
        assert states == [TaskState.RETRYING, TaskState.FAILED, TaskState.RETRYING] or states == [
            TaskState.FAILED, TaskState.RETRYING, TaskState.RETRYING
        ]  # fmt: skip

    run(body())


def test_s09_suspects_go_one_at_a_time_while_the_rest_runs_on() -> None:
    async def body() -> None:
        out: set[str] = set()
        together: list[set[str]] = []

        async def script(call: Call, nth: int) -> Answer:
            out.add(call.request.prompt)
            together.append(set(out))
            await asyncio.sleep(1)
            out.discard(call.request.prompt)
            return Answer((PICTURE,))

        house = House(script)
        house.connect(4, on_unknown=OnUnknown.RESEND)
        house.store.add_batch(12)
        await crash(house, processing=3)
        house.new_engine()
        async with running(house):
            await house.finished()
        suspects = {"row 0", "row 1", "row 2"}
        assert max(len(rows & suspects) for rows in together) == 1
        assert max(len(rows) for rows in together) == 4
        assert house.count(TaskState.SUCCESS) == 12
        assert house.store.suspects_ == set()

    run(body())


def test_s09_a_suspect_is_written_with_nothing_else_being_written() -> None:
    async def body() -> None:
        house = new_house(12, on_unknown=OnUnknown.RESEND)
        writing: set[int] = set()
        together: list[set[int]] = []
        keep = house.files.keep
        house.files.keep_s = 0.4

        async def noting(claim: Claim, *contents: Content, flags: tuple[str, ...] = ()) -> Kept:
            writing.add(claim.row_no)
            together.append(set(writing))
            marked = {pk for mark, pk in house.store.marks if mark is Mark.PROCESSING}
            assert claim.attempt_pk in marked
            try:
                return await keep(claim, *contents, flags=flags)
            finally:
                writing.discard(claim.row_no)

        house.files.keep = noting  # type: ignore[method-assign]
        await crash(house, processing=2)
        house.new_engine()
        async with running(house):
            await house.finished()
        assert all(len(rows) == 1 for rows in together if rows & {2, 3})
        assert max(map(len, together)) > 1
        assert not [pk for mark, pk in house.store.marks if mark is Mark.PROCESSING]

    run(body())


def test_s09_decoding_by_the_adapter_is_marked_too() -> None:
    async def body() -> None:
        marked: list[bool] = []

        async def script(call: Call, nth: int) -> Answer:
            call.received()
            marked.append(any(mark is Mark.PROCESSING for mark, _pk in house.store.marks))
            return Answer((PICTURE,))

        house = House(script)
        house.connect(1)
        house.store.add_batch(2)
        async with running(house):
            await house.finished()
        assert marked == [True, True]
        assert not [pk for mark, pk in house.store.marks if mark is Mark.PROCESSING]

    run(body())
