"""The whole house for one process: every room built once, opened in order and closed in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app.alerts.freedesktop import FreedesktopNotices
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import Clock, SystemClock
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.events import BatchChanged, TasksChanged
from desktop_app.domain.ports import CommandStore, EngineControl, EngineStore
from desktop_app.domain.text import Translator, message
from desktop_app.engine.engine import Engine
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.services.alerts import Alerts
from desktop_app.services.bundle import Services
from desktop_app.services.connections import Connections
from desktop_app.services.dead_letters import DeadLetters
from desktop_app.services.export_batch import ExportBatch, Language
from desktop_app.services.manifest import Manifest
from desktop_app.services.notices import Notices
from desktop_app.services.preferences import Preferences
from desktop_app.services.queries import Queries
from desktop_app.services.run_control import RunControl
from desktop_app.settings.awake import SystemAwake
from desktop_app.settings.boot import boot_id
from desktop_app.settings.crash_output import watch_crashes
from desktop_app.settings.instance_lock import InstanceLock
from desktop_app.settings.language import pick
from desktop_app.settings.logs import Redactor, start_logs
from desktop_app.settings.paths import Paths, paths, resources_dir
from desktop_app.settings.schema import SettingsFile
from desktop_app.settings.secrets import KeyringSecrets
from desktop_app.store.store import Store, open_store
from desktop_app.wiring import later
from desktop_app.wiring.copies import daily_copies
from desktop_app.wiring.faults import faults_logged
from desktop_app.wiring.options import FolderInUse, HouseOptions, locale_dir
from desktop_app.wiring.practice import PracticeChild, SecretsWithPractice
from desktop_app.wiring.support import support_bundle

if TYPE_CHECKING:
    from desktop_app.services.failure_sheets import FailureSheets
    from desktop_app.services.import_batch import ImportBatch
    from desktop_app.services.obey_commands import ObeyCommands

SAMPLE = "sample_prompts.csv"


@dataclass(slots=True)
class House:
    """What window and verbs are handed. ``alone`` is False beside a running instance, where
    only connections may be changed and the engine must not be started. ``warm_up`` imports what
    calls need, in any thread, so that the first call need not wait for it. A window is among
    ``sheets_asked``: it asks about the sheets that a second start was given."""

    services: Services
    engine: EngineControl
    obey: ObeyCommands
    commands: CommandStore
    store: EngineStore
    clock: Clock
    paths: Paths
    locale_dir: Path
    resources_dir: Path
    alone: bool
    alerts: Alerts
    store_is_checked: Callable[[], bool]
    warm_up: Callable[[], None]
    sheets_asked: list[Callable[[list[str]], None]] = field(default_factory=list)
    _prepared: asyncio.Future[None] | None = None
    _started: list[bool] = field(default_factory=list)

    @property
    def data_dir(self) -> Path:
        """The folder that holds all state."""
        return self.paths.data

    async def start_engine(self) -> None:
        """Settle what an earlier run left, then wait for resume. Nothing is sent before. Raises
        StoreDamaged where the look for damage was put off and finds some."""
        if not self.alone:
            raise FolderInUse
        if not self._started:
            if self._prepared is not None:
                await asyncio.shield(self._prepared)
            self._started.append(True)
            await self.engine.start()

    async def settle_orphans(self) -> None:
        """Settle what an earlier run left, for a verb that runs nothing."""
        if not self._started:
            await self.engine.settle()

    async def stop_engine(self) -> None:
        """End the engine by its rules, and close the lines that were opened even if it was never
        started."""
        await self.engine.stop()
        self._started.clear()
        if self.alone and self.store_is_checked():
            # What the next start would find anyway, so that readers meanwhile see the truth.
            with contextlib.suppress(LocalTrouble):
                await self.store.pause_all_unfinished(message("engine.restarted"))

    async def tell_others(self, connection_id: int) -> None:
        """A connection changed: let an instance that runs beside this one look at it again."""
        if not self.alone:
            await self.commands.post("connection", {"id": connection_id})


@contextlib.asynccontextmanager
async def open_house(options: HouseOptions, *, shared: bool = False) -> AsyncIterator[House]:
    """Open the data folder for work. Raises FolderInUse when another instance works on it,
    OperatorError when it can't be used. ``shared``: for connections alone, beside whoever works
    there and in nobody's way."""
    where = paths(options.data_dir)
    where.make()
    async with contextlib.AsyncExitStack() as stack:
        redactor = Redactor()
        stack.callback(start_logs(where.logs, redactor, stderr=sys.stderr))
        stack.callback(watch_crashes(where.logs))
        stack.enter_context(faults_logged())
        lock = InstanceLock(where.lock)
        alone = not shared and lock.acquire()
        stack.callback(lock.release)
        if not alone and not shared:
            raise FolderInUse
        bus = Bus()

        def publish(batch_id: int, pks: tuple[int, ...]) -> None:
            bus.publish(TasksChanged(batch_id, pks))
            if not pks:  # the batch itself may have changed, and any of its rows
                bus.publish(BatchChanged(batch_id))

        store = await open_store(
            where.database,
            boot_id=boot_id(),
            on_change=publish,
            check=alone,
            look_later=options.window,
        )
        prepared: asyncio.Future[None] | None = None
        if alone:
            prepared = asyncio.ensure_future(_prepare(store))
            stack.push_async_callback(_over, prepared)  # after the store is closed
        stack.push_async_callback(store.close)
        if prepared is not None:
            await asyncio.to_thread(_sweep, where.sheets)
            if store.is_checked:
                await prepared
            await stack.enter_async_context(daily_copies(store))
        settings = SettingsFile(where.settings)
        stack.callback(settings.close)
        notices = Notices(bus)
        if options.restored is not None:
            notices.show("restored", "warning", options.restored)
        if settings.damage is not None:
            notices.show("settings", "info", settings.damage)

        async def names() -> list[str]:
            return [connection.name for connection in await store.connections.all()]

        keyring = KeyringSecrets(
            environ={} if options.window else os.environ,
            names=names,
            on_secret=redactor.add,
            on_waiting=_waits(notices),
        )
        stack.callback(keyring.close)
        practice = PracticeChild(options.practice_config)
        stack.push_async_callback(practice.stop)
        house = _build(
            options, where, store, settings, keyring, practice, bus, notices, redactor, alone
        )
        house._prepared = prepared
        stack.push_async_callback(house.services.desktop.close)
        if alone:
            manifest = Manifest(
                store=store.landed,
                lists=later.later(later.result_lists),
                pages=store.pages,
                bus=bus,
                clock=house.clock,
            )
            manifest.begin()
            stack.push_async_callback(manifest.stop)
        house.alerts.begin()
        stack.push_async_callback(house.alerts.stop)
        stack.push_async_callback(house.stop_engine)
        yield house


async def _prepare(store: Store) -> None:
    """Put away what is of a process that is gone. Asked for at once, so that it comes before all
    that this one writes. Raises StoreDamaged."""
    done = asyncio.gather(
        store.imports.discard_unsealed(), _void(store.commands), return_exceptions=True
    )
    try:
        await store.checked()
    finally:
        faults = [fault for fault in await done if isinstance(fault, BaseException)]
    for fault in faults:
        raise fault


async def _over(prepared: asyncio.Future[None]) -> None:
    """Wait for it; what it raised was for whoever starts the engine."""
    await asyncio.wait({prepared})
    prepared.exception()


def _sweep(copies: Path) -> None:
    """Private copies of sheets that an import left when it was killed."""
    for copy in copies.glob("*"):
        with contextlib.suppress(OSError):
            copy.unlink()


async def _void(commands: CommandStore) -> None:
    """Commands left for an instance that is gone must not surprise this one."""
    for command in await commands.take():
        said = message("services.not_obeyed")
        await commands.answer(command.id, {"ok": False, "error": said.dump()})


def _waits(notices: Notices) -> Callable[[bool], None]:
    """The password store shows a dialog: say so as long as it does."""

    def hear(waiting: bool) -> None:
        if waiting:
            notices.show("keyring", "warning", message("settings.store_waiting"))
        else:
            notices.drop("keyring")

    return hear


def _build(
    options: HouseOptions,
    where: Paths,
    store: Store,
    settings: SettingsFile,
    keyring: KeyringSecrets,
    practice: PracticeChild,
    bus: Bus,
    notices: Notices,
    redactor: Redactor,
    alone: bool,
) -> House:
    clock = SystemClock()
    adapters = AdapterRegistry(clock)
    secrets = SecretsWithPractice(keyring)
    files = later.later(
        lambda: later.result_files(clock, lambda: options.embed or bool(settings.get("embed")))
    )
    preferences = Preferences(
        settings,
        pictures=where.pictures,
        thumbnails=where.thumbnails,
        sample=resources_dir() / SAMPLE,
    )
    sheets, drafter = later.later(later.sheets), later.later(later.drafter)
    language = Language(
        Translator(pick(options.language or settings.get("language")), locale_dir())
    )

    async def pump() -> None:
        await obey.pump()

    engine = Engine(
        store=store.engine,
        actions=store.actions,
        connections=store.connections,
        adapters=adapters,
        files=files,
        secrets=secrets,
        awake=SystemAwake(),
        clock=clock,
        bus=bus,
        pump=pump,
    )
    if not store.is_checked:
        engine.hold()
    connections = Connections(
        store=store.connections,
        secrets=secrets,
        adapters=adapters,
        engine=engine,
        bus=bus,
        start_practice=practice.start,
    )
    runs = RunControl(
        engine=engine,
        store=store.engine,
        pages=store.pages,
        connections=connections,
        clock=clock,
        bus=bus,
        notices=notices,
    )
    queries = Queries(store.pages)
    dead_letters = DeadLetters(
        actions=store.actions,
        pages=store.pages,
        files=files,
        connections=store.connections,
        adapters=adapters,
        clock=clock,
        wake=engine.wake,
        ask=engine.ask,
    )

    def make_imports() -> ImportBatch:
        from desktop_app.services.import_batch import ImportBatch

        return ImportBatch(
            sheets=sheets,
            drafter=drafter,
            store=store.imports,
            connections=store.connections,
            adapters=adapters,
            preferences=preferences,
            clock=clock,
            bus=bus,
            copies=where.sheets,
        )

    def make_failure_sheets() -> FailureSheets:
        from desktop_app.services.failure_sheets import FailureSheets

        return FailureSheets(
            imports=imports,
            sheets=sheets,
            drafter=drafter,
            store=store.returned,
            pages=store.pages,
            connections=store.connections,
            adapters=adapters,
            dead_letters=dead_letters,
            clock=clock,
            wake=engine.wake,
            may_be=later.may_hold,
        )

    sheets_asked: list[Callable[[list[str]], None]] = []

    def ask_about(sheets: list[str]) -> bool:
        for ask in sheets_asked:
            ask(sheets)
        return bool(sheets_asked)

    def make_obey() -> ObeyCommands:
        from desktop_app.services.obey_commands import ObeyCommands

        return ObeyCommands(
            commands=store.commands,
            runs=runs,
            dead_letters=dead_letters,
            failure_sheets=failure_sheets,
            queries=queries,
            connection_changed=engine.connection_changed,
            ask_about=ask_about,
        )

    def warm_up() -> None:
        # ctypes alone takes longer than the first row may wait for it.
        from desktop_app.settings.memory import give_back_early

        give_back_early()
        adapters.warm_up()

    imports, failure_sheets = later.later(make_imports), later.later(make_failure_sheets)
    obey = later.later(make_obey)
    services = Services(
        bus=bus,
        imports=imports,
        runs=runs,
        dead_letters=dead_letters,
        exports=ExportBatch(store.pages, later.later(later.sheet_files), language),
        failure_sheets=failure_sheets,
        connections=connections,
        queries=queries,
        preferences=preferences,
        language=language,
        support=later.later(lambda: support_bundle(where, redactor, language)),
        desktop=FreedesktopNotices(resources_dir() / "icons" / "app.svg"),
        mappings=later.later(lambda: later.mappings(where.mappings, preferences)),
    )
    alerts = Alerts(pages=store.pages, engine=engine, preferences=preferences, clock=clock, bus=bus)
    return House(
        services=services,
        engine=engine,
        obey=obey,
        sheets_asked=sheets_asked,
        commands=store.commands,
        store=store.engine,
        clock=clock,
        paths=where,
        locale_dir=locale_dir(),
        resources_dir=resources_dir(),
        alone=alone,
        alerts=alerts,
        store_is_checked=lambda: store.is_checked,
        warm_up=warm_up,
    )
