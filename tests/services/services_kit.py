"""The services on a real store and real sheets; provider, keyring and engine are stand-ins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from desktop_app.domain.attempt import Billed, Claim, Completion, Kept, Outcome
from desktop_app.domain.batch import RunState, SheetMapping
from desktop_app.domain.bus import Bus
from desktop_app.domain.connection import Connection, Limits
from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.events import Event
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import AddressNews, Capabilities, Param, Preset, TestReport
from desktop_app.domain.task import TaskState
from desktop_app.domain.text import Message, OperatorError, Translator, message
from desktop_app.domain.views import AccountState, Banner, TaskFilter
from desktop_app.exports.result_file import ResultKeeper
from desktop_app.exports.sheets import SheetFiles
from desktop_app.ingest.drafter import RowDrafter
from desktop_app.ingest.own_sheet import may_hold
from desktop_app.ingest.sheet import SheetReader
from desktop_app.providers.job_file.shelf import JobFiles
from desktop_app.services.batch_priority import Priorities
from desktop_app.services.connections import Connections
from desktop_app.services.dead_letters import DeadLetters
from desktop_app.services.export_batch import ExportBatch, Language
from desktop_app.services.failure_sheets import FailureSheets
from desktop_app.services.import_batch import ImportBatch, ImportPlan
from desktop_app.services.notices import Notices
from desktop_app.services.obey_commands import ObeyCommands
from desktop_app.services.practice_lines import PracticeServer
from desktop_app.services.preferences import Preferences
from desktop_app.services.queries import Queries
from desktop_app.services.run_control import RunControl
from desktop_app.store.store import Store

PICTURES = Capabilities("picture", 600.0, params=(Param("size", "text"),))
OF_TEXTS = (PriceUnit.CALL, PriceUnit.KTOKENS, PriceUnit.MTOKENS)
TEXTS = Capabilities("text", 300.0, price_units=OF_TEXTS)


class StillClock:
    def __init__(self) -> None:
        self.at = 1_800_000_000.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds


class OneAdapter:
    capabilities = PICTURES

    def __init__(self, adapters: OneAdapters, secret: str | None) -> None:
        self._adapters = adapters
        self._secret = secret

    async def test(self) -> TestReport:
        self._adapters.tested.append(self._secret)
        return TestReport(True, (message("text.plain", text="fine"),), 0.1)

    def body_preview(self, request: Any) -> Mapping[str, Any]:
        return {"prompt": request.prompt, **request.params}

    async def close(self) -> None:
        self._adapters.closed += 1


class OneAdapters:
    def __init__(self) -> None:
        self.tested: list[str | None] = []
        self.closed = 0

    def names(self) -> tuple[str, ...]:
        return ("pictures", "texts")

    def prepared(self, connection: Connection) -> Connection:
        return connection

    def capabilities(self, adapter: str, connection: Connection | None = None) -> Capabilities:
        return TEXTS if adapter == "texts" else PICTURES

    def presets(self) -> tuple[Preset, ...]:
        return (Preset("shop", "Shop", "pictures", "https://shop.example/v1", ("m",)),)

    def open(self, connection: Connection, secret: str | None) -> Any:
        return OneAdapter(self, secret)


class Keys:
    """``stored`` False is a computer without a password store; ``locked`` raises."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.stored = True
        self.locked = False

    async def get(self, connection: str) -> str | None:
        if self.locked:
            raise OperatorError(message("settings.store_locked"))
        return self.kept.get(connection)

    async def set(self, connection: str, secret: str) -> bool:
        self.kept[connection] = secret
        return self.stored

    async def delete(self, connection: str) -> None:
        self.kept.pop(connection, None)

    async def available(self) -> Message | None:
        return None if self.stored else message("settings.no_store")


@dataclass
class Levers:
    """An engine that notes what it is told. Resume and pause reach the store, as they should."""

    store: Store
    told: list[tuple[Any, ...]] = field(default_factory=list)
    states: dict[int, tuple[str, Message | None]] = field(default_factory=dict)
    works: bool = True
    said: Message | None = None
    rates_: dict[str, Any] = field(default_factory=dict)
    oldest: float | None = None

    async def start(self) -> None:
        self.told.append(("start",))

    async def stop(self) -> None:
        self.told.append(("stop",))

    async def resume(self, batch_id: int) -> None:
        self.told.append(("resume", batch_id))
        await self.store.engine.set_run_state(batch_id, RunState.RUNNING)

    async def pause(
        self, batch_id: int, *, now: bool = False, reason: Message | None = None
    ) -> None:
        self.told.append(("pause", batch_id, now))
        await self.store.engine.set_run_state(batch_id, RunState.PAUSED, reason)

    async def cancel(self, which: TaskFilter) -> int:
        self.told.append(("cancel", which.batch_id))
        return await self.store.actions.cancel(which, 1_800_000_000.0)

    async def ask(self, task_pk: int) -> bool:
        self.told.append(("ask", task_pk))
        return self.works

    async def drain(self, timeout_s: float | None) -> int:
        self.told.append(("drain", timeout_s))
        return 2

    def wake(self) -> None:
        self.told.append(("wake",))

    async def look_again(self) -> None:
        self.told.append(("look_again",))

    async def retry_account(self, connection_id: int) -> bool:
        self.told.append(("retry", connection_id))
        return self.works

    async def connection_changed(self, connection_id: int) -> None:
        self.told.append(("changed", connection_id))

    def in_flight(self, batch_id: int | None = None) -> int:
        return 3

    def oldest_s(self, batch_id: int | None = None) -> float | None:
        return self.oldest

    def account_states(self) -> Mapping[int, tuple[str, Message | None]]:
        return self.states

    def rates(self) -> Mapping[str, Any]:
        return self.rates_

    def banners(self) -> tuple[Banner, ...]:
        return ()

    def trouble(self) -> Message | None:
        return self.said


class Addresses:
    """Knows no address but what ``news`` says."""

    def __init__(self) -> None:
        self.news = AddressNews()
        self.asked: list[tuple[str, ...]] = []

    async def look(
        self, connection: Connection, mimes: Sequence[str], urls: Sequence[str]
    ) -> AddressNews:
        self.asked.append(tuple(urls))
        return self.news


class Choices:
    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    def set(self, key: str, value: Any) -> None:
        self.values[key] = value


class Kit:
    """Everything a test of a service needs, on one store."""

    def __init__(self, store: Store, folder: Path, clock: StillClock) -> None:
        self.store, self.folder, self.clock = store, folder, clock
        self.bus, self.events = Bus(), list[Event]()
        self.bus.subscribe(self.events.append)
        self.adapters, self.keys, self.choices = OneAdapters(), Keys(), Choices()
        self.addresses = Addresses()
        self.engine = Levers(store)
        self.notices = Notices(self.bus)
        self.practice_starts = 0
        self.files = ResultKeeper(clock, min_free_bytes=0)
        preferences = Preferences(
            self.choices,
            pictures=folder / "Pictures",
            thumbnails=folder / "thumbnails",
            sample=folder / "sample.csv",
        )
        self.connections = Connections(
            store=store.connections,
            secrets=self.keys,
            adapters=self.adapters,
            engine=self.engine,
            bus=self.bus,
            start_practice=self._start_practice,
            provider_files=JobFiles(own=folder / "providers"),
        )
        self.runs = RunControl(
            engine=self.engine,
            store=store.engine,
            pages=store.pages,
            connections=self.connections,
            clock=clock,
            bus=self.bus,
            notices=self.notices,
        )
        self.priorities = Priorities(store=store.engine, engine=self.engine, bus=self.bus)
        self.queries = Queries(store.pages)
        self.dead = DeadLetters(
            actions=store.actions,
            pages=store.pages,
            files=self.files,
            connections=store.connections,
            adapters=self.adapters,
            clock=clock,
            wake=self.engine.wake,
            ask=self.engine.ask,
        )
        self.imports = ImportBatch(
            sheets=SheetReader(),
            drafter=RowDrafter(),
            store=store.imports,
            connections=store.connections,
            adapters=self.adapters,
            addresses=self.addresses,
            preferences=preferences,
            clock=clock,
            bus=self.bus,
            copies=folder / "copies",
        )
        self.returned = FailureSheets(
            imports=self.imports,
            sheets=SheetReader(),
            drafter=RowDrafter(),
            store=store.returned,
            pages=store.pages,
            connections=store.connections,
            adapters=self.adapters,
            dead_letters=self.dead,
            clock=clock,
            wake=self.engine.wake,
            may_be=may_hold,
        )
        self.exports = ExportBatch(store.pages, SheetFiles(), Language(Translator()))
        self.obey = ObeyCommands(
            commands=store.commands,
            runs=self.runs,
            priorities=self.priorities,
            dead_letters=self.dead,
            failure_sheets=self.returned,
            queries=self.queries,
            connection_changed=self.engine.connection_changed,
        )

    async def _start_practice(self) -> PracticeServer:
        self.practice_starts += 1
        return PracticeServer("http://127.0.0.1:9/v1", "practice-key", "practice", Limits(4))

    async def connect(self, name: str = "shop", **changes: Any) -> Connection:
        values = {
            "adapter": "pictures",
            "base_url": "https://shop.example/v1",
            "model": "m",
            "price": Price(Decimal("0.04"), PriceUnit.IMAGE, "USD"),
            **changes,
        }
        return await self.connections.save(Connection(name=name, **values))

    def sheet(self, prompts: Sequence[str], name: str = "shoes.csv") -> Path:
        path = self.folder / name
        lines = ["sku,prompt", *(f"K{n},{p}" for n, p in enumerate(prompts, 1))]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    async def plan(self, source: Path, connection: Connection, **changes: Any) -> ImportPlan:
        info = await self.imports.open(source)
        mapping = SheetMapping(prompt_column="prompt", key_column="sku")
        values = {"out_dir": str(self.folder / "out"), **changes}
        return ImportPlan(info=info, mapping=mapping, connection_id=connection.id, **values)

    async def batch(self, prompts: Sequence[str] | int = 3, **changes: Any) -> int:
        """An imported batch on the connection ``shop``; a number stands for that many rows."""
        if isinstance(prompts, int):
            prompts = [f"prompt {n}" for n in range(prompts)]
        connection = await self.connections.by_name("shop") or await self.connect()
        return await self.imports.run(await self.plan(self.sheet(prompts), connection, **changes))

    async def claim(self, batch_id: int, most: int = 100) -> list[Claim]:
        await self.store.engine.set_run_state(batch_id, RunState.RUNNING)
        return await self.store.engine.claim(batch_id, most, self.clock.now())

    async def end(
        self, claim: Claim, to: TaskState, code: str = "x", kind: FailureClass | None = None
    ) -> None:
        """End an attempt as the engine would."""
        kept = Kept(f"{claim.file_stem}.png", 9, "image/png") if to is TaskState.SUCCESS else None
        kind = kind or (
            FailureClass.UNKNOWN if to is TaskState.UNCERTAIN else FailureClass.TRANSIENT
        )
        await self.store.engine.finish(
            Completion(
                task_pk=claim.task_pk,
                rev=claim.rev,
                attempt_pk=claim.attempt_pk,
                to=to,
                outcome=Outcome.SUCCESS if kept else Outcome(kind.value),
                ended_at=self.clock.now(),
                failure=None if kept else Failure(kind, code, message("text.plain", text=code)),
                kept=kept,
                billed=Billed.YES if kept else Billed.MAYBE,
            )
        )

    async def state(self, task_pk: int) -> TaskState:
        (row,) = await self.queries.rows([task_pk])
        return row.state


def stands(word: AccountState, code: str = "engine.offline") -> tuple[str, Message]:
    return word.value, message(code)


def holds(folder: Path, text: bytes) -> bool:
    """Whether any file below the folder holds these bytes."""
    return any(text in file.read_bytes() for file in folder.rglob("*") if file.is_file())


def exists(path: str | Path) -> bool:
    return Path(path).exists()
