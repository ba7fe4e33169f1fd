"""Every room built once: the only place that knows which part needs which."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from desktop_app.alerts.freedesktop import FreedesktopNotices
from desktop_app.domain.bus import Bus
from desktop_app.domain.clock import SystemClock
from desktop_app.domain.text import Translator
from desktop_app.services.alerts import Alerts
from desktop_app.services.batch_priority import Priorities
from desktop_app.services.bundle import Services
from desktop_app.services.callbacks import Callbacks
from desktop_app.services.connections import Connections
from desktop_app.services.export_batch import ExportBatch, Language
from desktop_app.services.notices import Notices
from desktop_app.services.preferences import Preferences
from desktop_app.services.queries import Queries
from desktop_app.services.run_control import RunControl
from desktop_app.settings.awake import SystemAwake
from desktop_app.settings.language import pick
from desktop_app.settings.logs import Redactor
from desktop_app.settings.paths import Paths, resources_dir
from desktop_app.settings.schema import SettingsFile
from desktop_app.settings.secrets import KeyringSecrets
from desktop_app.store.store import Store
from desktop_app.wiring import later
from desktop_app.wiring.callbacks_later import CallbacksLater
from desktop_app.wiring.engine_later import EngineLater
from desktop_app.wiring.house import House
from desktop_app.wiring.options import HouseOptions, locale_dir
from desktop_app.wiring.practice import PracticeChild, SecretsWithPractice
from desktop_app.wiring.support import support_bundle

if TYPE_CHECKING:
    from desktop_app.engine.engine import Engine
    from desktop_app.services.dead_letters import DeadLetters
    from desktop_app.services.failure_sheets import FailureSheets
    from desktop_app.services.import_batch import ImportBatch
    from desktop_app.services.obey_commands import ObeyCommands

SAMPLE = "sample_prompts.csv"
PROVIDERS = "providers"


def build(
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
    """Make every room and hand each what it needs. Nothing is read or begun here."""
    clock = SystemClock()
    provider_files = later.later(
        lambda: later.provider_files(resources_dir() / PROVIDERS, where.providers)
    )
    adapters = later.later(lambda: later.adapters(clock, provider_files))
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
    tasks = later.later(lambda: store.engine)
    sheets, drafter = later.later(later.sheets), later.later(later.drafter)
    language = Language(
        Translator(pick(options.language or settings.get("language")), locale_dir())
    )

    async def pump() -> None:
        await obey.pump()

    def make_engine() -> Engine:
        from desktop_app.engine.engine import Engine

        made = Engine(
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
            addresses=listener,
        )
        # A window can be used before its engine is started.
        if options.window or not store.is_checked:
            made.hold()
        return made

    engine = EngineLater(make_engine, lambda: import_module("desktop_app.engine.engine"))
    listener = CallbacksLater(lambda: later.callback_listener(engine, secrets, clock))
    connections = Connections(
        store=store.connections,
        secrets=secrets,
        adapters=adapters,
        engine=engine,
        bus=bus,
        start_practice=practice.start,
        provider_files=provider_files,
    )
    runs = RunControl(
        engine=engine,
        store=tasks,
        pages=store.pages,
        connections=connections,
        clock=clock,
        bus=bus,
        notices=notices,
    )
    priorities, queries = Priorities(store=tasks, engine=engine, bus=bus), Queries(store.pages)
    callbacks = Callbacks(
        listener=listener,
        preferences=preferences,
        notices=notices,
        connections=store.connections,
        adapters=adapters,
        secrets=secrets,
        engine=engine,
        place=options.callbacks,
    )

    def make_dead_letters() -> DeadLetters:
        from desktop_app.services.dead_letters import DeadLetters

        return DeadLetters(
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
            addresses=later.later(lambda: later.addresses(clock)),
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

    sheets_asked: list[Callable[[list[str], str], None]] = []

    def ask_about(sheets: list[str], leave: str) -> bool:
        for ask in sheets_asked:
            ask(sheets, leave)
        return bool(sheets_asked)

    def make_obey() -> ObeyCommands:
        from desktop_app.services.obey_commands import ObeyCommands

        return ObeyCommands(
            commands=store.commands,
            runs=runs,
            priorities=priorities,
            dead_letters=dead_letters,
            failure_sheets=failure_sheets,
            queries=queries,
            connection_changed=engine.connection_changed,
            ask_about=ask_about,
        )

    def warm_up() -> None:
        import_module("desktop_app.services.obey_commands")
        # ctypes alone takes longer than the first row may wait for it.
        import_module("desktop_app.settings.memory").give_back_early()
        adapters.warm_up()

    dead_letters = later.later(make_dead_letters)
    imports, failure_sheets = later.later(make_imports), later.later(make_failure_sheets)
    obey = later.later(make_obey)
    services = Services(
        bus=bus,
        imports=imports,
        runs=runs,
        priorities=priorities,
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
        callbacks=callbacks,
        updates=later.later(later.updates),
    )
    alerts = Alerts(pages=store.pages, engine=engine, preferences=preferences, clock=clock, bus=bus)
    return House(
        services=services,
        engine=engine,
        obey=obey,
        sheets_asked=sheets_asked,
        commands=later.later(lambda: store.commands),
        store=tasks,
        clock=clock,
        paths=where,
        locale_dir=locale_dir(),
        resources_dir=resources_dir(),
        alone=alone,
        alerts=alerts,
        store_is_checked=lambda: store.is_checked,
        warm_up=warm_up,
    )
