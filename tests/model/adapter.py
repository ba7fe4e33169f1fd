"""The way from the program to the shop, in one life: answers, failures, silence."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.domain.ports import (
    Answer,
    Call,
    Content,
    Job,
    RawAnswer,
    TestReport,
)
from desktop_app.domain.task import Request
from desktop_app.engine.lines import DEADLINE_GRACE_S
from tests.engine.fakes import failure
from tests.model.disk import PICTURE
from tests.model.shop import QUOTA_S, TIMEOUT_S, Submission, read_prompt

if TYPE_CHECKING:
    from tests.model.registry import Adapters

CONNECT_S = 0.05
DECODE_S = 0.002
STEP_S = 0.5
HALF = b"half a picture"
WAITS = {"slow": 15.0, "late": 500.0, "lost": 8.0, "unbilled_lost": 8.0}
LOST = frozenset({"lost", "unbilled_lost"})
FAILURES: dict[str, tuple[FailureClass, str, dict[str, Any]]] = {
    "throttle": (FailureClass.THROTTLED, "http_429", {"after_s": 2.0}),
    "fail": (FailureClass.TRANSIENT, "http_500", {}),
    "refuse": (FailureClass.REFUSED, "moderated", {}),
    "invalid": (FailureClass.INVALID, "bad_size", {}),
    "account": (FailureClass.ACCOUNT, "no_money", {}),
    "quota": (FailureClass.ACCOUNT, "quota", {"after_s": QUOTA_S}),
    "no_key": (FailureClass.ACCOUNT, "no_key", {}),
}


class Bug(Exception):
    """An adapter's own fault."""


class Adapter:
    """An open line to the shop."""

    def __init__(self, house: Adapters, connection: Connection, secret: str | None) -> None:
        self.capabilities = house.capabilities_
        self._house = house
        self._shop = house.shop
        self._life = house.life
        self._connection = connection
        self._secret = secret

    async def submit(self, call: Call) -> Answer | Job:
        behaviour = next(self._shop.behaviours, "ok")
        await asyncio.sleep(CONNECT_S)
        if behaviour == "offline":
            raise failure(FailureClass.OFFLINE, "refused", sent=False)
        if behaviour == "early_bug":
            raise Bug
        if self._life.dead:
            raise asyncio.CancelledError
        call.begin()
        submission = self._receive(call, behaviour)
        try:
            await self._wait(submission)
            return await self._read(call, submission)
        finally:
            # A job that was taken works on.
            submission.in_the_air = submission.heard == "job"

    def _receive(self, call: Call, behaviour: str) -> Submission:
        row, version = read_prompt(call.request.prompt)
        now = asyncio.get_running_loop().time()
        submission = Submission(
            row,
            version,
            call.idempotency_key,
            self._house.noted(),
            self._life,
            self._shop.bills(call.idempotency_key, behaviour, now),
            behaviour,
            self._connection,
            self._secret,
            now,
            url=call.callback_url,
            call_secret=call.callback_secret,
        )
        self._shop.sent.append(submission)
        self._shop.on_sent(submission)
        if self._shop.jobs and submission.billed:
            self._shop.take(submission, now)
        return submission

    async def _wait(self, submission: Submission) -> None:
        behaviour = submission.behaviour
        if behaviour == "deaf":
            await _deaf_sleep(TIMEOUT_S + 130.0, submission)
            return
        if behaviour == "brink":
            await asyncio.sleep(TIMEOUT_S + DEADLINE_GRACE_S - CONNECT_S - DECODE_S / 2)
            return
        wait_s = WAITS.get(behaviour, 1.0)
        if submission.job is not None and behaviour == "slow":
            wait_s = 1.0  # it is the job that is slow
        now = asyncio.get_running_loop().time()
        # In step, so that answers meet.
        await asyncio.sleep(math.ceil((now + wait_s) / STEP_S) * STEP_S - now)

    async def _read(self, call: Call, submission: Submission) -> Answer | Job:
        """What came back, if anything did."""
        # A body that names a job is one from the moment it is here: what dies while it is read is
        # read again at the next start, and the job is followed to its own end.
        came = "answer" if submission.job is None else "job"
        self._hears(submission, "unknown" if submission.behaviour in LOST else came)
        if submission.behaviour in LOST:
            raise failure(FailureClass.UNKNOWN, "dropped")
        if submission.behaviour == "breaks":
            self._hears(submission, "unknown")
            raise Bug
        body = submission.job.id if submission.job else submission.behaviour
        raw = RawAnswer(200, {}, body.encode(), 1.0)
        call.whole(raw)
        call.received()
        try:
            answer = await self.reread(call.request, raw)
        except ProviderFailure as error:
            self._hears(submission, error.failure.kind.value)
            raise
        except Bug:
            self._hears(submission, "unknown")
            raise
        self._hears(submission, "job" if isinstance(answer, Job) else "answer")
        if isinstance(answer, Job):
            return replace(answer, calls_back=call.callback_url is not None)
        return answer

    async def reread(self, request: Request, raw: RawAnswer) -> Answer | Job:
        """What the body says: the behaviour or the job that it names."""
        await asyncio.sleep(DECODE_S)
        row, _ = read_prompt(request.prompt)
        if row in self._shop.poison:
            self._shop.killers.add(row)
            self._life.die()
            await asyncio.sleep(0)
        body = raw.body.decode()
        if body == "bug" or body in FAILURES:
            raise self.refusal(body)
        if body in self._shop.made:
            return Job(body, {"of": body})
        return picture(body, self._shop.several)

    def refusal(self, behaviour: str) -> Exception:
        """What is raised for it."""
        if behaviour == "bug":
            return Bug()
        kind, code, more = FAILURES[behaviour]
        return failure(kind, code, **more)

    def _hears(self, submission: Submission, what: str) -> None:
        if not self._life.dead:
            submission.heard = what
            submission.heard_at = asyncio.get_running_loop().time()
            self._shop.on_heard(submission)

    async def test(self) -> TestReport:
        await asyncio.sleep(0.1)
        return TestReport(True, ())

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        await asyncio.sleep(0.001)


def picture(behaviour: str, several: int) -> Answer:
    """What this behaviour draws."""
    drawn = [PICTURE] * several
    if behaviour == "bad":
        drawn = [HALF] * several
    elif several > 1 and behaviour == "torn":
        drawn[0] = HALF
    elif several > 1 and behaviour == "some":
        del drawn[0]
    contents = tuple(Content(data, "image/png") for data in drawn)
    return Answer(contents, billed_images=several)


async def _deaf_sleep(seconds: float, submission: Submission) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (left := end - loop.time()) > 0:
        try:
            await asyncio.sleep(left)
        except asyncio.CancelledError:
            submission.in_the_air, submission.given_up = False, True
            if loop.buried:  # type: ignore[attr-defined]
                raise
