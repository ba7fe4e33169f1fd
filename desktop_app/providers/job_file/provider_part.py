"""The parts of a provider file that say who it is and what it takes: they fill the connection's
dialog, also while other parts are still wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from desktop_app.domain.money import PriceUnit
from desktop_app.domain.ports import Param, Preset, ReferenceRule
from desktop_app.domain.references import FURTHER, REFERENCE
from desktop_app.domain.wording.providers import N_
from desktop_app.providers.http.key_hosts import is_host_pattern
from desktop_app.providers.http.proxies import is_loopback
from desktop_app.providers.job_file.model import Figures
from desktop_app.providers.job_file.preset import preset_in
from desktop_app.providers.job_file.table import Table
from desktop_app.providers.pictures import KINDS

OWN_WORDS = frozenset(
    {"prompt", "model", "model_app", "id", "ids", "callback_url", "callback_secret"}
)
"""Fields that no parameter can be called by."""

_HEADER = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_NOT_FOR_KEYS = frozenset(
    {"host", "connection", "content-length", "content-type", "transfer-encoding"}
)
_OURS = _NOT_FOR_KEYS | {"authorization", "idempotency-key", "x-client-request-id"}
"""Headers that a file does not set: they are this program's, or the key's."""

_KINDS = ("text", "int", "float", "choice", "bool")
_UNITS = ("qps", "rpm", "ipm")
_OF_TOKENS = tuple(unit.value for unit in PriceUnit if unit.tokens)
_MIMES = ("image/png", "image/jpeg", "image/webp")


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds, see ``Capabilities``."""

    timeout: float
    typical: float
    poll_after: float
    deadline: float
    lost_after: float


@dataclass(frozen=True, slots=True)
class Provider:
    """What ``[provider]``, ``[key]`` and ``[price]`` say."""

    preset: Preset
    makes: str
    key_hosts: tuple[str, ...]
    times: Times
    key_header: str
    key_prefix: str
    headers: Mapping[str, str]
    figures: Figures


def provider_of(whole: Table, preset_id: str) -> Provider:
    """Who it is."""
    table = whole.table("provider", needed=True)
    key, price = whole.table("key"), whole.table("price")
    base = table.text("base_url", needed=True).rstrip("/")
    if base and not is_address(base):
        table.wrong("base_url", "bad_address", key="provider.base_url", value=base)
    hosts = table.texts("key_hosts")
    for host in hosts:
        if not is_host_pattern(host):
            table.wrong("key_hosts", "bad_host", key="provider.key_hosts", value=host)
    _look_at_preset(table)
    key_header = key.text("header", "Authorization")
    figures = Figures(price.path("images"), price.path("tokens"), price.path("usage"))
    makes = table.choice("makes", ("picture", "text"), "picture")
    _look_at_price(price, makes, figures)
    provider = Provider(
        preset=preset_in(preset_id, whole.found),
        makes=makes,
        key_hosts=hosts,
        times=Times(
            timeout=table.number("timeout_s", 60.0, most=3600) or 60.0,
            typical=table.number("typical_s", 30.0, most=86_400) or 30.0,
            poll_after=table.number("poll_after_s", 180.0, most=86_400) or 180.0,
            deadline=(table.number("deadline_h", 24.0, most=720) or 24.0) * 3600,
            lost_after=table.number("lost_after_s", 600.0, most=86_400) or 600.0,
        ),
        key_header=key_header,
        key_prefix=key.text("prefix", "Bearer " if not key.there else ""),
        headers=headers_of(table, "headers", key_header),
        figures=figures,
    )
    if provider.key_header.lower() in _NOT_FOR_KEYS or not _is_header(provider.key_header):
        key.wrong("header", "bad_header", key="key.header")
    for part in (table, key, price):
        part.close()
    return provider


def _look_at_price(price: Table, makes: str, figures: Figures) -> None:
    unit = price.choice("unit", [one.value for one in PriceUnit])
    if unit in _OF_TOKENS and figures.tokens is None:
        price.wrong("unit", "price_of_tokens", unit=unit)
    elif unit == PriceUnit.IMAGE and makes == "text":
        price.wrong("unit", "price_of_images")
    currency = price.text("currency", "USD")
    if len(currency) != 3 or not currency.isascii() or not currency.isalpha():
        price.wrong("currency", "bad_currency", value=currency)


def _look_at_preset(table: Table) -> None:
    for key in ("name", "console_url"):
        table.text(key, needed=key == "name")
    table.texts("models", needed=True)
    table.flag("needs_key", True)
    table.choice("limits_unit", _UNITS)
    table.whole("concurrency", 1)


def headers_of(table: Table, key: str, key_header: str) -> dict[str, str]:
    """Headers of a call, as they are; ``key_header`` is none of them."""
    found = table.words(key)
    for name, value in found.items():
        is_ours = name.lower() in (*_OURS, key_header.lower())
        if is_ours or not _is_header(name) or not value.isascii() or not value.isprintable():
            table.wrong(key, "bad_header", key=f"{key}.{name}")
    return found


def _is_header(name: str) -> bool:
    return bool(name) and not set(name) - _HEADER


def is_address(url: str) -> bool:
    """Whether it can be called: encrypted, or on this machine."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    if not parts.hostname or parts.username or parts.query or parts.fragment:
        return False
    if set("{} ") & set(url):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))


def params_of(whole: Table) -> tuple[Param, ...]:
    """What a column can fill."""
    table = whole.table("params")
    made = []
    for name in table.found:
        one = table.table(name)
        if name in OWN_WORDS or name == REFERENCE or not name.isidentifier():
            table.wrong(name, "taken_name", key=f"params.{name}")
        choices = one.texts("choices")
        kind = one.choice("kind", _KINDS, "choice" if choices else "text")
        if kind == "choice" and "choices" not in one.found:
            one.mistakes.add(one.place, "missing", key=f"params.{name}.choices")
        made.append(Param(name, kind, choices, one.text("label", name)))
        one.close()
    table.close()
    return tuple(made)


def references_of(whole: Table) -> tuple[ReferenceRule | None, tuple[Param, ...], bool]:
    """Which pictures it takes, the parameters for them, and whether it wants plain base64."""
    table = whole.table("references")
    if not table.there:
        return None, (), False
    rule = ReferenceRule(
        most=table.whole("most", 1),
        mimes=table.choices("mimes", KINDS) or _MIMES,
        max_bytes=int((table.number("max_mb", 10.0, most=1000) or 10.0) * 1_000_000),
        urls=table.flag("urls", False),
        models=table.pattern("models"),
    )
    bare = table.flag("base64", False)
    table.close()
    labels = {REFERENCE: N_("Reference pictures"), FURTHER: N_("More reference pictures")}
    names = list(labels)[: rule.most]
    return rule, tuple(Param(name, "reference", (), labels[name]) for name in names), bare
