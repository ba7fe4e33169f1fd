"""Limits and price in the words of the provider's console, so that nobody has to convert."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtWidgets import QComboBox, QLineEdit, QVBoxLayout, QWidget

from desktop_app.domain.connection import Limits, RateUnit
from desktop_app.domain.money import Price, PriceUnit
from desktop_app.domain.ports import Preset
from desktop_app.ui.context import UiContext
from desktop_app.ui.dialogs.fields import (
    FieldError,
    FieldGrid,
    decimal_of,
    one_line,
    plain,
    whole_of,
)
from desktop_app.ui.dialogs.model_prices import models_in, spelled_models

_CURRENCIES = ("USD", "CNY", "EUR")


class LimitFields(QWidget):
    """Calls at once, rate, tokens and images a minute, price. Empty means: not stated."""

    def __init__(self, context: UiContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.concurrency = QLineEdit(self)
        self.rate = QLineEdit(self)
        self.unit = QComboBox(self)
        for unit in RateUnit:
            self.unit.addItem("", unit)
        self.tokens = QLineEdit(self)
        self.images = QLineEdit(self)
        self.price = QLineEdit(self)
        self.per = QComboBox(self)
        for per in PriceUnit:
            self.per.addItem("", per)
        self.currency = QComboBox(self)
        self.currency.setEditable(True)
        self.currency.addItems(list(_CURRENCIES))
        self.currency.setFixedWidth(96)
        self.model_prices = QLineEdit(self)
        self.day_budget = QLineEdit(self)
        self.grid = FieldGrid(self)
        self.grid.add(self.concurrency)
        self.grid.add(one_line(self, self.rate, self.unit))
        self.grid.add(self.tokens)
        self.grid.add(self.images)
        self.grid.add(one_line(self, self.price, self.currency, self.per))
        self.grid.add(self.model_prices)
        self.grid.add(self.day_budget)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.grid)

    def use_preset(self, preset: Preset) -> None:
        """Take the units of this provider's console; figures stay the operator's."""
        tr = self._context.tr
        self.concurrency.setPlaceholderText(
            tr("Not stated: {n} at once", n=preset.concurrency)
            if preset.concurrency
            else tr("Not stated: a few, then as many as are taken")
        )
        self.unit.setCurrentIndex(max(0, self.unit.findData(RateUnit(preset.limits_unit))))
        self.per.setCurrentIndex(max(0, self.per.findData(PriceUnit(preset.price_unit))))
        self.currency.setEditText(preset.currency)

    def show_values(self, limits: Limits, price: Price | None, day_budget: Decimal | None) -> None:
        """Show stored figures."""
        self.concurrency.setText(str(limits.concurrency or ""))
        self.rate.setText(plain(limits.rate) if limits.rate else "")
        self.unit.setCurrentIndex(self.unit.findData(limits.rate_unit))
        for field, stated in (
            (self.tokens, limits.tokens_per_minute),
            (self.images, limits.images_per_minute),
        ):
            field.setText(plain(stated) if stated else "")
        if price is not None:
            self.price.setText(plain(price.amount))
            self.per.setCurrentIndex(self.per.findData(price.unit))
            self.currency.setEditText(price.currency)
            self.model_prices.setText(spelled_models(price))
        self.day_budget.setText("" if day_budget is None else plain(day_budget))

    def limits(self, *, burst: int | None, headroom: float) -> Limits:
        """The stated limits. Raises FieldError."""
        tr = self._context.tr
        return Limits(
            concurrency=whole_of(
                self.concurrency, tr("Calls at once must be a whole number, 1 or more.")
            ),
            rate=_above_zero(self.rate, tr("The rate must be a figure above zero, such as 60.")),
            rate_unit=RateUnit(self.unit.currentData()),
            burst=burst,
            headroom=headroom,
            tokens_per_minute=_above_zero(
                self.tokens, tr("Tokens a minute must be a figure above zero, such as 30000.")
            ),
            images_per_minute=_above_zero(
                self.images, tr("Images a minute must be a figure above zero, such as 60.")
            ),
        )

    def read_price(self) -> Price | None:
        """The price, None where it is unknown. Raises FieldError."""
        tr = self._context.tr
        amount = decimal_of(self.price, tr("The price must be a figure such as 0.04."))
        models = models_in(
            self.model_prices, tr("Write other models as name = price, parted by semicolons.")
        )
        if amount is None:
            if models:
                said = tr("Prices of other models need the connection's own price beside them.")
                raise FieldError(said, self.price)
            return None
        currency = self.currency.currentText().strip().upper()
        if len(currency) != 3 or not currency.isascii() or not currency.isalpha():
            raise FieldError(tr("A currency has three letters, such as CNY."), self.currency)
        return Price(amount, PriceUnit(self.per.currentData()), currency, models)

    def read_day_budget(self) -> Decimal | None:
        """The cap of a day in the price's currency, None for no cap. Raises FieldError."""
        tr = self._context.tr
        most = decimal_of(self.day_budget, tr("The cap must be a figure such as 20."))
        if most is not None and self.read_price() is None:
            raise FieldError(tr("A cap needs the price of a call."), self.price)
        return most

    def retranslate(self) -> None:
        """Say every word again."""
        tr = self._context.tr
        self.grid.name(
            tr("Calls at once"),
            tr("Rate"),
            tr("Tokens a minute"),
            tr("Images a minute"),
            tr("Price"),
            tr("Other models"),
            tr("Most a day"),
        )
        self.model_prices.setPlaceholderText(tr("Same price; or: model-a = 0.08; model-b = 0.17"))
        self.model_prices.setToolTip(
            tr("Prices of models that rows name in a column, in the same unit and currency.")
        )
        self.rate.setPlaceholderText(tr("Not stated: found out while running"))
        for field in (self.tokens, self.images):
            field.setPlaceholderText(tr("Not stated"))
        self.tokens.setToolTip(
            tr("All that its calls read and write in a minute (TPM), beside the rate.")
        )
        self.images.setToolTip(tr("All images in a minute (IPM), beside the rate."))
        self.rate.setAccessibleName(tr("Rate"))
        self.unit.setAccessibleName(tr("Unit of the rate"))
        rates = {
            RateUnit.QPS: tr("calls a second (QPS)"),
            RateUnit.RPM: tr("calls a minute (RPM)"),
            RateUnit.IPM: tr("images a minute (IPM)"),
        }
        for place, unit in enumerate(RateUnit):
            self.unit.setItemText(place, rates[unit])
        prices = {
            PriceUnit.CALL: tr("a call"),
            PriceUnit.IMAGE: tr("an image"),
            PriceUnit.KTOKENS: tr("1,000 tokens"),
            PriceUnit.MTOKENS: tr("1 million tokens"),
        }
        for place, per in enumerate(PriceUnit):
            self.per.setItemText(place, prices[per])
        self.day_budget.setPlaceholderText(tr("No cap"))
        self.day_budget.setToolTip(
            tr("What all calls of one day may cost, those that may have been billed included.")
        )
        self.price.setPlaceholderText(tr("- (unknown)"))
        self.price.setAccessibleName(tr("Price"))
        self.currency.setAccessibleName(tr("Currency"))
        self.per.setAccessibleName(tr("What the price is for"))


def _above_zero(field: QLineEdit, wrong: str) -> float | None:
    """Its figure, None where there is none. Raises FieldError that says ``wrong``."""
    figure = decimal_of(field, wrong)
    if figure == 0:
        raise FieldError(wrong, field)
    return None if figure is None else float(figure)
