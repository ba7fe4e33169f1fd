"""Short lives in which the provider works on jobs, and may be asked what has arrived."""

from __future__ import annotations

from desktop_app.domain.connection import OnUnknown
from tests.model.stories import Story, doubts, killed, levers, plain
from tests.model.world import World


def followed(world: World) -> None:
    """Every way in which a job may end, through a restart and a cancel."""
    world.live(30)
    world.people.cancel(3)
    world.end()
    world.begin()
    world.live(400)
    world.people.resume()
    world.live(2_000)
    for row in range(1, 10):
        world.people.ask(row)
    world.live(60)


def quit_while_jobs_run(world: World) -> None:
    """The program quits with jobs under way, and again while their results are collected."""
    world.live(10)
    world.end(gently=True)
    world.keyring_s = 10.0
    world.begin()
    world.end(gently=True)
    world.keyring_s = 0.001
    world.begin()
    world.people.resume()
    world.until(lambda: any(made.collects for made in world.shop.made.values()))
    world.end(gently=True)
    world.begin()
    world.people.set_adapter("gone")
    world.people.ask(1)
    world.end()
    world.begin()
    world.people.set_adapter("fake")
    world.live(30)


def polls_refused(world: World) -> None:
    """The account is refused, and then slowed, while jobs are asked for."""
    world.live(5)
    world.shop.polls_refused = ["account", "throttle", "bug"]
    world.live(60)
    world.people.try_again()
    world.until(lambda: world.shop.polling > 0)
    world.people.set_currency("EUR")
    world.live(60)


def asked(world: World) -> None:
    """The provider can be asked about calls whose answers were lost, be it after a crash."""
    world.live(0.5)
    world.end()
    world.begin()
    world.people.resume()
    world.shop.asks_refused = 2
    world.live(60)
    world.shop.asks_refused = 20
    world.live(200)
    world.people.ask(1)
    world.people.ask(2)
    world.end(gently=True)


def expired(world: World) -> None:
    """A key is honoured for a minute, and rows wait for longer before it is used again."""
    world.live(9)
    world.people.pause()
    world.live(90)
    world.people.resume()
    world.live(30)


JOBS = {"jobs": True, "rows": 9, "concurrency": 4}
ENDS = ("ok", "job_fails", "slow", "job_refused", "job_lost", "endless", "console", "uncollected")

JOB_STORIES = (
    Story(followed, ENDS, JOBS),
    Story(followed, ("vague", "expired", "bad", "lost", "late", "deaf"), JOBS),
    Story(followed, ENDS, {**JOBS, "policy": OnUnknown.RESEND}),
    Story(levers, ("slow", "ok", "slow"), {"jobs": True, "rows": 5}),
    Story(killed, ("ok", "lost", "slow"), {"jobs": True, "concurrency": 3}),
    Story(killed, ("slow", "slow", "ok"), {"jobs": True, "concurrency": 3, "rate": 0.5}),
    Story(quit_while_jobs_run, ("ok", "slow", "expired"), {"jobs": True}),
    Story(polls_refused, ("slow", "slow"), {"jobs": True}),
    Story(asked, ("slow", "lost", "unbilled_lost", "late"), {"askable": True}),
    Story(asked, ("slow", "lost", "unbilled_lost", "late"), {"askable": True, "jobs": True}),
    Story(doubts, ("lost", "unbilled_lost", "deaf"), {"askable": True, "jobs": True, "rows": 5}),
    Story(expired, ("lost", "lost", "ok"), {"idempotent_s": 60.0, "rows": 3}),
    Story(plain, ("lost", "fail", "lost", "throttle"), {"idempotent_s": 1e9, "rows": 6}),
)
