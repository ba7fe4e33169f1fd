"""The word in a callback's address that nobody can guess: who has it was given it by this program,
for one attempt."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

from desktop_app.domain.ports.callbacks import Addressee, CallbackRule

_TOKEN = re.compile(r"([1-9][0-9]{0,17})-([0-9a-f]{16})-([A-Za-z0-9_-]{43})", re.ASCII)


class Tokens:
    """``secret``: at least 32 random bytes; who has it can make any token."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, whose: Addressee) -> str:
        """Safe in the path of an address."""
        return f"{whose.attempt_pk}-{whose.mark}-{self._proof(whose)}"

    def read(self, token: str) -> Addressee | None:
        """Whose it is; None where it is none of ours. Takes as long for a near miss as for any."""
        found = _TOKEN.fullmatch(token)
        if found is None:
            return None
        whose = Addressee(int(found[1]), found[2])
        return whose if hmac.compare_digest(found[3], self._proof(whose)) else None

    def signing_secret(self, attempt_pk: int, rule: CallbackRule) -> str:
        """What calls about one attempt are signed with, where the provider takes one for each."""
        made = self._mac(f"sign:{attempt_pk}")
        if rule.signature == "svix":
            return "whsec_" + base64.b64encode(made).decode()
        return made.hex()

    def _proof(self, whose: Addressee) -> str:
        made = self._mac(f"call:{whose.attempt_pk}:{whose.mark}")
        return base64.urlsafe_b64encode(made).decode().rstrip("=")

    def _mac(self, text: str) -> bytes:
        return hmac.digest(self._secret, text.encode(), "sha256")


def mark_of(idempotency_key: str) -> str:
    """16 hex digits that tell one key from another and do not give it away."""
    return hashlib.sha256(idempotency_key.encode()).hexdigest()[:16]
