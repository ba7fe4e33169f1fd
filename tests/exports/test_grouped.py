"""What comes at about the same time goes together, and nobody suffers for another."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.domain.errors import BadResult, LocalTrouble
from desktop_app.domain.text import message
from desktop_app.exports import placing
from desktop_app.exports.grouped import Grouped
from desktop_app.exports.placing import Folders
from desktop_app.exports.steps import Steps
from desktop_app.exports.temp_files import part_of
from tests.exports.results_for_test import claim, keeper, names, text


@pytest.fixture
def hops() -> Iterator[Hops]:
    with Hops() as executor:
        yield executor


class Hops(ThreadPoolExecutor):
    """Counts the ways to a thread; ``closed`` keeps the thread from beginning."""

    def __init__(self) -> None:
        super().__init__(1)
        self.count = 0
        self.open = threading.Event()
        self.open.set()
        self.gone = asyncio.Event()

    def submit(self, act: Callable, /, *args: object, **named: object):  # type: ignore
        self.count += 1
        self.gone.set()

        def once_open() -> object:
            self.open.wait()
            return act(*args, **named)

        return super().submit(once_open)


def giving(result: str, *folders: Path) -> Callable[[Folders], Steps[str]]:
    def act(named: Folders) -> Steps[str]:
        yield
        named.update(folders)
        return result

    return act


async def test_the_first_goes_at_once_and_what_comes_meanwhile_together(hops: Hops) -> None:
    grouped = Grouped(hops, apart_s=0.0)
    hops.open.clear()
    first = asyncio.ensure_future(grouped.do(giving("first")))
    await hops.gone.wait()
    others = [asyncio.ensure_future(grouped.do(giving(str(n)))) for n in range(5)]
    await asyncio.sleep(0)
    assert hops.count == 1
    hops.open.set()
    assert await first == "first"
    assert await asyncio.gather(*others) == ["0", "1", "2", "3", "4"]
    assert hops.count == 2


async def test_no_more_go_together_than_are_allowed_and_many_do_not_wait(hops: Hops) -> None:
    grouped = Grouped(hops, apart_s=3600.0, most=3)
    assert await grouped.do(giving("first")) == "first"
    found = await asyncio.gather(*(grouped.do(giving(str(n))) for n in range(9)))
    assert found == [str(n) for n in range(9)]
    assert hops.count == 4


async def test_an_executor_that_takes_nothing_any_more_keeps_nobody_waiting(hops: Hops) -> None:
    grouped = Grouped(hops, apart_s=0.0, most=2)
    hops.shutdown()
    acts = (grouped.do(giving(str(n))) for n in range(5))
    async with asyncio.timeout(30):  # else they would wait for ever
        found = await asyncio.gather(*acts, return_exceptions=True)
    assert [type(error) for error in found] == [RuntimeError] * 5


async def test_what_comes_soon_after_waits_for_its_time(hops: Hops) -> None:
    grouped = Grouped(hops, apart_s=3600.0)
    await grouped.do(giving("first"))
    soon = asyncio.ensure_future(grouped.do(giving("soon")))
    await asyncio.sleep(0.01)
    assert (hops.count, soon.done()) == (1, False)
    soon.cancel()


async def test_what_somebody_waits_for_goes_at_once_and_takes_along_what_waits(hops: Hops) -> None:
    grouped = Grouped(hops, apart_s=3600.0)
    await grouped.do(giving("first"))
    soon = asyncio.ensure_future(grouped.do(giving("soon")))
    await asyncio.sleep(0)
    assert await grouped.do(giving("now"), at_once=True) == "now"
    assert await soon == "soon"
    assert hops.count == 2
    hops.open.clear()
    busy = asyncio.ensure_future(grouped.do(giving("busy"), at_once=True))
    while hops.count < 3:  # noqa: ASYNC110 - the executor tells nobody
        await asyncio.sleep(0)
    later = asyncio.ensure_future(grouped.do(giving("later"), at_once=True))
    await asyncio.sleep(0)
    hops.open.set()
    assert (await busy, await later) == ("busy", "later")


async def test_a_failure_is_its_callers_alone(hops: Hops) -> None:
    grouped = Grouped(hops)

    def bad(_: Folders) -> Steps[str]:
        yield
        raise BadResult(message("exports.empty_text"))

    found = await asyncio.gather(
        *(grouped.do(act) for act in (giving("a"), bad, giving("b"))), return_exceptions=True
    )
    assert (found[0], found[2]) == ("a", "b")
    assert isinstance(found[1], BadResult)
    assert hops.count == 1


async def test_all_are_begun_before_any_goes_on(hops: Hops) -> None:
    grouped, told = Grouped(hops), list[str]()

    def act(name: str, steps: int) -> Callable[[Folders], Steps[str]]:
        def go(_: Folders) -> Steps[str]:
            for step in range(steps):
                told.append(f"{name}{step}")
                yield
            return name

        return go

    acts = (act("a", 1), act("b", 3), act("c", 2), act("d", 0))
    assert await asyncio.gather(*map(grouped.do, acts)) == ["a", "b", "c", "d"]
    assert told == ["a0", "b0", "c0", "b1", "c1", "b2"]
    assert hops.count == 1


async def test_what_a_cancelled_caller_wanted_is_done_all_the_same(hops: Hops) -> None:
    grouped, done = Grouped(hops), threading.Event()

    def act(_: Folders) -> Steps[None]:
        yield
        done.set()

    caller = asyncio.ensure_future(grouped.do(act))
    await asyncio.sleep(0)
    caller.cancel()
    assert await grouped.do(giving("other")) == "other"
    assert done.is_set()


async def test_a_folder_is_made_durable_once_for_all_before_anybody_is_told(
    hops: Hops, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(placing, "fsync_folder", synced.append)
    grouped = Grouped(hops)
    one, other = tmp_path / "one", tmp_path / "other"
    await asyncio.gather(
        *(grouped.do(giving("", folder)) for folder in (one, other, one)), grouped.do(giving(""))
    )
    assert sorted(synced) == [one, other]


async def test_a_folder_that_cannot_be_made_durable_fails_those_in_it(
    hops: Hops, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"

    def sync(folder: Path) -> None:
        if folder == gone:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(placing, "fsync_folder", sync)
    grouped = Grouped(hops)
    found = await asyncio.gather(
        *(grouped.do(giving("kept", folder)) for folder in (tmp_path, gone, tmp_path)),
        return_exceptions=True,
    )
    assert (found[0], found[2]) == ("kept", "kept")
    assert isinstance(found[1], LocalTrouble)


async def test_texts_go_together_and_one_that_is_none_leaves_the_others(
    hops: Hops, tmp_path: Path
) -> None:
    files = keeper(executor=hops)
    claims = [claim(tmp_path, attempt_no=number) for number in range(1, 6)]
    answers = ["one", "two", " ", "four", "five"]
    found = await asyncio.gather(
        *(files.keep(each, text(said)) for each, said in zip(claims, answers, strict=True)),
        return_exceptions=True,
    )
    assert hops.count == 1
    assert isinstance(found[2], BadResult)
    kept = [each for each in found if not isinstance(each, BaseException)]
    assert [(tmp_path / each.path).read_text() for each in kept] == ["one", "two", "four", "five"]
    parts = {part_of(each).name for at, each in enumerate(claims) if at != 2}
    assert {name for name in names(tmp_path) if name.startswith(".bw-")} == parts
    await asyncio.gather(*(files.settled(each) for each in claims))
    assert hops.count == 2
    assert names(tmp_path) == [
        "0042_sku-2.txt", "0042_sku-3.txt", "0042_sku-4.txt", "0042_sku.txt"
    ]  # fmt: skip


async def test_a_row_of_a_lane_keeps_its_next_row_waiting_for_nothing(
    hops: Hops, tmp_path: Path
) -> None:
    files = keeper(executor=hops)
    files._grouped = Grouped(hops, apart_s=3600.0)
    for number in range(1, 4):
        mine = replace(claim(tmp_path, attempt_no=number), lane="one customer")
        await files.keep(mine, text("said"))
        await files.settled(mine)
    assert len(names(tmp_path)) == 3
