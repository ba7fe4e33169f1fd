"""A port for a program that has to be told one, which nobody takes before it listens."""

from __future__ import annotations

import random
import socket

# Below what any system gives to those who ask for any port: what runs beside takes none of them.
_LOWEST, _END = 20_000, 32_768


def free_port() -> int:
    """One on loopback that nothing listens on."""
    for port in random.SystemRandom().sample(range(_LOWEST, _END), 100):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
    raise OSError("no port is free")
