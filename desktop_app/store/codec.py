"""Rows to domain types and back, in one place, so that stored shapes have one reader."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import orjson

from desktop_app.domain.batch import (
    Batch,
    BatchPriority,
    BatchStage,
    LaneOnDead,
    RunState,
    SheetMapping,
)
from desktop_app.domain.connection import Connection, Limits, OnUnknown, RateUnit
from desktop_app.domain.jobs import Job
from desktop_app.domain.money import Money, Price, PriceUnit, figure
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message

NANO = 9


# Made once: building an encoder costs more than most of what it encodes.
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def dump(value: Any) -> str:
    """JSON as the store keeps it."""
    return _encode(value)


def dump_texts(texts: Sequence[str]) -> str:
    """Texts as ``dump`` writes a list of them, for the million rows of a sheet."""
    return orjson.dumps(texts).decode()


def to_message(text: str | None) -> Message | None:
    """A stored Message."""
    return None if text is None else Message.load(text)


def from_message(said: Message | None) -> str | None:
    """A Message for the store."""
    return None if said is None else said.dump()


def to_nano(amount: Decimal | None) -> int | None:
    """Money as billionths; what is finer is rounded to even."""
    if amount is None:
        return None
    return int(amount.scaleb(NANO).to_integral_value(rounding=ROUND_HALF_EVEN))


def from_nano(nano: int) -> Decimal:
    """Billionths as money, without trailing zeros (``0.04``, ``12``)."""
    amount = Decimal(nano).scaleb(-NANO).normalize()
    return amount.quantize(Decimal(1)) if amount == amount.to_integral_value() else amount


def cost_text(costs: Sequence[tuple[str, int]]) -> str | None:
    """``0.40 USD``; two currencies stand side by side, never summed. None is unknown."""
    if not costs:
        return None
    return " + ".join(f"{figure(from_nano(nano))} {currency}" for currency, nano in costs)


def to_job(job_id: str | None, context: str | None) -> Job | None:
    """A stored job."""
    if job_id is None:
        return None
    return Job(job_id, {} if context is None else json.loads(context))


def to_request(prompt: str, params: str, extra: str) -> Request:
    """A stored request."""
    return Request(prompt=prompt, params=_to_dict(params), extra=_to_dict(extra))


def _to_dict(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {} if text == "{}" else json.loads(text)
    return found


def absolute(out_dir: str, path: str | None) -> str | None:
    """The absolute path of a result kept relative to its batch's folder."""
    return None if path is None else str(Path(out_dir) / path)


BATCH_COLUMNS = (
    "b.id, b.name, b.sheet_path, b.sheet_hash, b.fingerprint, b.columns, b.mapping, "
    "b.connection_id, b.out_dir, b.created_at, b.stage, b.run_state, b.pause_reason, "
    "b.lane_on_dead, b.row_gate, b.max_calls, b.started_at, b.finished_at, b.options, "
    "b.budget_nano, b.budget_currency, b.priority"
)


def to_batch(row: Sequence[Any]) -> Batch:
    """A batch from BATCH_COLUMNS."""
    return Batch(
        id=row[0],
        name=row[1],
        sheet_path=row[2],
        sheet_hash=row[3],
        fingerprint=row[4],
        columns=tuple(json.loads(row[5])),
        mapping=SheetMapping(**json.loads(row[6])),
        connection_id=row[7],
        out_dir=row[8],
        created_at=row[9],
        stage=BatchStage(row[10]),
        run_state=RunState(row[11]),
        pause_reason=to_message(row[12]),
        lane_on_dead=LaneOnDead(row[13]),
        row_gate=row[14],
        max_calls=row[15],
        started_at=row[16],
        finished_at=row[17],
        options=json.loads(row[18]),
        budget=None if row[19] is None else Money(from_nano(row[19]), row[20]),
        priority=BatchPriority(row[21]),
    )


def from_mapping(mapping: SheetMapping) -> str:
    """A sheet mapping for the store."""
    return dump(
        {
            "prompt_column": mapping.prompt_column,
            "template": mapping.template,
            "params": dict(mapping.params),
            "lane_column": mapping.lane_column,
            "key_column": mapping.key_column,
            "priority_column": mapping.priority_column,
            "output_name": mapping.output_name,
            "subfolder": mapping.subfolder,
        }
    )


def from_connection(connection: Connection) -> str:
    """What a connection has beyond its own columns. There is no secret in it, and no room for."""
    limits, price = connection.limits, connection.price
    return dump(
        {
            "preset": connection.preset,
            "limits": {
                "concurrency": limits.concurrency,
                "rate": limits.rate,
                "rate_unit": limits.rate_unit.value,
                "burst": limits.burst,
                "headroom": limits.headroom,
                **_by_the_minute(limits),
            },
            "price": price and [str(price.amount), price.unit.value, price.currency],
            **({"model_prices": _amounts(price)} if price and price.models else {}),
            "timeout_s": connection.timeout_s,
            "on_unknown": connection.on_unknown and connection.on_unknown.value,
            "resend_below": None
            if connection.resend_below is None
            else str(connection.resend_below),
            "day_budget": None if connection.day_budget is None else str(connection.day_budget),
            "proxy": connection.proxy,
            "params": dict(connection.params),
            "extra": dict(connection.extra),
            **({"callbacks": True} if connection.callbacks else {}),
        }
    )


def to_connection(row: Sequence[Any]) -> Connection:
    """A connection from (id, name, adapter, base_url, model, retries, spec)."""
    spec: Mapping[str, Any] = json.loads(row[6])
    limits, price = spec["limits"], spec["price"]
    return Connection(
        id=row[0],
        name=row[1],
        adapter=row[2],
        base_url=row[3],
        model=row[4],
        retries=row[5],
        preset=spec["preset"],
        limits=Limits(**{**limits, "rate_unit": RateUnit(limits["rate_unit"])}),
        price=price and _price(price, spec.get("model_prices", {})),
        timeout_s=spec["timeout_s"],
        on_unknown=spec["on_unknown"] and OnUnknown(spec["on_unknown"]),
        resend_below=None if spec["resend_below"] is None else Decimal(spec["resend_below"]),
        day_budget=None if spec.get("day_budget") is None else Decimal(spec["day_budget"]),
        proxy=spec["proxy"],
        params=spec["params"],
        extra=spec["extra"],
        callbacks=spec.get("callbacks", False),
    )


def _by_the_minute(limits: Limits) -> Mapping[str, float]:
    """What is stated beside the rate; nothing else, for an older version knows no such words."""
    stated = {
        "tokens_per_minute": limits.tokens_per_minute,
        "images_per_minute": limits.images_per_minute,
    }
    return {word: figure for word, figure in stated.items() if figure is not None}


def _amounts(price: Price) -> Mapping[str, str]:
    return {model: str(amount) for model, amount in price.models}


def _price(said: Sequence[str], models: Mapping[str, str]) -> Price:
    amount, unit, currency = said
    others = tuple((model, Decimal(text)) for model, text in models.items())
    return Price(Decimal(amount), PriceUnit(unit), currency, others)
