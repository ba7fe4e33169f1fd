"""Addresses that providers may call, without anybody who listens."""

from __future__ import annotations

from desktop_app.domain.ports.callbacks import Addressee, CallbackRule


class FakeAddresses:
    """Hands out addresses while ``listens``."""

    def __init__(self) -> None:
        self.listens = False

    def address(self, attempt_pk: int, idempotency_key: str) -> str | None:
        return f"https://me.test/{attempt_pk}" if self.listens else None

    def addressee(self, attempt_pk: int, idempotency_key: str) -> Addressee:
        return Addressee(attempt_pk, f"mark of {idempotency_key}")

    def secret(self, attempt_pk: int, rule: CallbackRule) -> str:
        return f"secret of {attempt_pk} for {rule.signature}"
