"""The whole house for one process, opened in order and closed in reverse."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path

from desktop_app.domain.bus import Bus
from desktop_app.domain.events import BatchChanged, TasksChanged
from desktop_app.domain.text import message
from desktop_app.services.manifest import Manifest
from desktop_app.services.notices import Notices
from desktop_app.settings.boot import boot_id
from desktop_app.settings.crash_output import watch_crashes
from desktop_app.settings.fault_log import keep_faults
from desktop_app.settings.fault_reports import earlier_faults
from desktop_app.settings.instance_lock import InstanceLock
from desktop_app.settings.logs import Redactor, start_logs
from desktop_app.settings.paths import paths
from desktop_app.settings.schema import SettingsFile
from desktop_app.settings.secrets import KeyringSecrets
from desktop_app.store.store import Store, open_store
from desktop_app.wiring import later
from desktop_app.wiring.building import build
from desktop_app.wiring.copies import daily_copies
from desktop_app.wiring.faults import faults_logged
from desktop_app.wiring.house import House
from desktop_app.wiring.options import FolderInUse, HouseOptions
from desktop_app.wiring.practice import PracticeChild


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
        stack.callback(keep_faults(where.logs, redactor))
        stack.enter_context(faults_logged())
        lock = InstanceLock(where.lock)
        alone = not shared and lock.acquire()
        stack.callback(lock.release)
        # Only a window can offer to show it.
        report = earlier_faults(where.logs, redactor) if alone and options.window else None
        stack.callback(watch_crashes(where.logs))
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
        if report is not None:
            at = datetime.fromtimestamp(report.at).strftime("%Y-%m-%d %H:%M")  # noqa: DTZ006
            notices.offer_report(at, str(report.file), went_down=report.went_down)
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
        house = build(
            options, where, store, settings, keyring, practice, bus, notices, redactor, alone
        )
        house._prepared = prepared
        stack.push_async_callback(house.services.desktop.close)
        if alone:
            manifest = Manifest(
                store=later.later(lambda: store.landed),
                lists=later.later(later.result_lists),
                pages=store.pages,
                bus=bus,
                clock=house.clock,
            )
            if options.window:  # it looks through all batches, and rows are to be shown first
                house.begin_lists = manifest.begin
            else:
                manifest.begin()
            stack.push_async_callback(manifest.stop)
        house.alerts.begin()
        stack.push_async_callback(house.alerts.stop)
        stack.push_async_callback(house.stop_engine)
        yield house


async def _prepare(store: Store) -> None:
    """Put away what is of a process that is gone. Asked for at once, so that it comes before all
    that this one writes. Raises StoreDamaged."""
    done = asyncio.gather(store.discard_unsealed(), _void(store), return_exceptions=True)
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


async def _void(store: Store) -> None:
    """Commands left for an instance that is gone must not surprise this one."""
    if not await store.is_commanded():
        return
    for command in await store.commands.take():
        said = message("services.not_obeyed")
        await store.commands.answer(command.id, {"ok": False, "error": said.dump()})


def _waits(notices: Notices) -> Callable[[bool], None]:
    """The password store shows a dialog: say so as long as it does."""

    def hear(waiting: bool) -> None:
        if waiting:
            notices.show("keyring", "warning", message("settings.store_waiting"))
        else:
            notices.drop("keyring")

    return hear
