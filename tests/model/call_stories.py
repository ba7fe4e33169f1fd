"""Short lives in which the provider calls back, or fails to, and the program may be away."""

from __future__ import annotations

from desktop_app.domain.connection import OnUnknown
from tests.model.stories import Story, doubts, levers
from tests.model.world import World


def called(world: World) -> None:
    """Jobs are called about in every manner, and those that nobody calls about are polled."""
    world.live(60)
    world.people.cancel(2)
    world.live(200)
    world.live(600)
    world.end(gently=True)


def away(world: World) -> None:
    """The program is killed with calls to come, and they find its next life, or its last rows in
    doubt."""
    world.live(0.25)
    world.end()
    world.begin()
    world.live(40)
    world.people.resume()
    world.live(15)
    world.end()
    world.begin()
    world.people.resume()
    world.live(60)


def lost(world: World) -> None:
    """The answers to the submits are lost, and calls name the jobs before, while and after their
    rows are given up."""
    world.live(60)
    world.people.ask(1)
    world.live(500)


def unlearned(world: World) -> None:
    """With what the provider signs can't be learned until the connection changes."""
    world.shop.secrets_refused = 9
    world.end()
    world.begin()
    world.people.resume()
    world.live(20)
    world.shop.secrets_refused = 0
    world.people.set_currency("EUR")
    world.live(300)


def secret_changed(world: World) -> None:
    """With what the provider signs changes while jobs run, and so does the connection."""
    world.live(5)
    world.shop.signing_secret = "signs with that"
    world.live(120)
    world.people.set_currency("EUR")
    world.live(300)
    world.end(gently=True)


def crossing(world: World) -> None:
    """A call names the job while its row is being given up, also when the disk is full then."""
    world.live(60)
    world.alive.life.full = 4
    world.live(400)


def no_folder(world: World) -> None:
    """Calls come for rows that can't be settled at a start, since their folder is gone."""
    world.live(0.25)
    world.disk.gone = True
    world.end()
    world.begin()
    world.live(60)
    world.disk.gone = False
    world.live(60)


CALLS = {"jobs": True, "calls": "plain", "rows": 6, "concurrency": 3}
MANNERS = ("ten", "once", "lost", "early", "mute", "late", "chatty", "forged", "instant")

CROSSES = ("crossing",) * 9

CALL_STORIES = (
    Story(called, (), {**CALLS, "rows": 9, "habits": MANNERS}),
    Story(called, ("slow", "slow", "ok", "slow"), {**CALLS, "calls": "own", "habits": MANNERS}),
    Story(away, (), {**CALLS, "habits": ("instant", "stubborn", "once", "early", "mute", "lost")}),
    Story(away, (), {**CALLS, "calls": "own", "policy": OnUnknown.RESEND}),
    Story(
        lost,
        ("lost", "deaf", "lost", "late", "lost", "lost"),
        {**CALLS, "habits": ("instant", "stubborn", "stubborn", "late", "chatty", "mute")},
    ),
    Story(
        lost,
        ("lost", "lost", "lost", "late"),
        {**CALLS, "policy": OnUnknown.RESEND, "calls": "entered"},
    ),
    Story(
        secret_changed,
        ("slow", "ok", "slow", "ok"),
        {**CALLS, "calls": "learned", "rows": 4, "concurrency": 2},
    ),
    Story(unlearned, ("slow", "ok"), {**CALLS, "calls": "learned", "rows": 4}),
    Story(
        crossing,
        ("lost", "fail", "breaks", "bug", "lost", "deaf"),
        {**CALLS, "calls": "own", "habits": ("crossing", "instant", *CROSSES), "concurrency": 1},
    ),
    Story(no_folder, (), {**CALLS, "habits": ("instant", "stubborn", "chatty")}),
    Story(levers, ("slow", "ok", "slow"), {**CALLS, "calls": "learned", "rows": 5}),
    Story(
        doubts,
        ("lost", "unbilled_lost", "deaf"),
        {**CALLS, "askable": True, "rows": 5, "calls": "own"},
    ),
)
