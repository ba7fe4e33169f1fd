"""Short lives in which a job is named after its call was given up: its row waits to be sent again,
or was sent again already."""

from __future__ import annotations

from desktop_app.domain.connection import OnUnknown
from tests.model.adapter import CONNECT_S
from tests.model.bells import LATE_S, MURMUR_S
from tests.model.sheet import START
from tests.model.stories import Story
from tests.model.world import DEAD_S, World

NAMED_S = 150.0
"""When the answer to a deaf call comes, counted from a row's first call."""


def _sent_again(world: World, after_s: float, then_s: float) -> None:
    """The row waits to be sent again, and may be once ``after_s`` more have passed."""
    world.live(10)
    world.people.pause()
    world.live(after_s)
    world.people.resume()
    world.live(then_s)


def waits(world: World) -> None:
    """The job is named while its row waits to be sent again."""
    _sent_again(world, NAMED_S, 60)


def overtaken(world: World) -> None:
    """The job is named while its row was sent again, which comes to nothing."""
    _sent_again(world, NAMED_S - 15, 120)


def refused_before(world: World) -> None:
    """The job is named, or the answer comes, after its row was sent again, which was refused."""
    _sent_again(world, 30, NAMED_S)


def overtaken_for_good(world: World) -> None:
    """The job is named while its row was sent again, which brings a result; what the provider said
    of the job is found at the next start."""
    overtaken(world)
    world.end()
    world.begin()


def overtaken_just_then(world: World) -> None:
    """The same, and it comes to nothing at the same moment."""
    _sent_again(world, NAMED_S - 10.8, 60)


def about_to_be_sent(world: World) -> None:
    """The answer comes when its row is about to be sent again."""
    world.live(10)
    world.people.pause()
    world.live(NAMED_S + START + 0.077 - CONNECT_S - world.alive.loop.time())
    world.people.resume()
    world.live(60)


def called(world: World) -> None:
    """A call names the job while its row was sent again, which comes to nothing."""
    world.live(250)


def unread(world: World) -> None:
    """The answer of a given-up call is put aside when the program is killed, and can't be looked at
    yet when its row may be sent again, since its folder is gone until then."""
    world.live(10)
    world.people.pause()
    world.until(lambda: world.shop.sent[0].heard in ("answer", "job"), NAMED_S)
    world.disk.gone = True
    world.end()
    world.begin()
    world.people.resume()
    world.live(1)
    world.disk.gone = False
    world.live(90)


def misunderstood(world: World) -> None:
    """The same, and its adapter is away when the program starts again."""
    world.live(10)
    world.people.pause()
    world.until(lambda: world.shop.sent[0].heard in ("answer", "job"), NAMED_S)
    world.end()
    world.begin(start=False)
    world.people.set_adapter("gone")
    world.end()
    world.begin()
    world.live(1)
    world.people.set_adapter("fake")
    world.people.resume()
    world.live(90)


def at_a_start(world: World) -> None:
    """A call names the job while the program starts, which is killed before."""
    world.live(RINGS_S - DEAD_S - world.alive.loop.time())
    world.end()
    world.begin()
    world.people.resume()
    world.live(60)


def quit_while_named(world: World) -> None:
    """The program quits while the disk takes no job that a call has named."""
    world.live(15)
    world.alive.life.full = 99
    world.live(10)
    world.end(gently=True)
    world.begin()
    world.people.resume()
    world.live(60)


def called_at_last(world: World) -> None:
    """A call comes about a job whose result was not to be had, so that nobody asks any more."""
    world.live(700)


def called_while_sent_again(world: World) -> None:
    """A call comes about a job whose result was not to be had, and whose row was sent again."""
    world.live(60)
    world.people.pause()
    world.live(LATE_S - 50)
    world.people.resume()
    world.live(200)


def asked_by_a_call(world: World) -> None:
    """A call that names no job comes when the row is in doubt, for its provider could not be asked
    before."""
    world.shop.asks_refused = 6
    world.live(200)


def asked_while_it_waits(world: World) -> None:
    """The same, and the row waits to be sent again."""
    world.shop.asks_refused = 6
    world.live(10)
    world.people.pause()
    world.live(MURMUR_S + 40)
    world.people.resume()
    world.live(60)


def asked_in_vain(world: World) -> None:
    """The same, and the provider still can't be asked."""
    world.shop.asks_refused = 12
    world.live(10)
    world.people.pause()
    world.live(MURMUR_S + 100)
    world.people.resume()
    world.live(60)


def asked_while_sent_again(world: World) -> None:
    """The same, and the row was sent again, which comes to nothing."""
    world.shop.asks_refused = 6
    world.live(10)
    world.people.pause()
    world.live(MURMUR_S + 15)
    world.people.resume()
    world.live(120)


RINGS_S = START + 20.0765
"""Just before a row's first job ends and is called about."""

LATE = {"jobs": True, "rows": 1, "policy": OnUnknown.RESEND}
CALLS = {**LATE, "calls": "plain"}
ASKED = {**CALLS, "askable": True, "habits": ("murmur", "lost", "lost")}
MANY = {"rows": 6, "concurrency": 6}

# What the newer call comes to: nobody knows, nothing, a job that fails or is lost; at once.
COMES_TO_NOTHING = ("late", "unbilled_lost", "lost", "job_fails", "job_lost")
AT_ONCE = ("fail", "throttle", "account", "bad", "refuse", "invalid")

LATE_STORIES = (
    Story(waits, ("deaf",), LATE),
    Story(waits, ("deaf",), {**LATE, "policy": OnUnknown.HOLD}),
    Story(waits, ("deaf",), {**LATE, "askable": True}),
    Story(unread, ("deaf",), LATE),
    Story(unread, ("deaf",), {**LATE, "jobs": False}),
    Story(misunderstood, ("deaf",), LATE),
    Story(misunderstood, ("deaf",), {**LATE, "jobs": False}),
    Story(about_to_be_sent, ("deaf",), LATE),
    Story(about_to_be_sent, ("deaf",), {**LATE, "jobs": False}),
    *(Story(overtaken, ("deaf", newer), LATE) for newer in COMES_TO_NOTHING),
    Story(overtaken_for_good, ("deaf", "ok"), LATE),
    *(Story(overtaken_just_then, ("deaf", newer), LATE) for newer in AT_ONCE),
    Story(overtaken_just_then, ("deaf", "refuse"), {**LATE, "jobs": False}),
    Story(refused_before, ("deaf", "refuse"), LATE),
    Story(refused_before, ("deaf", "invalid"), {**LATE, "jobs": False}),
    Story(overtaken, ("deaf", "late"), {**LATE, "idempotent_s": 1e9}),
    Story(called, ("lost", "late"), {**CALLS, "habits": ("once", "lost", "lost")}),
    Story(called, ("lost", "lost"), {**CALLS, "habits": ("stubborn", "lost", "lost")}),
    Story(called, ("lost", "job_fails"), {**CALLS, "habits": ("ten", "lost", "lost")}),
    Story(called, ("lost", "late"), {**CALLS, "calls": "own", "habits": ("crossing", "crossing")}),
    Story(called, ("lost", "refuse"), {**CALLS, "habits": ("stubborn", "lost", "lost")}),
    Story(called, ("lost", "invalid"), {**CALLS, "habits": ("once", "lost", "lost")}),
    Story(asked_by_a_call, ("lost",), {**ASKED, "policy": OnUnknown.HOLD}),
    Story(asked_by_a_call, ("lost",), {**ASKED, "habits": ("mute", "lost", "lost")}),
    Story(asked_while_it_waits, ("lost",), ASKED),
    Story(asked_by_a_call, ("breaks",), {**ASKED, "habits": ("mute", "lost", "lost")}),
    Story(asked_in_vain, ("lost",), ASKED),
    *(Story(asked_while_sent_again, ("lost", newer), ASKED) for newer in ("late", "refuse")),
    Story(at_a_start, ("lost", *["slow"] * 5), {**CALLS, **MANY, "policy": OnUnknown.HOLD}),
    Story(quit_while_named, ("lost",), {**CALLS, "policy": OnUnknown.HOLD}),
    Story(
        called_while_sent_again,
        ("uncollected", "late", "refuse"),
        {**CALLS, "habits": ("late", "lost", "lost")},
    ),
    Story(
        called_at_last,
        ("uncollected",),
        {**CALLS, "habits": ("late",), "policy": OnUnknown.HOLD},
    ),
)
