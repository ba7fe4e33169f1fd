"""Linux desktops show notifications through one D-Bus service, which can replace what it shows."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

APP = "Batchwright"
NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
ANSWER_S = 3.0  # a notification service that hangs must not hold anything up
SIGNALS = 64

_log = logging.getLogger(__name__)


class FreedesktopNotices:
    """``ports.DesktopNotices`` over the session bus; connects with the first one to show."""

    def __init__(self, icon: Path | None = None) -> None:
        self._icon = "" if icon is None else str(icon)
        self._told: Callable[[str, str], None] = lambda _tag, _token: None
        self._shown: dict[str, int] = {}
        self._tokens: dict[int, str] = {}
        self._markup = False
        self._router: Any = None
        self._listener: asyncio.Task[None] | None = None
        self._open = contextlib.AsyncExitStack()
        self._one = asyncio.Lock()

    def on_click(self, told: Callable[[str, str], None]) -> None:
        """See the port."""
        self._told = told

    async def show(self, tag: str, title: str, body: str, action: str) -> bool:
        """See the port."""
        if not sys.platform.startswith("linux"):
            return False
        async with self._one:
            try:
                async with asyncio.timeout(ANSWER_S):
                    if self._listener is None or self._listener.done():
                        await self._disconnect()
                        await self._connect()
                    await self._notify(tag, title, body, action)
            except Exception as error:
                # A session without a bus or without such a service is nothing to complain about.
                _log.info("no desktop notification: %s", type(error).__name__)
                await self._disconnect()
                return False
        return True

    async def withdraw(self) -> None:
        """See the port."""
        async with self._one:
            shown, self._shown = self._shown, {}
            with contextlib.suppress(Exception):
                async with asyncio.timeout(ANSWER_S):
                    for number in shown.values():
                        await self._call("CloseNotification", "u", (number,))

    async def close(self) -> None:
        """Let go of the bus."""
        async with self._one:
            await self._disconnect()

    async def _connect(self) -> None:
        from jeepney import MatchRule
        from jeepney.bus_messages import message_bus
        from jeepney.io.asyncio import DBusRouter, open_dbus_connection

        bus = await open_dbus_connection("SESSION")
        self._open.push_async_callback(bus.close)
        self._router = await self._open.enter_async_context(DBusRouter(bus))
        rule = MatchRule(type="signal", interface=NAME, path=PATH)
        await self._router.send_and_get_reply(message_bus.AddMatch(rule))
        signals: asyncio.Queue[Any] = asyncio.Queue(SIGNALS)
        self._open.enter_context(self._router.filter(rule, queue=signals))
        self._listener = asyncio.get_running_loop().create_task(self._listen(signals))
        (abilities,) = await self._call("GetCapabilities")
        self._markup = "body-markup" in abilities

    async def _disconnect(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listener
        stack, self._open = self._open, contextlib.AsyncExitStack()
        self._router = None
        self._shown.clear()
        self._tokens.clear()
        with contextlib.suppress(Exception):
            await stack.aclose()

    async def _notify(self, tag: str, title: str, body: str, action: str) -> None:
        import html  # brings a table of two thousand names, which a start need not wait for

        hints = {"desktop-entry": ("s", APP.lower()), "urgency": ("y", 1)}
        text = html.escape(body, quote=False) if self._markup else body
        number = self._shown.get(tag, 0)
        values = (APP, number, self._icon, title, text, ["default", action], hints, -1)
        (self._shown[tag],) = await self._call("Notify", "susssasa{sv}i", values)

    async def _call(self, member: str, signature: str = "", body: tuple[Any, ...] = ()) -> Any:
        from jeepney import DBusAddress, new_method_call
        from jeepney.wrappers import unwrap_msg

        if self._router is None:
            raise ConnectionError
        call = new_method_call(DBusAddress(PATH, NAME, NAME), member, signature or None, body)
        return unwrap_msg(await self._router.send_and_get_reply(call))

    async def _listen(self, signals: asyncio.Queue[Any]) -> None:
        from jeepney import HeaderFields

        while True:
            heard = await signals.get()
            member, number = heard.header.fields[HeaderFields.member], heard.body[0]
            tag = next((tag for tag, shown in self._shown.items() if shown == number), None)
            if tag is None:
                continue
            if member == "ActivationToken":
                self._tokens[number] = heard.body[1]
            elif member == "ActionInvoked":
                # A click ends it, though its end may be told a moment later.
                del self._shown[tag]
                self._told(tag, self._tokens.pop(number, ""))
            elif member == "NotificationClosed":
                self._tokens.pop(number, None)
                del self._shown[tag]
