"""Short lives that between them pass every await and every commit of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from desktop_app.domain.batch import LaneOnDead
from desktop_app.domain.connection import OnUnknown
from tests.model.world import World

Act = Callable[[World], None]


@dataclass(frozen=True)
class Story:
    """What a world is made of, and what happens in it after its batches were set going."""

    act: Act
    behaviours: tuple[str, ...] = ()
    made_of: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.act.__name__


def plain(world: World) -> None:
    """Answers, refusals, doubts and what persons do about them."""
    world.live(30)
    for row in range(1, 7):
        world.people.requeue(row)
    world.people.edit(1)
    world.live(40)
    world.end(gently=True)


def killed(world: World) -> None:
    """Calls on the wire, an answer half written and a row not sent, when the program is killed."""
    world.live(0.03)
    world.end()
    world.begin()
    world.people.resume()
    world.until(lambda: any(s.heard in ("answer", "job") for s in world.shop.sent))
    world.end()
    world.begin()
    world.people.resume()
    world.until(lambda: len(world.disk.safe) > 1)
    world.end()
    world.begin()
    world.people.resume()
    world.live(30)


def away(world: World) -> None:
    """The folder goes while answers come in, and is back before and after a restart."""
    world.live(0.5)
    world.disk.gone = True
    world.live(20)
    world.do(world.alive.runs.look_again())
    world.disk.gone = False
    world.live(6)
    world.disk.gone = True
    world.end()
    world.begin()
    world.live(40)
    world.disk.gone = False
    world.live(40)


def levers(world: World) -> None:
    """Pauses, cancels and resumes with calls at every stage, and a quit in the middle."""
    world.live(0.02)
    world.people.pause(now=True)
    world.people.resume()
    world.live(0.07)
    world.people.cancel(1)
    world.people.cancel(4)
    world.people.pause()
    world.live(3)
    world.people.resume()
    world.live(0.1)
    world.end(gently=True)
    world.begin()
    world.people.resume()
    world.live(10)


def doubts(world: World) -> None:
    """Every way to settle a doubt, and answers that come after all."""
    world.live(140)
    world.people.say_failed(1)
    world.people.resend(2)
    world.people.attach(3)
    world.people.ask(4)
    world.live(200)
    world.check()
    for how in ("ask", "resend", "ask", "failed"):
        world.people.settle_all(how)
        world.live(5)
    world.end(gently=True)


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
    people.tell("cancel", batch=1, row=1)
    people.tell("connection", id=1)
    people.tell("resume", batch=1, max_calls=20, budget="2")
    world.live(3)
    people.tell("pause", batch=1)
    world.live(1)


def slept(world: World) -> None:
    """The computer sleeps while rows wait and run."""
    world.live(1.2)
    world.jump(28_800.0)
    world.live(8)
    world.sleep_through(3600.0)
    world.live(60)


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


def full(world: World) -> None:
    """The disk is full for some commits, with answers and claims among them."""
    world.live(1.0)
    world.alive.life.full = 6
    world.live(20)
    world.alive.life.full = 6
    world.live(20)
    world.people.requeue(1)
    world.alive.life.full = 3
    world.end(gently=True)


def poisoned(world: World) -> None:
    """A row ends the program whenever its answer is looked into; others are suspected first, and
    write alone while others want to."""
    world.shop.poison.add(1)
    world.live(20)
    for _ in range(4):
        if world.program is None:
            world.begin()
            world.settle_death()
    world.people.resume()
    world.live(60)


def crowd(world: World) -> None:
    """What had come in is gone after a crash, so that suspects are sent once more, and each is
    written alone while others want to be."""
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent))
    world.end()
    world.forget_answers()
    world.begin()
    for row in range(1, 4):
        world.people.resend(row)
    world.people.resume()
    world.live(60)


def changed(world: World) -> None:
    """The connection changes under its calls, can't be used for a while, and the program quits."""
    world.live(0.2)
    world.people.set_currency("EUR")
    world.live(0.2)
    world.people.set_adapter("gone")
    world.live(10)
    world.people.set_adapter("fake")
    world.people.resume()
    world.live(0.2)
    engine = world.alive.engine

    async def both() -> None:
        await asyncio.gather(engine.connection_changed(1), engine.connection_changed(1))

    world.do(both())
    world.end(gently=True)


def limited(world: World) -> None:
    """A trial, then a cap of calls, then the rest; and a drain in between."""
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


def deaf(world: World) -> None:
    """The program quits while given-up calls are listened to and others are on the wire."""
    world.live(130)
    world.end(gently=True)


RESEND = {"policy": OnUnknown.RESEND}

STORIES = (
    Story(plain, ("ok", "refuse", "fail", "invalid", "bad", "lost", "offline"), {"rows": 6}),
    Story(killed, ("ok", "throttle", "ok", "slow", "lost"), {"concurrency": 4}),
    Story(killed, ("ok", "lost", "fail"), {"concurrency": 3, **RESEND}),
    Story(away, ("ok", "ok", "slow", "slow", "slow"), {"rows": 6, "concurrency": 3}),
    Story(levers, ("slow", "ok", "slow", "ok", "slow"), {"rows": 5}),
    Story(doubts, ("lost", "lost", "bad", "late", "deaf"), {"rows": 5, "concurrency": 5}),
    Story(doubts, ("deaf", "lost", "deaf", "ok"), {"rows": 4, "concurrency": 2, **RESEND}),
    Story(early, ("lost", "slow")),
    Story(refused, ("account", "account", "ok", "account")),
    Story(refused, ("invalid", "invalid", "invalid")),
    Story(refused, ("fail",) * 12, {"concurrency": 4}),
    Story(sheet, ("slow", "ok", "refuse", "fail"), {"concurrency": 3}),
    Story(caps, ("ok", "lost", "fail", "ok"), {"rows": 6, "cap": 2, "day_cap": 3}),
    Story(told, ("refuse", "lost", "lost", "lost", "lost", "slow"), {"rows": 6, "concurrency": 5}),
    Story(slept, ("throttle", "fail", "slow", "late"), {"concurrency": 4}),
    Story(lanes, ("refuse", "ok", "ok"), {"rows": 5, "lanes": LaneOnDead.STOP}),
    Story(full, ("ok", "slow", "lost", "fail"), {"concurrency": 3}),
    Story(poisoned, (), {"rows": 9, "concurrency": 3}),
    Story(crowd, (), {"rows": 9, "concurrency": 3}),
    Story(changed, (), {"rows": 6}),
    Story(refused, ("no_key", "no_key")),
    Story(limited, ("ok", "ok"), {"rows": 5, "gate": 3}),
    Story(deaf, ("deaf", "deaf", "slow"), {"concurrency": 1, **RESEND}),
    Story(plain, ("bug", "early_bug", "bug", "bug", "bug", "bug"), {"rows": 6, "concurrency": 1}),
    Story(plain, ("quota", "ok")),
    Story(two, ("ok", "account", "throttle", "slow"), {"batches": 2}),
)
