"""Caps are kept where calls are claimed: what is on its way holds its price in the same commit."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from desktop_app.domain.budget import NoBudget, day_of, refusal, worst_case
from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Money, figure
from desktop_app.domain.task import Request
from desktop_app.domain.text import Message, message
from desktop_app.store.codec import from_nano, to_connection, to_nano

_CONNECTION = """
SELECT c.id, c.name, c.adapter, c.base_url, c.model, c.retries, c.spec,
       b.budget_nano, b.budget_currency
FROM batch b JOIN connection c ON c.id = b.connection_id WHERE b.id = ?"""

BATCH = "SELECT sum(held_nano), sum(open_nano) FROM purse WHERE batch_id = ? AND currency = ?"

DAY = """
SELECT sum(held_nano), sum(open_nano) FROM purse INDEXED BY purse_day
WHERE connection_id = ? AND day = ? AND currency = ?"""


@dataclass(frozen=True, slots=True)
class _Cap:
    """One cap in billionths of ``currency``. ``held`` counts against it; ``open`` of that may
    still be released."""

    code: str
    most: int
    held: int
    open: int
    currency: str


@dataclass(frozen=True, slots=True)
class Purse:
    """What a batch may still spend, in the transaction that reads it."""

    connection: Connection
    caps: tuple[_Cap, ...]

    @property
    def currency(self) -> str | None:
        """The currency that reservations are written in; None where no price is known."""
        price = self.connection.price
        return None if price is None else price.currency

    def reserve(self, requests: Sequence[Request]) -> list[int | None]:
        """The reservation of each in order, as far as every cap allows; the rest must wait.

        None reserves nothing: without a price and without a cap.
        """
        if self.currency is None and not self.caps:
            return [None] * len(requests)
        left = min((cap.most - cap.held for cap in self.caps), default=None)
        foreign = any(cap.currency != self.currency for cap in self.caps)
        given: list[int | None] = []
        for request in requests:
            worst = to_nano(worst_case(self.connection, request))
            if left is not None:
                if worst is None or worst > left or (foreign and worst > 0):
                    break
                left -= worst
            given.append(worst if self.currency is not None else None)
        return given


@lru_cache(maxsize=16)
def _connection(*row: Any) -> Connection:
    """Every claim reads its batch's connection, which seldom changes."""
    return to_connection(row)


def purse(conn: sqlite3.Connection, batch_id: int, now: float) -> Purse:
    """The caps that a batch is under now, its connection's cap of the day among them."""
    *row, nano, currency = conn.execute(_CONNECTION, (batch_id,)).fetchone()
    connection = _connection(*row)
    caps = []
    if nano is not None:
        held, open_ = conn.execute(BATCH, (batch_id, currency)).fetchone()
        caps.append(_Cap("store.budget_batch", nano, held or 0, open_ or 0, currency))
    price, day = connection.price, connection.day_budget
    if day is not None and price is not None:
        values = (connection.id, day_of(now), price.currency)
        held, open_ = conn.execute(DAY, values).fetchone()
        most = to_nano(day) or 0
        caps.append(_Cap("store.budget_day", most, held or 0, open_ or 0, price.currency))
    elif day is not None and not connection.is_free:
        caps.append(_Cap("store.budget_day", to_nano(day) or 0, 0, 0, ""))
    return Purse(connection, tuple(caps))


def reached(
    conn: sqlite3.Connection, batch_id: int, request: Request, now: float
) -> Message | None:
    """Why this request may not be sent under the batch's caps, or None. What is on its way is
    left out: it may be released yet."""
    found = purse(conn, batch_id, now)
    if not found.caps:
        return None
    money = tuple(Money(from_nano(cap.most), cap.currency) for cap in found.caps)
    why = refusal(found.connection, money, request.params)
    worst = to_nano(worst_case(found.connection, request))
    if why is None and worst is None:
        why = NoBudget.NO_MAX_TOKENS
    if why is not None:
        return message(f"store.budget_{why}", name=found.connection.name)
    for cap in found.caps:
        sure = cap.held - cap.open
        if sure + (worst or 0) > cap.most:
            return message(
                cap.code,
                most=figure(from_nano(cap.most)),
                used=figure(from_nano(sure)),
                next=figure(from_nano(worst or 0)),
                currency=cap.currency,
                name=found.connection.name,
                day=day_of(now),
            )
    return None


def held(conn: sqlite3.Connection, batch_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Of each batch what its calls hold of the caps, by currency."""
    found: dict[int, dict[str, int]] = {}
    for batch_id, currency, nano in conn.execute(
        "SELECT batch_id, currency, sum(held_nano) FROM purse "
        "WHERE batch_id IN (SELECT value FROM json_each(?)) GROUP BY batch_id, currency",
        (json.dumps(list(batch_ids)),),
    ):
        found.setdefault(batch_id, {})[currency] = nano
    return found
