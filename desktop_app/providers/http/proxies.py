"""Which proxy a URL goes through: loopback never, else as the connection says."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from desktop_app.domain.connection import LOOPBACK


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    name = host.strip("[]").rstrip(".").lower()
    if name in LOOPBACK or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def proxy_for(url: str, setting: str) -> str | None:
    """The proxy URL for ``url`` under ``setting`` (``system``, ``none`` or a URL), or None.

    May block: the system's settings are read from the registry or the network configuration.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if setting == "none" or is_loopback(host):
        return None
    if setting != "system":
        return _with_scheme(setting)
    if proxy_bypass(host):
        return None
    known = getproxies()
    found = known.get(parts.scheme) or known.get("all")
    if found:
        return _with_scheme(found)
    socks = known.get("socks")
    return f"socks5://{socks.rpartition('://')[2]}" if socks else None


def proxy_label(proxy: str | None) -> str | None:
    """The proxy as it may be shown: no user, no password."""
    if proxy is None:
        return None
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def proxy_password(proxy: str | None) -> str | None:
    """The password in a proxy URL, to be kept out of every text."""
    return urlsplit(proxy).password if proxy else None


def _with_scheme(proxy: str) -> str:
    if "://" not in proxy:
        return f"http://{proxy}"
    scheme, _, rest = proxy.partition("://")
    return f"socks5://{rest}" if scheme == "socks" else proxy
