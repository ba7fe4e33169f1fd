"""The shop calls about its jobs: in time, early, late, often, never; and strangers call too."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop_app.domain.ports.callbacks import Addressee, CallbackRule, Heard
from tests.engine.virtual import EPOCH
from tests.model.listening import address_of

if TYPE_CHECKING:
    from tests.model.program import Program
    from tests.model.shop import Made, Submission
    from tests.model.world import World

HABITS = (
    "once",  # when the job has ended, be anybody there or not
    "stubborn",  # the same, until somebody hears it
    "instant",  # the job has ended before its submit is answered, and the call comes before that
    "early",  # before the submit is answered, of a job that goes on; and never again
    "mute",  # what it says does not name the job
    "ten",  # ten times
    "chatty",  # about every step of the job
    "late",  # long after everything
    "murmur",  # a while after, and what it says does not name the job
    "crossing",  # just when the program hears what became of the submit
    "forged",  # by strangers first
    "lost",  # never
)
AGAIN_S = 15.0
TRIES = 12
LATE_S = 400.0
MURMUR_S = 60.0

RULES = {
    "plain": CallbackRule("none"),
    "own": CallbackRule("svix"),
    "learned": CallbackRule("hmac-sha256", "X-Signature", time_header="X-Time"),
    "entered": CallbackRule("hmac-sha256", "X-Signature", encoding="base64"),
}
"""By how the shop signs: not, with what each call brought, with what it tells, or with what a
person took from its console."""


@dataclass(eq=False)
class Ring:
    """One call to come. ``names``: it says of which job it is; ``by``: the job's own shop, or a
    stranger of this kind; ``tries``: how often it is made until it is heard."""

    at: float
    made: Made
    url: str
    names: bool = True
    by: str = "shop"
    tries: int = 1
    travels_s: float = 0.01


def rings(made: Made, habit: str, now: float) -> list[Ring]:
    """All calls that will be made of a job that was just taken."""
    url, end = made.submission.url, made.ends_at
    if url is None:
        return []
    if habit == "instant":
        made.ends_at = now + 0.2
        return [Ring(now + 0.3, made, url, tries=TRIES)]
    if habit == "early":
        return [Ring(now + 0.2, made, url)]
    if habit == "chatty":
        steps = [Ring(now + 1.7 * n, made, url) for n in range(1, 12)]
        return [*steps, Ring(end, made, url, tries=TRIES)]
    if habit == "forged":
        return [*_strangers(made, now + 0.4), Ring(end, made, url)]
    ends = {
        "once": [Ring(end, made, url)],
        "stubborn": [Ring(end, made, url, tries=TRIES)],
        "mute": [Ring(at, made, url, names=False, tries=TRIES) for at in (now + 0.3, end)],
        "ten": [Ring(end, made, url) for _ in range(10)],
        "late": [Ring(end + LATE_S, made, url)],
        "murmur": [Ring(end + MURMUR_S, made, url, names=False, tries=TRIES)],
    }
    return ends.get(habit, [])


def _strangers(made: Made, at: float) -> list[Ring]:
    """Who guesses an address, knows one but not the secret, or knows those of another store."""
    url = made.submission.url or ""
    mark = "0" * 16
    elsewhere = Addressee(made.submission.attempt_pk, mark), Addressee(999, mark)
    return [
        Ring(at, made, url[:-1] + ("A" if url[-1] != "A" else "B"), by="guesser"),
        Ring(at, made, url, by="liar"),
        *(Ring(at, made, address_of(whose), by="other") for whose in elsewhere),
    ]


class Bells:
    """Rings at the program of whatever life there is then."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._to_come: list[Ring] = []

    def taken(self, made: Made, habit: str, now: float) -> None:
        """The shop has a new job."""
        made.habit = habit
        self._expect(*rings(made, habit, now))

    def heard(self, submission: Submission) -> None:
        """The program was told what became of its submit."""
        made = submission.job
        if made is not None and made.habit == "crossing" and submission.url is not None:
            ring = Ring(submission.heard_at, made, submission.url, tries=TRIES, travels_s=0.0)
            self._expect(ring)

    def cancelled(self, made: Made, now: float) -> None:
        """The shop calls about that as well, and at once."""
        if made.submission.url is not None:
            self._expect(Ring(now, made, made.submission.url, tries=TRIES))

    def begin(self, program: Program) -> None:
        """A new life: what could not be told to the last one may still be told."""
        now = program.loop.time()
        for ring in self._to_come:
            while ring.at < now and ring.tries > 1:
                ring.at, ring.tries = ring.at + AGAIN_S, ring.tries - 1
        self._to_come = [ring for ring in self._to_come if ring.at >= now]
        for ring in self._to_come:
            self._wait(program, ring)

    def _expect(self, *new: Ring) -> None:
        self._to_come += new
        for ring in new:
            self._wait(self._world.alive, ring)

    def _wait(self, program: Program, ring: Ring) -> None:
        def now() -> None:
            if not program.life.dead:
                program.loop.create_task(self._ring(program, ring))

        program.loop.call_at(ring.at, now)

    async def _ring(self, program: Program, ring: Ring) -> None:
        ring.at, ring.tries = ring.at + AGAIN_S, ring.tries - 1
        status = await self._call(program, ring)
        if program.life.dead:
            return
        if 200 <= status < 300 or ring.tries == 0:
            self._to_come.remove(ring)
        else:
            self._wait(program, ring)

    async def _call(self, program: Program, ring: Ring) -> int:
        """The status that came back; 0: nobody was there."""
        await asyncio.sleep(ring.travels_s)
        listening = program.listening
        if not listening.listens or program.life.dead:
            return 0
        body = json.dumps({"id": ring.made.id} if ring.names else {"progress": 1}).encode()
        headers = self._headers(ring, body, program.loop.time())
        status = await listening.post(ring.url, headers, body)
        if program.life.dead:
            return 0
        self._world.rules.jobs.rang(ring, status, self._heard(program, ring))
        return status

    def _heard(self, program: Program, ring: Ring) -> Heard | None:
        """What the program made of it, where nobody else can have called about the same."""
        of = {address_of(whose): what for whose, what in program.listening.heard.items()}
        return of.get(ring.url)

    def _headers(self, ring: Ring, body: bytes, now: float) -> dict[str, str]:
        shop, submission = self._world.shop, ring.made.submission
        rule = RULES[shop.calls]
        secret = submission.call_secret or shop.signing_secret
        if ring.by != "shop":
            secret = "whsec_" + base64.b64encode(b"a stranger's").decode()
        stamp = str(int(EPOCH + now))
        if rule.signature == "svix":
            key = base64.b64decode(secret.removeprefix("whsec_"))
            text = f"{ring.made.id}-{stamp}.{stamp}.".encode() + body
            signed = base64.b64encode(hmac.digest(key, text, "sha256")).decode()
            return {
                "webhook-id": f"{ring.made.id}-{stamp}",
                "webhook-timestamp": stamp,
                "webhook-signature": f"v1,{signed}",
            }
        if rule.signature == "none":
            return {}
        if rule.time_header:
            made = hmac.digest(secret.encode(), f"{stamp}.".encode() + body, "sha256").hex()
            return {rule.header: made, rule.time_header: stamp}
        made = base64.b64encode(hmac.digest(secret.encode(), body, "sha256")).decode()
        return {rule.header: made}
