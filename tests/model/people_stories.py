"""Short lives in which persons change their minds: sheets, caps, lanes, accounts, commands."""

from __future__ import annotations

import asyncio

from desktop_app.domain.batch import BatchPriority, LaneOnDead
from tests.model.stories import Story
from tests.model.world import World


def early(world: World) -> None:
    """A person presses buttons before the engine has started."""
    world.live(9)
    world.end()
    world.begin(start=False)
    engine = world.alive.engine
    engine.hold()
    world.rules.resumed(1)

    async def all_at_once() -> None:
        await asyncio.gather(engine.resume(1), engine.ask(1), engine.start())

    world.do(all_at_once())
    world.live(20)


def refused(world: World) -> None:
    """The account is refused, a person tries again, and its quota has a reset time."""
    world.live(5)
    world.people.try_again()
    world.live(5)
    world.people.try_again()
    world.live(30)
    world.people.set_currency("EUR")
    world.live(10)
    world.end()
    world.begin()
    world.people.try_again()


def sheet(world: World) -> None:
    """The sheet changes under rows that wait, run and are done."""
    world.live(0.1)
    world.people.change_sheet([1, 4])
    world.live(3)
    world.people.change_sheet([1, 2, 3, 4])
    world.live(0.5)
    world.people.change_sheet([1, 2], undo=True, agreed=False, without=[3])
    world.live(2)
    world.people.change_sheet([4])
    world.live(30)


def caps(world: World) -> None:
    """Caps are reached, raised and reached again, on another day too."""
    world.live(30)
    world.people.cap(3)
    world.people.resume()
    world.live(30)
    world.jump(86_400.0)
    world.people.cap(5)
    world.people.resume()
    world.live(30)


def days(world: World) -> None:
    """The cap of a day holds a batch to the end of that day, and a restart holds it longer."""
    world.live(30)
    world.jump(86_400.0)
    world.live(30)
    world.end()
    world.begin()
    world.jump(86_400.0)
    world.live(30)


def told(world: World) -> None:
    """Another process says what to do."""
    people = world.people
    world.live(10)
    people.tell("settle", row=6, how="failed")
    people.tell("pause", batch=1, now=True)
    world.live(1)
    people.tell("requeue", batch=1, row=1)
    people.tell("requeue", batch=1, states=["uncertain"])
    people.tell("settle", row=2, how="resend")
    people.tell("settle", row=3, how="failed")
    people.tell("settle", row=4, how="attach", file="found.png")
    people.tell("settle", row=5, how="ask")
    for how in ("attach", "ask", "resend", "failed"):
        people.tell("settle", batch=1, how=how, file=str(world.folder))
    people.tell("cancel", batch=1, row=1)
    people.tell("connection", id=1)
    people.tell("priority", batch=1, priority="high")
    people.tell("resume", batch=1, max_calls=20, budget="2", rest=True)
    world.live(3)
    people.tell("pause", batch=1)
    world.live(1)


def lanes(world: World) -> None:
    """A lane stops on a dead letter until it is requeued."""
    world.live(30)
    world.people.requeue(1)
    world.live(30)


def two(world: World) -> None:
    """Two batches on two connections with one key."""
    world.live(3)
    world.people.pause(1)
    world.live(10)
    world.people.resume(1)
    world.live(20)


def urgent(world: World) -> None:
    """One of two batches is made urgent: it takes every slot while the other waits, or ends."""
    world.live(0.02)
    world.people.prioritise(BatchPriority.HIGH, 2)
    world.live(120)
    world.people.prioritise(BatchPriority.LOW, 2)
    world.live(300)


def limited(world: World) -> None:
    """A trial, one of a chosen row, a cap of calls, then the rest; and a drain in between."""
    world.live(20)
    world.do(world.alive.runs.try_rows(1, [6]))
    world.people.resume()
    world.live(20)
    world.do(world.alive.store.engine.set_max_calls(1, 3))
    world.do(world.alive.runs.run_rest(1))
    world.live(20)
    world.do(world.alive.store.engine.set_max_calls(1, None))
    world.people.resume()
    world.live(0.5)
    world.do(world.alive.engine.drain(None))
    world.people.resume()
    world.do(world.alive.runs.look_again())
    world.live(20)


def outdated(world: World) -> None:
    """The answer to a given-up call comes when its row asks for something else by now."""
    world.live(100)
    world.people.pause()
    world.live(20)
    world.people.change_sheet([1])
    world.live(60)
    world.check()
    world.people.resume()
    world.live(30)


def unasked(world: World) -> None:
    """The sheet changes under rows that are done, lost and on their way; nobody pays again."""
    world.live(9.2)
    world.people.change_sheet([1, 2, 3, 4], agreed=False)
    world.live(30)


PEOPLE_STORIES = (
    Story(early, ("lost", "slow")),
    Story(refused, ("account", "account", "ok", "account")),
    Story(refused, ("invalid", "invalid", "invalid")),
    Story(refused, ("fail",) * 12, {"concurrency": 4}),
    Story(sheet, ("slow", "ok", "refuse", "fail"), {"concurrency": 3}),
    Story(caps, ("ok", "lost", "fail", "ok"), {"rows": 6, "cap": 2, "day_cap": 3}),
    Story(days, ("ok", "lost", "fail", "ok"), {"rows": 6, "day_cap": 2}),
    Story(told, ("refuse", "lost", "lost", "lost", "lost", "slow"), {"rows": 6, "concurrency": 5}),
    Story(lanes, ("refuse", "ok", "ok"), {"rows": 5, "lanes": LaneOnDead.STOP}),
    Story(refused, ("no_key", "no_key")),
    Story(limited, ("ok", "ok"), {"rows": 5, "gate": 3}),
    Story(outdated, ("deaf",), {"rows": 2, "concurrency": 1}),
    Story(unasked, ("ok", "lost", "slow")),
    Story(urgent, ("fail", "slow"), {"batches": 2, "concurrency": 1}),
    Story(urgent, ("ok", "slow"), {"rows": 2, "batches": 2, "concurrency": 1}),
    Story(two, ("ok", "account", "throttle", "slow"), {"batches": 2}),
)
