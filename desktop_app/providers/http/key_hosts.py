"""Where the key may go: to the connection's own host, and to those that are named beforehand; what
an answer says about it counts for nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from desktop_app.domain.connection import Connection
from desktop_app.providers.http.proxies import is_loopback

_PLAIN = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(?![^/?#])", re.ASCII)
_PATTERN = re.compile(
    r"(?:(\*\.)?((?:[a-z0-9-]+\.)*[a-z0-9-]+)|(\[[0-9a-f:.]+\]))(?::(\d{1,5}))?", re.ASCII
)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class _Place:
    scheme: str
    host: str
    port: int


def may_have_key(url: str, connection: Connection, named: Sequence[str] = ()) -> bool:
    """Whether a call to ``url`` may carry the connection's key: to its own scheme, host and port,
    or to a host among ``named`` (``api.example.com``, ``*.example.com``, each with a port or
    without), encrypted unless it is this machine."""
    own = urlsplit(connection.base_url)
    try:
        asked = urlsplit(url)
        if asked.scheme == own.scheme and asked.netloc.lower() == connection.host:
            return True
    except ValueError:
        return False
    place = _place(url)
    if place is None:
        return False
    if place == _place(f"{own.scheme}://{connection.host}"):
        return True
    if place.scheme != "https" and not is_loopback(place.host):
        return False
    return any(_fits(place, pattern) for pattern in named)


def is_host_pattern(text: str) -> bool:
    """Whether ``text`` can be named: a host, or all those below a domain that is no whole top
    level (``*.com``)."""
    found = _PATTERN.fullmatch(text)
    return found is not None and not (found[1] and "." not in found[2])


def names(host: str, pattern: str) -> bool:
    """Whether a host (with or without a port) is one of those that ``pattern`` names."""
    place = _place(f"https://{host.lower()}")
    return place is not None and _fits(place, pattern)


def _place(url: str) -> _Place | None:
    """Only of an address that everybody reads alike: no user, no letters from other scripts."""
    found = _PLAIN.match(url.lower())
    if found is None:
        return None
    return _Place(found[1], found[2].rstrip("."), int(found[3] or _PORTS[found[1]]))


def _fits(place: _Place, pattern: str) -> bool:
    found = _PATTERN.fullmatch(pattern.lower())
    if found is None:
        return False
    below, domain, address, port = found.groups()
    if place.port != int(port or _PORTS[place.scheme]):
        return False
    if address:
        return place.host == address
    return place.host.endswith(f".{domain}") if below else place.host == domain
