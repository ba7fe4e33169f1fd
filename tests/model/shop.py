"""A provider that outlives the program: it bills, loses answers, answers late, refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop_app.domain.attempt import Claim, Kept
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import BadResult, FailureClass, LocalTrouble
from desktop_app.domain.ports import Answer, Call, Capabilities, Content, Preset, TestReport
from desktop_app.domain.task import Request
from desktop_app.domain.text import message
from tests.engine.fakes import failure
from tests.model.process import Life

TIMEOUT_S = 20.0

BEHAVIOURS = (
    "ok",
    "slow",
    "late",  # billed, answered after the read deadline
    "deaf",  # the same, and the adapter does not hear that it was cancelled
    "lost",  # billed, and the answer is lost
    "unbilled_lost",
    "bad",  # billed, and the picture does not decode
    "throttle",
    "fail",
    "refuse",
    "invalid",
    "offline",
    "account",
)


@dataclass
class Submission:
    """One request as the provider saw it."""

    row: str
    key: str
    attempt_pk: int
    life: Life
    billed: bool
    behaviour: str
    heard: str = "nothing"  # what the living program was told


@dataclass
class Shop:
    """What happened on the wire, across all lives of the program."""

    idempotent: bool = False
    behaviours: Iterator[str] = field(default_factory=lambda: iter(()))
    sent: list[Submission] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    on_sent: Callable[[Submission], None] = lambda _submission: None

    def of(self, row: str) -> list[Submission]:
        return [s for s in self.sent if s.row == row]


class Adapters:
    """The registry of one life of the program."""

    def __init__(self, shop: Shop, life: Life, noted: Callable[[], int]) -> None:
        self._shop = shop
        self._life = life
        self._noted = noted
        self.capabilities_ = Capabilities(
            "picture", TIMEOUT_S, idempotent_s=1e9 if shop.idempotent else None
        )

    def names(self) -> tuple[str, ...]:
        return ("fake",)

    def presets(self) -> tuple[Preset, ...]:
        return ()

    def capabilities(self, adapter: str) -> Capabilities:
        return self.capabilities_

    def open(self, connection: Connection, secret: str | None) -> Adapter:
        return Adapter(self._shop, self._life, self._noted, self.capabilities_)


class Adapter:
    """An open line to the shop."""

    def __init__(
        self, shop: Shop, life: Life, noted: Callable[[], int], capabilities: Capabilities
    ) -> None:
        self._shop = shop
        self._life = life
        self._noted = noted
        self.capabilities = capabilities

    async def submit(self, call: Call) -> Answer:
        behaviour = next(self._shop.behaviours, "ok")
        await asyncio.sleep(0.05)
        if behaviour == "offline":
            raise failure(FailureClass.OFFLINE, "refused", sent=False)
        if self._life.dead:
            raise asyncio.CancelledError
        call.begin()
        submission = self._receive(call, behaviour)
        try:
            answer = await self._answer(behaviour)
        except asyncio.CancelledError:
            submission.heard = "nothing"
            raise
        except Exception as error:
            if not self._life.dead:
                submission.heard = error.failure.kind.value  # type: ignore[attr-defined]
            raise
        if not self._life.dead:
            submission.heard = "answer"
        return answer

    def _receive(self, call: Call, behaviour: str) -> Submission:
        shop = self._shop
        billed = behaviour in ("ok", "slow", "late", "deaf", "lost", "bad")
        if shop.idempotent:
            billed = billed and call.idempotency_key not in shop.keys
            if billed:
                shop.keys.add(call.idempotency_key)
        submission = Submission(
            call.request.prompt, call.idempotency_key, self._noted(), self._life, billed, behaviour
        )
        shop.on_sent(submission)
        shop.sent.append(submission)
        return submission

    async def _answer(self, behaviour: str) -> Answer:
        waits = {"slow": 15.0, "late": 500.0, "lost": 8.0, "unbilled_lost": 8.0}
        if behaviour == "deaf":
            await _deaf_sleep(TIMEOUT_S + 130.0)
        else:
            await asyncio.sleep(waits.get(behaviour, 1.0))
        match behaviour:
            case "lost" | "unbilled_lost":
                raise failure(FailureClass.UNKNOWN, "dropped")
            case "throttle":
                raise failure(FailureClass.THROTTLED, "http_429", after_s=2.0)
            case "fail":
                raise failure(FailureClass.TRANSIENT, "http_500")
            case "refuse":
                raise failure(FailureClass.REFUSED, "moderated")
            case "invalid":
                raise failure(FailureClass.INVALID, "bad_size")
            case "account":
                raise failure(FailureClass.ACCOUNT, "no_money")
        data = b"half a picture" if behaviour == "bad" else b"picture"
        return Answer((Content(data, "image/png"),))

    async def test(self) -> TestReport:
        return TestReport(True, ())

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        pass


async def _deaf_sleep(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (left := end - loop.time()) > 0:
        try:
            await asyncio.sleep(left)
        except asyncio.CancelledError:
            if loop.buried:  # type: ignore[attr-defined]
                raise


class Disk:
    """The output folder: it outlives the program too."""

    def __init__(self) -> None:
        self.staged: dict[int, bytes] = {}
        self.kept: dict[int, Kept] = {}
        self.gone = False


class Files:
    """ResultFiles of one life on that disk."""

    def __init__(self, disk: Disk, life: Life) -> None:
        self._disk = disk
        self._life = life

    async def _touch(self) -> None:
        await asyncio.sleep(0.002)
        if self._life.dead:
            raise asyncio.CancelledError
        if self._disk.gone:
            raise LocalTrouble(message("exports.gone"))

    async def check_folder(self, out_dir: str) -> None:
        await self._touch()

    async def stage(self, claim: Claim, content: Content) -> None:
        await self._touch()
        self._disk.staged[claim.attempt_pk] = content.data
        await asyncio.sleep(0.001)

    async def keep(self, claim: Claim, content: Content, flags: tuple[str, ...] = ()) -> Kept:
        await self._touch()
        self._disk.staged.pop(claim.attempt_pk, None)
        if content.data != b"picture":
            raise BadResult(message("exports.no_picture"))
        kept = self._place(claim)
        await asyncio.sleep(0.001)
        return kept

    def _place(self, claim: Claim) -> Kept:
        kept = Kept(f"{claim.file_stem}-{claim.attempt_pk}.png", 7, "image/png")
        return self._disk.kept.setdefault(claim.attempt_pk, kept)

    async def find(self, claim: Claim) -> Kept | None:
        await self._touch()
        if self._disk.staged.get(claim.attempt_pk) == b"picture":
            self._place(claim)
        self._disk.staged.pop(claim.attempt_pk, None)
        return self._disk.kept.get(claim.attempt_pk)

    async def settled(self, claim: Claim) -> None:
        await self._touch()

    async def sweep(self, out_dir: str) -> int:
        await self._touch()
        return 0

    async def attach(self, *_args: Any, **_more: Any) -> Kept:
        raise NotImplementedError
