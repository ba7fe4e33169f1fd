"""Small stand-ins that keep the ports' promises: a store in memory, a provider by script."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from desktop_app.domain import transitions
from desktop_app.domain.attempt import Billed, Claim, Completion, Kept, Mark, Orphan, Outcome
from desktop_app.domain.batch import Batch, BatchPriority, LaneOnDead, RunState, SheetMapping
from desktop_app.domain.budget import day_of
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import (
    BadResult,
    Failure,
    FailureClass,
    LocalTrouble,
    ProviderFailure,
    WaitHint,
)
from desktop_app.domain.jobs import Job
from desktop_app.domain.ledger import Ledger
from desktop_app.domain.ports import (
    Answer,
    Call,
    Capabilities,
    Content,
    FinishResult,
    Preset,
    RawAnswer,
    TestReport,
)
from desktop_app.domain.ports.engine_store import Standing
from desktop_app.domain.task import DEAD_LETTERS, REQUEUEABLE, UNFINISHED, Request, TaskState
from desktop_app.domain.text import Message, message
from desktop_app.domain.views import TaskFilter

PICTURE = Content(b"\x89PNG", "image/png")
OPEN = (TaskState.RUNNING,)
WAITING = (TaskState.PENDING, TaskState.RETRYING, TaskState.DEAD, TaskState.UNCERTAIN)


@dataclass
class Row:
    """A task as the fake store holds it."""

    pk: int
    batch_id: int
    row_no: int
    prompt: str
    lane: str | None = None
    state: TaskState = TaskState.PENDING
    rev: int = 0
    edition: int = 1
    attempt_no: int = 0
    attempt_pk: int | None = None
    last_attempt_pk: int | None = None
    retries_spent: int = 0
    timeouts: int = 0
    throttled: int = 0
    due_at: float | None = None
    cancel_requested: bool = False
    started_at: float = 0.0
    begun: bool = False
    kept: Kept | None = None
    key: str = ""
    history: list[Completion] = field(default_factory=list)
    sent: int = 0
    jobs: dict[int, Job] = field(default_factory=dict)  # by attempt
    given_up: list[int] = field(default_factory=list)  # attempts without a verdict of their own
    named: list[int] = field(default_factory=list)  # of those, whose job became known since
    lost: list[int] = field(default_factory=list)  # attempts whose job was given up
    called: set[int] = field(default_factory=set)  # attempts that have arrived
    key_since: float | None = None


class FakeStore:
    """EngineStore, TaskActions and ConnectionStore in memory; a commit takes ``commit_s``."""

    def __init__(self, now: Callable[[], float], commit_s: float = 0.0) -> None:
        self.now = now
        self.commit_s = commit_s
        self.rows: dict[int, Row] = {}
        self.batches_: dict[int, Batch] = {}
        self.connections: dict[int, Connection] = {}
        self.pauses: dict[str, Message] = {}
        self.claims = 0
        self.empty_claims = 0
        self.fail_finish = 0
        self.fail_claim = 0
        self.trouble: LocalTrouble | None = None
        self.fail_taken = 0
        self.over: Message | None = None  # the caps' word on the next row; nothing is claimed
        self.spread: list[float] = []
        self._attempt = 0
        self.marks: set[tuple[Mark, int]] = set()
        self.suspects_: set[int] = set()
        self.raw: dict[int, RawAnswer] = {}
        self.raw_is_full = False
        self.on_claim: Callable[[list[Claim]], None] = lambda _claims: None

    # --- setting up

    def add_connection(self, **changes: Any) -> Connection:
        base = Connection("fal", "fake", "https://api.example.com/v1", "m", id=1)
        connection = replace(base, **changes)
        self.connections[connection.id] = connection
        return connection

    def add_batch(
        self,
        rows: int | Sequence[str],
        *,
        id: int = 1,
        connection_id: int = 1,
        lanes: Sequence[str] | None = None,
        **changes: Any,
    ) -> Batch:
        prompts = [f"row {i}" for i in range(rows)] if isinstance(rows, int) else list(rows)
        mapping = SheetMapping(prompt_column="prompt")
        batch = Batch(
            id, f"batch {id}", "s.csv", "h", "f", ("prompt",), mapping, connection_id, "/out", 0.0
        )
        self.batches_[id] = replace(batch, **changes)
        for i, prompt in enumerate(prompts):
            pk = id * 100_000 + i
            lane = lanes[i] if lanes else None
            self.rows[pk] = Row(pk, id, i + 2, prompt, lane)
        return self.batches_[id]

    async def _commit(self) -> None:
        await asyncio.sleep(self.commit_s)

    def of(self, batch_id: int | None) -> list[Row]:
        return [r for r in self.rows.values() if batch_id is None or r.batch_id == batch_id]

    def count(self, state: TaskState, batch_id: int | None = None) -> int:
        return sum(1 for row in self.of(batch_id) if row.state is state)

    def outcomes(self) -> Counter[Outcome]:
        return Counter(done.outcome for row in self.rows.values() for done in row.history)

    # --- EngineStore

    def _eligible(self, batch: Batch, now: float) -> Iterable[Row]:
        taken: set[str] = set()
        for row in self.of(batch.id):
            if batch.row_gate is not None and row.row_no > batch.row_gate:
                continue
            if row.lane is not None:
                if row.lane in taken:
                    continue
                stops = batch.lane_on_dead is LaneOnDead.STOP and row.state in DEAD_LETTERS
                if row.state in UNFINISHED or stops:
                    taken.add(row.lane)
            waiting = row.state in (TaskState.PENDING, TaskState.RETRYING)
            if waiting and (row.due_at is None or row.due_at <= now):
                yield row

    async def claim(self, batch_id: int, limit: int, now: float) -> list[Claim]:
        await self._commit()
        self.claims += 1
        if self.fail_claim:
            self.fail_claim -= 1
            raise self.trouble or OSError("disk")
        batch = self.batches_[batch_id]
        assert limit > 0
        if batch.run_state is not RunState.RUNNING or self.over is not None:
            return []
        found = [row for row, _ in zip(self._eligible(batch, now), range(limit), strict=False)]
        claims = [self._take(row, batch) for row in found]
        self.empty_claims += not claims
        self.on_claim(claims)
        return claims

    def _take(self, row: Row, batch: Batch) -> Claim:
        transitions.check(row.state, TaskState.RUNNING)
        self._attempt += 1
        row.state, row.rev, row.begun = TaskState.RUNNING, row.rev + 1, False
        row.attempt_no += 1
        row.attempt_pk = row.last_attempt_pk = self._attempt
        row.due_at = None
        row.started_at = self.now()
        if not row.key:
            row.key = f"{row.pk}-{row.edition}-{row.attempt_no}"
        return self._claim_of(row, batch)

    def _claim_of(self, row: Row, batch: Batch) -> Claim:
        assert row.attempt_pk is not None
        return Claim(
            row.pk,
            f"t{row.pk}",
            row.batch_id,
            row.row_no,
            row.edition,
            row.rev,
            row.attempt_pk,
            row.attempt_no,
            row.key,
            Request(row.prompt),
            f"{row.row_no:04}",
            batch.out_dir,
            row.retries_spent,
            row.timeouts,
            row.throttled,
            row.lane,
            row.key_since,
        )

    async def finish(self, completion: Completion) -> FinishResult:
        await self._commit()
        if self.fail_finish:
            self.fail_finish -= 1
            raise self.trouble or OSError("disk full")
        row = self.rows[completion.task_pk]
        row.history.append(completion)
        if (row.state, row.rev, row.attempt_pk) != (
            TaskState.RUNNING,
            completion.rev,
            completion.attempt_pk,
        ):
            return FinishResult(False, row.state)
        row.retries_spent += completion.spend_retry
        row.timeouts += completion.spend_timeout
        row.throttled += completion.count_throttled
        if completion.outcome is Outcome.UNKNOWN:
            known = completion.attempt_pk in row.jobs
            (row.lost if known else row.given_up).append(completion.attempt_pk)
        if row.named and completion.to is not TaskState.SUCCESS:
            row.attempt_pk, row.rev = row.named.pop(), row.rev + 1
            held = completion.to in DEAD_LETTERS
            orphan = replace(self._orphan(row), held=held, decided=not held)
            return FinishResult(True, row.state, goes_on=orphan)
        transitions.check(row.state, completion.to)
        if completion.to is TaskState.RETRYING:
            assert completion.due_at is not None
        row.state, row.rev, row.attempt_pk = completion.to, row.rev + 1, None
        row.due_at = completion.due_at
        row.kept = completion.kept or row.kept
        if completion.new_key:
            row.key, row.key_since = "", None
        elif completion.billed is not Billed.NO and row.key_since is None:
            row.key_since = row.started_at
        return FinishResult(True, row.state)

    def _row_of(self, attempt_pk: int) -> Row | None:
        for row in self.rows.values():
            known = (*row.given_up, *row.named, *row.lost)
            if attempt_pk in (row.attempt_pk, row.last_attempt_pk, *known):
                return row
        return None

    async def job_taken(self, attempt_pk: int, job: Job) -> Orphan | None:
        await self._commit()
        if self.fail_taken:
            self.fail_taken -= 1
            raise self.trouble or LocalTrouble(message("store.disk_full"))
        row = self._row_of(attempt_pk)
        assert row is not None
        is_news = row.jobs.get(attempt_pk) is None
        row.jobs[attempt_pk] = Job(job.id, job.context)
        takes = row.state in (*WAITING, *OPEN, TaskState.FAILED)
        if attempt_pk not in row.given_up or not is_news or not takes:
            return None
        row.given_up.remove(attempt_pk)
        if row.state in OPEN:
            row.named.append(attempt_pk)
            return None
        held = row.state is TaskState.UNCERTAIN
        return replace(self._reopened(row, attempt_pk), held=held)

    async def called(self, attempt_pk: int) -> Orphan | None:
        await self._commit()
        if self.fail_taken:
            self.fail_taken -= 1
            raise self.trouble or LocalTrouble(message("store.disk_full"))
        row = self._row_of(attempt_pk)
        if row is None:
            return None
        knows_job = attempt_pk in row.jobs
        if attempt_pk == row.attempt_pk:
            row.called.add(attempt_pk)
            return None
        known = row.lost if knows_job else row.given_up
        if attempt_pk not in known:
            return None
        known.remove(attempt_pk)
        if not knows_job:
            row.called.add(attempt_pk)
        if row.state in OPEN:
            row.named.append(attempt_pk)
            return None
        held = row.state in DEAD_LETTERS
        return replace(self._reopened(row, attempt_pk), held=held, decided=not held)

    async def standing(self, attempt_pk: int) -> Standing | None:
        row = self._row_of(attempt_pk)
        if row is None:
            return None
        job = row.jobs.get(attempt_pk)
        return Standing(
            row.pk,
            row.key,
            self.batches_[row.batch_id].connection_id,
            job.id if job else None,
            row.state in WAITING and attempt_pk in (row.last_attempt_pk, *row.given_up),
            row.state in OPEN and attempt_pk == row.attempt_pk,
            row.state in OPEN and attempt_pk in (*row.given_up, *row.named, *row.lost),
        )

    async def reopen(self, task_pk: int) -> Orphan | None:
        await self._commit()
        row = self.rows[task_pk]
        named = row.state is TaskState.RETRYING and row.last_attempt_pk in row.jobs
        if (row.state is not TaskState.UNCERTAIN and not named) or row.last_attempt_pk is None:
            return None
        held = row.state is TaskState.UNCERTAIN
        return replace(self._reopened(row, row.last_attempt_pk), held=held)

    def _reopened(self, row: Row, attempt_pk: int) -> Orphan:
        transitions.check(row.state, TaskState.RUNNING)
        row.state, row.rev, row.attempt_pk = TaskState.RUNNING, row.rev + 1, attempt_pk
        row.due_at = None
        return self._orphan(row)

    def _orphan(self, row: Row) -> Orphan:
        return Orphan(
            self._claim_of(row, self.batches_[row.batch_id]),
            row.started_at,
            row.begun,
            job=row.jobs.get(row.attempt_pk or 0),
            unbilled=(Mark.UNBILLED, row.attempt_pk) in self.marks,
            processing=(Mark.PROCESSING, row.attempt_pk) in self.marks,
            called=row.attempt_pk in row.called and row.attempt_pk not in row.jobs,
        )

    async def orphans(self) -> list[Orphan]:
        return [self._orphan(r) for r in self.rows.values() if r.state is TaskState.RUNNING]

    async def cancel_requested(self, task_pk: int) -> bool:
        return self.rows[task_pk].cancel_requested

    async def claimable(self, batch_id: int, now: float) -> bool:
        batch = self.batches_[batch_id]
        runs = batch.run_state is RunState.RUNNING and self.over is None
        return runs and next(iter(self._eligible(batch, now)), None) is not None

    async def next_due(self, batch_ids: Sequence[int]) -> float | None:
        dues = [
            row.due_at
            for row in self.rows.values()
            if row.batch_id in batch_ids and row.due_at is not None
        ]
        return min(dues, default=None)

    async def held_back(
        self, connection_id: int, now: float
    ) -> tuple[float, Message | None] | None:
        found = []
        for row in self.rows.values():
            last = row.history[-1].failure if row.history else None
            if last is None or last.kind is not FailureClass.THROTTLED:
                continue
            of_connection = self.batches_[row.batch_id].connection_id == connection_id
            if of_connection and row.due_at is not None and row.due_at > now:
                found.append((row.due_at, last.said))
        if not found:
            return None
        due_at, said = min(found, key=lambda one: one[0])
        return due_at if len(found) > 1 else now, said

    async def spread_due(self, now: float) -> None:
        self.spread.append(now)

    async def running_batches(self) -> list[Batch]:
        running = [b for b in self.batches_.values() if b.run_state is RunState.RUNNING]
        return [b for b in running if any(row.state in UNFINISHED for row in self.of(b.id))]

    async def batch(self, batch_id: int) -> Batch | None:
        return self.batches_.get(batch_id)

    async def ledger(self, batch_id: int | None) -> Ledger:
        rows = self.of(batch_id)
        attempts = sum(
            1 for r in rows for done in r.history if done.outcome is not Outcome.NOT_SENT
        )
        return Ledger.of(
            Counter(row.state for row in rows),
            attempts=attempts + sum(1 for r in rows if r.state is TaskState.RUNNING),
        )

    async def set_run_state(
        self, batch_id: int, state: RunState, reason: Message | None = None
    ) -> None:
        await self._commit()
        batch = self.batches_[batch_id]
        self.batches_[batch_id] = replace(batch, run_state=state, pause_reason=reason)

    async def set_priority(self, batch_id: int, priority: BatchPriority) -> bool:
        await self._commit()
        self.batches_[batch_id] = replace(self.batches_[batch_id], priority=priority)
        return True

    async def over_budget(self, batch_id: int, now: float) -> Message | None:
        return self.over

    async def next_day(self, now: float) -> list[int]:
        today = day_of(now)
        found = [batch_id for batch_id, day in self._day_waits() if day < today]
        for batch_id in found:
            await self.set_run_state(batch_id, RunState.RUNNING)
        return found

    async def leave_to_person(self, reason: Message) -> list[int]:
        found = [batch_id for batch_id, _day in self._day_waits()]
        for batch_id in found:
            await self.set_run_state(batch_id, RunState.PAUSED, reason)
        return found

    def _day_waits(self) -> list[tuple[int, str]]:
        return [
            (batch.id, batch.pause_reason.values["day"])
            for batch in self.batches_.values()
            if batch.run_state is RunState.PAUSED
            and batch.pause_reason is not None
            and batch.pause_reason.code == "store.budget_day"
        ]

    async def pause_all_unfinished(self, reason: Message) -> list[int]:
        changed = []
        for batch_id in self.batches_:
            if (await self.ledger(batch_id)).unfinished:
                await self.set_run_state(batch_id, RunState.PAUSED, reason)
                changed.append(batch_id)
        return changed

    async def account_pause(self, account: str) -> Message | None:
        return self.pauses.get(account)

    async def set_account_pause(self, account: str, reason: Message | None) -> None:
        if reason is None:
            self.pauses.pop(account, None)
        else:
            self.pauses[account] = Message.load(reason.dump())

    async def fail_pending(self, task_pk: int, completion_note: Message, code: str) -> bool:
        raise NotImplementedError

    def note(self, mark: Mark, pk: int) -> None:
        if mark is Mark.SUSPECT:
            self.suspects_.add(pk)
        elif mark is Mark.CLEARED:
            self.suspects_.discard(pk)
        elif mark is Mark.PROCESSED:
            self.marks.discard((Mark.PROCESSING, pk))
        else:
            self.marks.add((mark, pk))
        if mark is Mark.BEGUN:
            self._note_begun(pk)

    def _note_begun(self, attempt_pk: int) -> None:
        for row in self.rows.values():
            if row.attempt_pk == attempt_pk:
                row.begun = True
                row.sent += 1

    def keep_raw(self, claim: Claim, raw: RawAnswer) -> bool:
        if self.raw_is_full:
            return False
        self.raw[claim.attempt_pk] = raw
        return True

    async def raw_of(self, claim: Claim) -> RawAnswer | None:
        return self.raw.get(claim.attempt_pk)

    def suspects(self) -> frozenset[int]:
        return frozenset(self.suspects_)

    # --- TaskActions

    async def requeue(self, which: TaskFilter, now: float) -> int:
        await self._commit()
        changed = 0
        for row in self._matching(which):
            if row.state in REQUEUEABLE:
                row.state, row.rev = TaskState.PENDING, row.rev + 1
                row.retries_spent = row.timeouts = row.throttled = 0
                changed += 1
        return changed

    async def cancel(self, which: TaskFilter, now: float) -> int:
        await self._commit()
        changed = 0
        for row in self._matching(which):
            if row.state in (TaskState.PENDING, TaskState.RETRYING):
                row.state, row.rev = TaskState.CANCELLED, row.rev + 1
                changed += 1
            elif row.state is TaskState.RUNNING:
                row.cancel_requested = True
                changed += 1
        return changed

    def _matching(self, which: TaskFilter) -> list[Row]:
        return [
            row
            for row in self.of(which.batch_id)
            if (not which.states or row.state in which.states)
            and (which.pks is None or row.pk in which.pks)
        ]

    async def edit_and_requeue(self, task_pk: int, prompt: str, now: float) -> bool:
        raise NotImplementedError

    async def settle_failed(self, task_pk: int, note: Message, now: float) -> bool:
        raise NotImplementedError

    async def settle_resend(self, task_pk: int, now: float) -> bool:
        raise NotImplementedError

    async def settle_attach(self, task_pk: int, kept: Kept, now: float) -> bool:
        raise NotImplementedError

    # --- ConnectionStore

    async def all(self) -> list[Connection]:
        return list(self.connections.values())

    async def get(self, connection_id: int) -> Connection | None:
        return self.connections.get(connection_id)

    async def by_name(self, name: str) -> Connection | None:
        return next((c for c in self.connections.values() if c.name == name), None)

    async def save(self, connection: Connection) -> Connection:
        self.connections[connection.id] = connection
        return connection

    async def remove(self, connection_id: int) -> bool:
        return self.connections.pop(connection_id, None) is not None

    async def in_use(self, connection_id: int) -> bool:
        return False


Script = Callable[[Call, int], Awaitable[Answer | Job]]


class Provider:
    """One scripted server behind every connection. ``script(call, nth)`` answers the nth call of
    a prompt; it runs after ``connect_s`` and ``begin``."""

    def __init__(self, script: Script, capabilities: Capabilities | None = None) -> None:
        self.script = script
        self.caps = capabilities or Capabilities(
            "picture", default_timeout_s=600.0, tells_limits=True
        )
        self.connect_s = 0.0
        self.tests_ok = True
        self.tests = 0
        self.calls: list[tuple[float, str]] = []
        self.keys: list[str] = []
        self.secrets: list[str | None] = []
        self.out = 0
        self.most_out = 0
        self.closed = 0
        self.presets_: tuple[Preset, ...] = ()

    def nth(self, prompt: str) -> int:
        return sum(1 for _, sent in self.calls if sent == prompt)

    # --- Adapters

    def names(self) -> tuple[str, ...]:
        return ("fake",)

    def presets(self) -> tuple[Preset, ...]:
        return self.presets_

    def open(self, connection: Connection, secret: str | None) -> Opened:
        self.secrets.append(secret)
        return Opened(self)

    def prepared(self, connection: Connection) -> Connection:
        return connection

    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities:
        return self.caps


class Opened:
    """An open adapter of the scripted server."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.capabilities = provider.caps

    async def submit(self, call: Call) -> Answer | Job:
        provider = self._provider
        if provider.connect_s:
            await asyncio.sleep(provider.connect_s)
        call.begin()
        prompt = call.request.prompt
        provider.calls.append((asyncio.get_running_loop().time(), prompt))
        provider.keys.append(call.idempotency_key)
        provider.out += 1
        provider.most_out = max(provider.most_out, provider.out)
        try:
            return await provider.script(call, provider.nth(prompt))
        finally:
            provider.out -= 1

    async def test(self) -> TestReport:
        self._provider.tests += 1
        return TestReport(self._provider.tests_ok, ())

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        return {}

    async def close(self) -> None:
        self._provider.closed += 1


class FakeFiles:
    """ResultFiles in memory. ``trouble`` makes the folder fail, ``bad`` names bad prompts."""

    def __init__(self) -> None:
        self.kept: dict[int, Kept] = {}
        self.named_: dict[int, Kept] = {}
        self.trouble = False
        self.bad: set[str] = set()
        self.keep_s = 0.0
        self.settled_: list[int] = []
        self.staged: list[int] = []
        self.swept: list[str] = []
        self.expected: list[str] = []
        self.tries = 0

    def expect(self, out_dir: str) -> None:
        self.expected.append(out_dir)

    async def check_folder(self, out_dir: str) -> None:
        if self.trouble:
            raise LocalTrouble(message("exports.gone"))

    async def stage(self, claim: Claim, *contents: Content) -> None:
        if self.trouble:
            raise LocalTrouble(message("exports.full"))
        self.staged.append(claim.attempt_pk)

    async def sweep(self, out_dir: str) -> int:
        self.swept.append(out_dir)
        return 0

    async def keep(self, claim: Claim, *contents: Content, flags: tuple[str, ...] = ()) -> Kept:
        self.tries += 1
        await asyncio.sleep(self.keep_s)
        if self.trouble:
            raise LocalTrouble(message("exports.full"))
        if claim.request.prompt in self.bad:
            raise BadResult(message("exports.no_picture"))
        first, *more = (
            Kept(f"{claim.file_stem}{place}.png", len(content.data), content.mime)
            for place, content in zip(("", *(f"-{n}" for n in range(2, 9))), contents, strict=False)
        )
        kept = replace(first, more=tuple(more), flags=flags)
        self.kept[claim.attempt_pk] = kept
        return kept

    async def find(self, claim: Claim) -> Kept | None:
        if self.trouble:
            raise LocalTrouble(message("exports.gone"))
        return self.kept.get(claim.attempt_pk)

    async def named(self, claim: Claim) -> Kept | None:
        return self.named_.get(claim.attempt_pk)

    async def settled(self, claim: Claim) -> None:
        self.settled_.append(claim.attempt_pk)

    async def attach(self, out_dir: str, stem: str, source: Path) -> Kept:
        raise NotImplementedError


class FakeSecrets:
    """Keys in a dict."""

    def __init__(self) -> None:
        self.keys = {"fal": "secret"}

    async def get(self, connection: str) -> str | None:
        return self.keys.get(connection)

    async def set(self, connection: str, secret: str) -> bool:
        self.keys[connection] = secret
        return True

    async def delete(self, connection: str) -> None:
        self.keys.pop(connection, None)

    async def available(self) -> Message | None:
        return None


class FakeAwake:
    """Counts holds."""

    def __init__(self) -> None:
        self.held = 0
        self.holds = 0

    def hold(self) -> None:
        self.held += 1
        self.holds += 1

    def release(self) -> None:
        self.held -= 1


def failure(kind: FailureClass, code: str = "x", **more: Any) -> ProviderFailure:
    """A classified failure, ready to raise. ``after_s`` is the provider's wait."""
    after_s = more.pop("after_s", None)
    concurrency, spare = more.pop("concurrency", False), more.pop("spare", False)
    wait = WaitHint(seconds=after_s, concurrency=concurrency, spare=spare)
    return ProviderFailure(
        Failure(kind, code, message("providers.said", what=code), wait=wait, **more)
    )


def answers(latency_s: float = 1.0) -> Script:
    """A server that always answers."""

    async def script(call: Call, nth: int) -> Answer:
        await asyncio.sleep(latency_s)
        return Answer((PICTURE,))

    return script


def fails(kind: FailureClass, code: str = "x", latency_s: float = 0.1, **more: Any) -> Script:
    """A server that always fails alike."""

    async def script(call: Call, nth: int) -> Answer:
        await asyncio.sleep(latency_s)
        raise failure(kind, code, **more)

    return script
