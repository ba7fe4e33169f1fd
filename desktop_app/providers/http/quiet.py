"""httpx and httpcore log requests and headers; their logs must never be a place for a key."""

from __future__ import annotations

import logging

LOGGERS = (
    "httpx",
    "httpcore",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
)


def silence() -> None:
    """Switch the HTTP libraries' loggers off, whatever level anybody sets later."""
    for name in LOGGERS:
        logging.getLogger(name).disabled = True
