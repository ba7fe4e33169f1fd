"""How a provider is told to call, and how its calls are known, as a provider file says it: what
would let anybody in is a mistake of the file."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from urllib.parse import urlsplit

from desktop_app.domain.ports import CallbackRule
from desktop_app.providers.http.proxies import is_loopback
from desktop_app.providers.job_file.model import Callback, Signature
from desktop_app.providers.job_file.table import Table
from desktop_app.providers.job_file.target_part import Home, target_of

_CALLED = ("callback_url", "callback_secret")


def callback_of(whole: Table, home: Home) -> Callback | None:
    """None where the provider can't call."""
    table = whole.table("callback")
    if not table.there:
        return None
    signature = table.choice("signature", list(Signature), Signature.NONE)
    is_public = signature == Signature.ED25519_JWKS
    rule = CallbackRule(
        signature=signature,
        header=table.text("header"),
        prefix=table.text("prefix"),
        encoding=table.choice("encoding", ("hex", "base64"), "hex"),
        tolerance_s=table.number("tolerance_s", 300.0, most=86_400) or 300.0,
        time_header=table.text("time_header"),
        signs=table.texts("signs") if is_public else (),
    )
    body, query = table.template("body", _CALLED), table.lines("query", _CALLED)
    fields = body.fields.union(*(one.fields for one in query.values()))
    if "callback_url" not in fields:
        table.mistakes.add(table.place, "missing", key="{callback_url}")
    job_id = table.path("job_id")
    if is_public:
        made = Callback(body, query, rule, job_id, keys_url=_keys_url(table))
        _look_at(table, made)
    else:
        made = _with_secret(table, home, Callback(body, query, rule, job_id), fields)
    table.close()
    return made


def _with_secret(table: Table, home: Home, made: Callback, fields: AbstractSet[str]) -> Callback:
    rule, source = made.rule, table.table("secret_from")
    entered = bool(table.flag("secret_entered", False))
    whole = replace(
        made,
        secret_from=target_of(source, (), home) if source.there else None,
        secret=source.path("value", needed=source.there),
        entered=entered,
    )
    source.close()
    if rule.signature == Signature.HMAC_SHA256 and not rule.header:
        _lacks(table, rule, "callback.header")
    has_secret = source.there or entered or "callback_secret" in fields
    if rule.signature != Signature.NONE and not has_secret:
        _lacks(table, rule, "{callback_secret} / callback.secret_from")
    return whole


def _keys_url(table: Table) -> str:
    """Over a line that anybody may write on, keys prove nothing."""
    url = table.text("keys_url")
    try:
        parts = urlsplit(url)
        host, scheme, _ = parts.hostname or "", parts.scheme, parts.port
        is_plain = not (parts.username or parts.password or set("{}#") & set(url))
    except ValueError:
        host, scheme, is_plain = "", "", False
    is_safe = scheme == "https" or (scheme == "http" and is_loopback(host))
    if url and not (host and is_safe and is_plain):
        table.wrong("keys_url", "bad_address", key="callback.keys_url", value=url)
    return url


def _look_at(table: Table, made: Callback) -> None:
    rule = made.rule
    wanted = {
        "keys_url": made.keys_url,
        "header": rule.header,
        "time_header": rule.time_header,
        "signs": rule.signs,
    }
    for key, value in wanted.items():
        if not value:
            _lacks(table, rule, f"callback.{key}")
    if rule.signs and rule.time_header and rule.time_header not in rule.signs:
        table.wrong("signs", "time_not_signed", key="callback.signs", header=rule.time_header)


def _lacks(table: Table, rule: CallbackRule, key: str) -> None:
    table.wrong("signature", "no_secret", signature=rule.signature, key=key)
