"""A stand-in for the desktop's notification service: tells its bus calls, clicks when told to.

One JSON line a call on standard output (``{"call": "Notify", "args": [...], "signature": ...}``),
after a first line once the name is owned. A line ``click ID`` on standard input acts as a person.
"""

from __future__ import annotations

import json
import sys
import threading

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"
EXPECTED = "susssasa{sv}i"


def tell(**what: object) -> None:
    """One line to whoever listens."""
    print(json.dumps(what, ensure_ascii=False), flush=True)


def main() -> None:
    """Serve until the bus goes."""
    connection = open_dbus_connection("SESSION")
    connection.send_and_get_reply(message_bus.RequestName(NAME))
    address = DBusAddress("/org/freedesktop/Notifications", NAME, NAME)
    tell(call="ready")

    def act() -> None:
        for line in sys.stdin:
            number = int(line.removeprefix("click"))
            token = f"token-{number}"
            connection.send(new_signal(address, "ActivationToken", "us", (number, token)))
            connection.send(new_signal(address, "ActionInvoked", "us", (number, "default")))
            connection.send(new_signal(address, "NotificationClosed", "uu", (number, 2)))

    threading.Thread(target=act, daemon=True).start()
    given = 0
    while True:
        try:
            asked = connection.receive()
        except (ConnectionError, EOFError):
            return
        if asked.header.message_type is not MessageType.method_call:
            continue
        fields = asked.header.fields
        call, signature = fields.get(HeaderFields.member), fields.get(HeaderFields.signature, "")
        tell(call=call, args=list(asked.body), signature=signature)
        if call == "Notify" and signature != EXPECTED:
            name = "org.freedesktop.DBus.Error.InvalidArgs"
            connection.send(new_error(asked, name, "s", (f"{signature} is not {EXPECTED}",)))
        elif call == "Notify":
            replaces = int(asked.body[1])
            given += not replaces
            connection.send(new_method_return(asked, "u", (replaces or given,)))
        elif call == "GetCapabilities":
            connection.send(new_method_return(asked, "as", (["body", "body-markup", "actions"],)))
        elif call == "CloseNotification":
            connection.send(new_method_return(asked))


main()
