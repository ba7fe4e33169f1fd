"""Where a call goes, as a provider file says it. A handed-out address is looked at when it comes;
one that is written here is looked at now."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from desktop_app.providers.http.key_hosts import names
from desktop_app.providers.job_file.model import Target
from desktop_app.providers.job_file.table import Table
from desktop_app.providers.job_file.template import Template

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")

_WRITTEN = re.compile(r"https?://[^/?#{}]+(?=[/?#]|$)")


@dataclass(frozen=True, slots=True)
class Home:
    """The provider's own address, the other hosts that may have its key, and the key's header."""

    base_url: str
    key_hosts: Sequence[str]
    key_header: str

    def knows(self, host: str) -> bool:
        """Whether the key may go to this host (with or without a port)."""
        own = urlsplit(self.base_url).netloc.lower()
        return host.lower() == own or any(names(host, one) for one in self.key_hosts)


def target_of(
    table: Table,
    known: Collection[str],
    home: Home,
    *,
    method: str = "GET",
    needed: bool = True,
    asks: bool = True,
) -> Target | None:
    """``method``, ``path``, ``url``, ``query`` and, of a call that ``asks``, ``body`` of this
    table; None where neither path nor url is there."""
    verb = table.choice("method", METHODS, method)
    path = table.line("path", known)
    url = table.line("url", known)
    query = table.lines("query", known)
    body = table.template("body", known) if asks else None
    if body is not None and body.pattern and verb == "GET":
        table.wrong("body", "get_body", key=_key(table, "body"))
    if path is not None and not str(path.pattern).startswith("/"):
        table.wrong("path", "not_a_path", key=_key(table, "path"), value=path.pattern)
    if url is not None:
        _look_at(url, table, home)
    if path is None and url is None:
        if needed:
            table.mistakes.add(table.place, "no_target", key=_key(table))
        return None
    return Target(verb, path, url, query, body if body is not None and body.pattern else None)


def _look_at(url: Template, table: Table, home: Home) -> None:
    text = str(url.pattern)
    if text.startswith("{") and text == f"{{{next(iter(url.fields), '')}}}":
        return  # an answer hands it out
    written = _WRITTEN.match(text)
    if written is None:
        table.wrong("url", "bad_address", key=_key(table, "url"), value=text)
        return
    host = urlsplit(written[0]).netloc
    if not home.knows(host):
        table.wrong("url", "foreign_host", key=_key(table, "url"), host=host)


def _key(table: Table, *more: str) -> str:
    steps = (*table.place, *more)
    return ".".join(str(step) for step in steps if isinstance(step, str))
