"""An answer that is in is safe from kill -9 before its slot is given to the next call."""

from __future__ import annotations

import pytest

from desktop_app.domain.attempt import Claim, Kept, Mark, Outcome
from desktop_app.domain.batch import RunState
from desktop_app.domain.ports import Answer, Call, Content, RawAnswer
from desktop_app.domain.task import Request, TaskState
from desktop_app.engine.lines import DEADLINE_GRACE_S
from tests.engine.fakes import PICTURE, Opened, answers
from tests.engine.house import House, running
from tests.engine.virtual import run

TEXT = Content(b"shoe", "text/plain", "shoe")


def test_the_slot_is_free_only_when_the_answer_is_staged() -> None:
    async def body() -> None:
        house = House(answers(latency_s=1.0))
        house.connect(1)
        house.store.add_batch(5)
        in_use: list[int] = []
        stage = house.files.stage

        async def noting(claim: Claim, content: Content) -> None:
            await stage(claim, content)
            (account,) = house.engine._parts.accounts.accounts
            in_use.append(account.limiter.in_use)

        house.files.stage = noting  # type: ignore[method-assign]
        async with running(house):
            await house.finished()
        assert in_use == [1] * 5
        assert len(house.files.staged) == 5
        assert house.provider.most_out == 1

    run(body())


class Rereading(Opened):
    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("opened", "is_full", "content", "staged"),
    [
        (Rereading, False, TEXT, 0),
        (Rereading, False, PICTURE, 1),
        (Rereading, True, TEXT, 1),
        (Opened, False, TEXT, 1),
    ],
    ids=["aside", "picture", "not aside", "nobody reads it"],
)
def test_a_text_whose_whole_answer_is_put_aside_is_safe_already(
    opened: type[Opened], is_full: bool, content: Content, staged: int
) -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            call.whole(RawAnswer(200, {}, b"{}", 0.1))
            return Answer((content,))

        house = House(script)
        house.provider.open = (  # type: ignore[method-assign]
            lambda connection, secret: opened(house.provider)
        )
        house.store.raw_is_full = is_full
        house.connect(1)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        assert len(house.files.staged) == staged
        assert house.store.outcomes() == {Outcome.SUCCESS: 1}

    run(body())


def test_an_answer_that_cannot_be_staged_is_kept_when_the_disk_is_mended() -> None:
    async def body() -> None:
        async def script(call: Call, nth: int) -> Answer:
            house.files.trouble = True
            return Answer((PICTURE,))

        house = House(script)
        house.connect(1)
        house.store.add_batch(2)
        async with running(house):
            await house.until(lambda: house.engine.trouble() is not None)
            assert len(house.provider.calls) == 1
            house.files.trouble = False
            await house.until(lambda: house.store.count(TaskState.SUCCESS) == 1)
            await house.until(lambda: len(house.provider.calls) == 2)
            house.files.trouble = False
            await house.finished()
        assert house.store.outcomes() == {Outcome.SUCCESS: 2}

    run(body())


def test_a_picture_still_downloading_after_the_read_deadline_is_not_lost() -> None:
    async def body() -> None:
        house = House(answers(latency_s=60.0 + DEADLINE_GRACE_S - 1))
        house.connect(1, timeout_s=60.0)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        assert house.store.outcomes() == {Outcome.SUCCESS: 1}

    run(body())


def test_folders_of_orphans_are_swept_once_they_are_settled() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(1)
        batch = house.store.add_batch(3)
        await house.store.set_run_state(batch.id, RunState.RUNNING)
        claims = await house.store.claim(batch.id, 2, 0.0)
        async with running(house):
            assert house.files.swept == [claims[0].out_dir]
            await house.finished()

    run(body())


def test_folders_are_looked_for_and_swept_in_the_order_of_their_batches() -> None:
    async def body() -> None:
        house = House(answers())
        house.connect(1)
        folders = [f"/out {n}" for n in range(1, 9)]
        for n, out_dir in enumerate(folders, 1):
            batch = house.store.add_batch(2, id=n, out_dir=out_dir)
            await house.store.set_run_state(batch.id, RunState.RUNNING)
            house.store.rows[n * 100_000 + 1].state = TaskState.SUCCESS
            await house.store.claim(batch.id, 1, 0.0)
        async with running(house):
            assert house.files.expected[:8] == folders
            assert house.files.swept[:8] == folders

    run(body())


def test_a_text_that_is_put_aside_is_marked_once_from_its_decoding_to_its_file() -> None:
    async def body() -> None:
        noted: list[Mark] = []

        async def script(call: Call, nth: int) -> Answer:
            call.whole(RawAnswer(200, {}, b"{}", 0.1))
            call.received()
            return Answer((TEXT,))

        house = House(script)
        house.provider.open = (  # type: ignore[method-assign]
            lambda connection, secret: Rereading(house.provider)
        )
        note, keep = house.store.note, house.files.keep

        def noting(mark: Mark, pk: int) -> None:
            noted.append(mark)
            note(mark, pk)

        async def keeping(claim: Claim, *contents: Content, flags: tuple[str, ...] = ()) -> Kept:
            assert noted[-1] is Mark.PROCESSING
            return await keep(claim, *contents, flags=flags)

        house.store.note = noting  # type: ignore[method-assign]
        house.files.keep = keeping  # type: ignore[method-assign]
        house.connect(1)
        house.store.add_batch(1)
        async with running(house):
            await house.finished()
        assert noted == [Mark.BEGUN, Mark.PROCESSING, Mark.PROCESSED]

    run(body())
