"""Caps of money as an operator enters them: an amount in the currency of the connection's price."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from desktop_app.domain.batch import RunState
from desktop_app.domain.budget import refusal
from desktop_app.domain.connection import Connection
from desktop_app.domain.money import Money
from desktop_app.domain.text import OperatorError, message
from desktop_app.domain.views import BatchSummary


def budget_of(amount: Decimal | None, connection: Connection) -> Money | None:
    """The cap of a batch on this connection. Raises OperatorError where no price is known."""
    if amount is None:
        return None
    if connection.price is None:
        if connection.is_free:
            return None
        raise OperatorError(message("store.budget_no_price", name=connection.name))
    return Money(amount, connection.price.currency)


def check_budgets(
    connection: Connection, budget: Money | None, params: Mapping[str, Any] | None
) -> None:
    """Raise OperatorError where a cap could not be kept, so that nothing starts under it.

    ``params`` are those that rows get (fixed values or columns); None where no row is known yet.
    """
    caps = () if budget is None else (budget,)
    if connection.day_budget is not None and not connection.is_free:
        if connection.price is None:
            raise OperatorError(message("store.budget_no_price", name=connection.name))
        caps = (*caps, Money(connection.day_budget, connection.price.currency))
    why = refusal(connection, caps, params) if params is not None else None
    if why is not None:
        raise OperatorError(message(f"store.budget_{why}", name=connection.name))


def is_cap_held(summary: BatchSummary) -> bool:
    """Whether a batch that runs has rows that wait for what its own calls on the wire will have
    cost: together with what is spent they fill its cap."""
    budget, ledger = summary.batch.budget, summary.ledger
    if budget is None or summary.batch.run_state is not RunState.RUNNING:
        return False
    if not ledger.running or not ledger.pending + ledger.retrying:
        return False
    spent, reserved = (
        sum(money.amount for money in paid if money.currency == budget.currency)
        for paid in (summary.spent, summary.reserved)
    )
    one = reserved / (ledger.running + ledger.uncertain)
    return budget.amount - spent - reserved < one
