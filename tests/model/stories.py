"""Short lives that between them pass every await and every commit of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

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
    world.live(0.1)
    world.people.resume()
    world.live(0.04)
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
    world.people.find_file(4)
    for how in ("ask", "attach", "resend", "ask", "failed"):
        world.people.settle_all(how)
        world.live(5)
    world.end(gently=True)


def slept(world: World) -> None:
    """The computer sleeps while rows wait and run."""
    world.live(1.2)
    world.jump(28_800.0)
    world.live(8)
    world.sleep_through(3600.0)
    world.live(60)


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


def rationed(world: World) -> None:
    """Rows wait for their images a minute while they are paused, cancelled, killed and left."""
    world.live(0.5)
    world.end()
    world.begin()
    world.people.resume()
    world.live(2)
    world.people.pause(now=True)
    world.live(2)
    world.people.resume()
    world.live(1)
    world.people.cancel(5)
    world.live(5)
    world.end(gently=True)
    world.begin()
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


def deaf(world: World) -> None:
    """The program quits while given-up calls are listened to and others are on the wire."""
    world.live(130)
    world.end(gently=True)


def overtaken(world: World) -> None:
    """The answer to a given-up call comes while the row is sent again."""
    world.live(170)
    world.check()
    world.live(300)


def named(world: World) -> None:
    """The program is killed over an answer, and again when its result has just got its name."""
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent))
    world.end()
    world.begin(start=False)
    world.alive.loop.create_task(world.alive.engine.start())
    world.until(lambda: len(world.disk.kept) > 0)
    world.end()
    world.begin()


def misunderstood(world: World) -> None:
    """The adapter is away when the program is killed over an answer, and at two starts."""
    world.live(0.5)
    world.people.set_adapter("gone")
    world.until(lambda: any(s.heard == "answer" for s in world.shop.sent))
    for _ in range(2):
        world.end()
        world.begin()
    world.people.set_adapter("fake")
    world.end()
    world.begin()


RESEND = {"policy": OnUnknown.RESEND}

STORIES = (
    Story(plain, ("ok", "refuse", "fail", "invalid", "bad", "lost", "offline"), {"rows": 6}),
    Story(killed, ("ok", "throttle", "ok", "slow", "lost"), {"concurrency": 4}),
    Story(killed, ("ok", "lost", "fail"), {"concurrency": 3, **RESEND}),
    Story(away, ("ok", "ok", "slow", "slow", "slow"), {"rows": 6, "concurrency": 3}),
    Story(levers, ("slow", "ok", "slow", "ok", "slow"), {"rows": 5}),
    Story(doubts, ("lost", "lost", "bad", "late", "deaf"), {"rows": 5, "concurrency": 5}),
    Story(doubts, ("deaf", "lost", "deaf", "ok"), {"rows": 4, "concurrency": 2, **RESEND}),
    Story(slept, ("throttle", "fail", "slow", "late"), {"concurrency": 4}),
    Story(full, ("ok", "slow", "lost", "fail"), {"concurrency": 3}),
    Story(poisoned, (), {"rows": 9, "concurrency": 3}),
    Story(crowd, (), {"rows": 9, "concurrency": 3}),
    Story(rationed, ("ok", "slow", "lost", "throttle"), {"rows": 6, "images": 20}),
    Story(changed, (), {"rows": 6}),
    Story(deaf, ("deaf", "deaf", "slow"), {"concurrency": 1, **RESEND}),
    Story(overtaken, ("deaf", "late"), {"rows": 1, **RESEND}),
    Story(plain, ("bug", "early_bug", "bug", "bug", "bug", "bug"), {"rows": 6, "concurrency": 1}),
    Story(plain, ("quota", "ok")),
    Story(named, (), {"rows": 1}),
    Story(misunderstood, (), {"rows": 1}),
)
