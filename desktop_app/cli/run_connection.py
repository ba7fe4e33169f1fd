"""On which connection a run goes, and at which price."""

from __future__ import annotations

import argparse
from dataclasses import replace
from decimal import Decimal

from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Preset
from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.services.connections import Connections
from desktop_app.services.practice_lines import JOBS, PICTURES, TEXTS, PracticeLine
from desktop_app.wiring import House


async def priced(house: House, args: argparse.Namespace, connection: Connection) -> Connection:
    """The connection at the price that was named, if one was; a check keeps it nowhere. Raises
    OperatorError for a price that can't be."""
    if args.price is None:
        if args.currency is not None or args.unit is not None:
            raise OperatorError(message("services.price_alone"))
        return connection
    if _practice(args) is not None:
        raise OperatorError(message("services.practice_price"))
    amount, unit = price_named(args)
    presets = {preset.id: preset for preset in house.services.connections.presets()}
    known = connection.price
    preset = presets.get(connection.preset or "")
    price = price_of(
        amount,
        unit or (known.unit if known else None),
        args.currency or (known.currency if known else None),
        preset,
    )
    if known is not None and known.models:
        if (price.unit, price.currency) != (known.unit, known.currency):
            said = {"currency": known.currency, "unit": known.unit.value}
            raise OperatorError(message("services.model_prices_in", **said))
        price = replace(price, models=known.models)
    priced = replace(connection, price=price)
    house.services.connections.check_price(priced)
    if price == known or args.check:
        return priced
    saved = await house.services.connections.save(priced)
    await house.tell_others(saved.id)
    return saved


def _practice(args: argparse.Namespace) -> PracticeLine | None:
    if args.practice_jobs:
        return JOBS
    if args.practice_texts:
        return TEXTS
    return PICTURES if args.practice else None


async def connection_of(house: House, args: argparse.Namespace) -> Connection:
    """The one that was named, or the practice server's. Raises OperatorError."""
    connections = house.services.connections
    practice = _practice(args)
    if practice is not None:
        return await connections.practice(practice)
    found = await connections.by_name(args.connection)
    if found is None:
        raise OperatorError(await unknown_connection(connections, args.connection))
    return found


async def unknown_connection(connections: Connections, name: str) -> Message:
    """That there is none of this name, and which there are."""
    known = [view.name for view in await connections.views()]
    if not known:
        return message("services.no_connections", name=name)
    return message("services.unknown_connection", name=name, known=known)


def price_named(args: argparse.Namespace) -> tuple[Decimal, PriceUnit | None]:
    """What ``--price`` says, with its unit there or as ``--unit``. Raises OperatorError where the
    two say different things."""
    amount, unit = args.price
    other = PriceUnit(args.unit) if args.unit else None
    if unit is not None and other is not None and unit is not other:
        raise OperatorError(message("services.two_units", unit=unit.value, other=other.value))
    return amount, unit or other


def price_of(
    amount: Decimal, unit: PriceUnit | None, currency: str | None, preset: Preset | None
) -> Price:
    """A price, what is not said of it being the preset's, or a call's in dollars."""
    usual = PriceUnit(preset.price_unit) if preset else PriceUnit.CALL
    money = currency or (preset.currency if preset else "USD")
    return Price(amount, unit or usual, money.upper())
