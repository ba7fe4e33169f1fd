"""Prices of further models in one line, as an operator writes a short list."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from PySide6.QtWidgets import QLineEdit

from desktop_app.domain.money import Price
from desktop_app.ui.dialogs.fields import FieldError, plain

_PARTED = re.compile(r"[;；\n]")


def models_in(field: QLineEdit, wrong: str) -> tuple[tuple[str, Decimal], ...]:
    """What ``name = price; name = price`` says, the last one of a name. A comma is read as the
    decimal mark. Raises FieldError with ``wrong``."""
    found: dict[str, Decimal] = {}
    for part in filter(str.strip, _PARTED.split(field.text())):
        model, equals, amount = part.replace("＝", "=").rpartition("=")
        try:
            price = Decimal(amount.strip().replace(",", "."))
        except InvalidOperation:
            raise FieldError(wrong, field) from None
        if not equals or not model.strip() or not price.is_finite() or price < 0:
            raise FieldError(wrong, field)
        found[model.strip()] = price
    return tuple(found.items())


def spelled_models(price: Price) -> str:
    """The same written out."""
    return "; ".join(f"{model} = {plain(amount)}" for model, amount in price.models)
