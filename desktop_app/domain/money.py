"""Prices and sums per currency: an unknown price is not zero, two currencies never add up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class PriceUnit(StrEnum):
    """What a price is for, in the console's own unit."""

    CALL = "call"
    IMAGE = "image"
    KTOKENS = "1k-tokens"
    MTOKENS = "1m-tokens"

    @property
    def tokens(self) -> int:
        """So many of them are one unit; 0 where something else is counted."""
        return {PriceUnit.KTOKENS: 1000, PriceUnit.MTOKENS: 1_000_000}.get(self, 0)


@dataclass(frozen=True, slots=True)
class Price:
    """``amount`` of ``currency`` (ISO 4217, e.g. ``CNY``) per ``unit``. ``models``: other amounts
    for models that a row may name, by name; unit and currency are the same."""

    amount: Decimal
    unit: PriceUnit
    currency: str
    models: tuple[tuple[str, Decimal], ...] = ()

    @property
    def amounts(self) -> tuple[Decimal, ...]:
        """All that may be asked for a unit."""
        return (self.amount, *(amount for _, amount in self.models))

    def of(self, model: str) -> Price:
        """The price of a call to this model: its own where it has one, else the usual one."""
        own = dict(self.models).get(model) if model and self.models else None
        return self if own is None else Price(own, self.unit, self.currency)

    def cost(self, *, images: int = 1, tokens: int | None = None) -> Decimal | None:
        """The cost of one answered call, or None where the figure it needs is missing."""
        if self.unit is PriceUnit.CALL:
            return self.amount
        if self.unit is PriceUnit.IMAGE:
            return self.amount * images
        return None if tokens is None else self.amount * tokens / self.unit.tokens


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in one currency."""

    amount: Decimal
    currency: str


def figure(amount: Decimal) -> str:
    """``0.40``, ``12.00``, ``0.0125``: two decimals, or as many more as the amount has."""
    cents = f"{amount:.2f}"
    return cents if Decimal(cents) == amount else f"{amount.normalize():f}"


def spoken(money: Money) -> str:
    """``0.40 USD``."""
    return f"{figure(money.amount)} {money.currency}"


def sums(parts: Iterable[Money]) -> tuple[Money, ...]:
    """One Money a currency, in alphabetical order; nothing is converted."""
    totals: dict[str, Decimal] = {}
    for part in parts:
        totals[part.currency] = totals.get(part.currency, Decimal(0)) + part.amount
    return tuple(Money(amount, currency) for currency, amount in sorted(totals.items()))


def costs_nothing(spent: Iterable[Money], reserved: Iterable[Money], unpriced_calls: int) -> bool:
    """Whether calls were billed and every one of them was free: a second bill is nothing then."""
    billed = tuple(spent)
    return (
        bool(billed)
        and not unpriced_calls
        and not any(money.amount for money in (*billed, *reserved))
    )
