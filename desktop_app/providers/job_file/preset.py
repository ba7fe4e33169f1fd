"""What a provider file says about itself, read without a look at the rest: a window that opens
needs no more, and must not wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from desktop_app.domain.connection import RateUnit
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.ports import Preset

ADAPTER = "http-job"


def nameless(preset_id: str) -> Preset:
    """The preset of a file of which nothing could be understood."""
    return Preset(preset_id, preset_id, ADAPTER, "", ())


def preset_in(preset_id: str, found: Mapping[str, Any]) -> Preset:
    """The preset of the file of this parsed TOML; what can't be what it should be counts as left
    out: the file's mistakes are told where it is used."""
    provider, price = _table(found, "provider"), _table(found, "price")
    models = provider.get("models")
    listed = models if isinstance(models, list) else []
    many = provider.get("concurrency")
    needs_key = provider.get("needs_key")
    return Preset(
        id=preset_id,
        label=_text(provider, "name", preset_id),
        adapter=ADAPTER,
        base_url=_text(provider, "base_url", "").rstrip("/"),
        models=tuple(one for one in listed if isinstance(one, str)),
        console_url=_text(provider, "console_url", ""),
        needs_key=needs_key if isinstance(needs_key, bool) else True,
        limits_unit=_word(provider, "limits_unit", RateUnit.RPM),
        price_unit=_word(price, "unit", PriceUnit.IMAGE),
        currency=_text(price, "currency", "USD"),
        concurrency=many if type(many) is int and many > 0 else None,
    )


def _table(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inside = found.get(name)
    return inside if isinstance(inside, Mapping) else {}


def _text(found: Mapping[str, Any], name: str, default: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) and value.strip() else default


def _word(found: Mapping[str, Any], name: str, default: StrEnum) -> str:
    value = found.get(name)
    known = [one.value for one in type(default)]
    return str(value) if value in known else default.value
