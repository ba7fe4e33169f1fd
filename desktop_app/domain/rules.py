"""What a connection and its adapter say about sending again, read once for the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from desktop_app.domain.connection import Connection, OnUnknown
from desktop_app.domain.ports import Capabilities
from desktop_app.domain.task import Request

USUAL_TOKENS = 1000
"""Of a call that nobody has capped, where its price is asked for beforehand."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What connection and adapter say about trying again.

    ``expected_cost`` is what one more call would cost, None where unknown;
    ``idempotent_s`` how long the provider honours the key, None where it does not;
    ``askable`` whether it can say if a call arrived.
    """

    retries: int = 3
    policy: OnUnknown = OnUnknown.HOLD
    free: bool = False
    resend_below: Decimal | None = None
    expected_cost: Decimal | None = None
    idempotent_s: float | None = None
    askable: bool = False

    @staticmethod
    def of(connection: Connection, capabilities: Capabilities, request: Request) -> Rules:
        """The rules for one request on one connection."""
        return Rules(
            retries=connection.retries,
            policy=connection.unknown_policy,
            free=connection.is_free,
            resend_below=connection.resend_below,
            expected_cost=_expected_cost(connection, request),
            idempotent_s=capabilities.idempotent_s,
            askable=capabilities.askable,
        )

    def key_lives(self, age_s: float) -> bool:
        """Whether a resend with a key of this age changes nothing at the provider. An age below
        nothing tells of a clock that was set back, and of the key it tells nothing."""
        return self.idempotent_s is not None and 0.0 <= age_s < self.idempotent_s

    def may_resend(self, key_age_s: float) -> bool:
        """Whether a call that may have been billed may be sent once more."""
        if self.key_lives(key_age_s):
            return True
        if self.policy is OnUnknown.RESEND:
            return True
        if self.policy is OnUnknown.RESEND_BELOW:
            return (
                self.resend_below is not None
                and self.expected_cost is not None
                and self.expected_cost < self.resend_below
            )
        return False


def _expected_cost(connection: Connection, request: Request) -> Decimal | None:
    price = connection.price
    if price is None:
        return Decimal(0) if connection.is_free else None
    price = price.of(request.model)
    params = {**connection.params, **request.params}
    if price.unit.tokens:
        tokens = params.get("max_tokens")
        return price.cost(tokens=tokens if isinstance(tokens, int) else USUAL_TOKENS)
    images = params.get("n")
    return price.cost(images=images if isinstance(images, int) else 1)
