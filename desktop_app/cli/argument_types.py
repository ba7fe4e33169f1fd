"""What the words after an option may be: a wrong one is a usage error before anything is opened."""

from __future__ import annotations

import argparse
from decimal import Decimal, InvalidOperation

from desktop_app.domain.money import PriceUnit

_MOST = 2**53


def decimal(text: str) -> Decimal:
    """Money and the like: 0 or more, exact."""
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from error
    if not value.is_finite() or value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} must be 0 or more")
    return value


def positive(text: str) -> float:
    """A number above 0."""
    value = float(decimal(text))
    if value == 0:
        raise argparse.ArgumentTypeError(f"{text!r} must be above 0")
    return value


def seconds(text: str) -> float:
    """Seconds, 0 or more."""
    return float(decimal(text))


def whole(text: str) -> int:
    """A whole number from 0 on."""
    value = decimal(text)
    if value != int(value) or value > _MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(value)


def count(text: str) -> int:
    """A whole number from 1 on."""
    value = whole(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be 1 or more")
    return value


def port(text: str) -> int:
    """A TCP port; 0 is a free one."""
    value = whole(text)
    if value > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return value


def model_price(text: str) -> tuple[str, Decimal]:
    """``gpt-image-1=0.17``."""
    model, equals, amount = text.rpartition("=")
    if not equals or not model.strip():
        raise argparse.ArgumentTypeError(f"{text!r} must be MODEL=PRICE")
    return model.strip(), decimal(amount)


def price(text: str) -> tuple[Decimal, PriceUnit | None]:
    """``0.04`` or ``0.04/image``."""
    amount, slash, unit = text.partition("/")
    known = {each.value: each for each in PriceUnit}
    if slash and unit not in known:
        raise argparse.ArgumentTypeError(f"{unit!r} is none of {', '.join(known)}")
    return decimal(amount), known.get(unit)
