"""Puts a verdict into the words of the store, for flights and orphans alike."""

from __future__ import annotations

from decimal import Decimal

from desktop_app.domain.attempt import Billed, Claim, Completion, Kept, Outcome
from desktop_app.domain.errors import INTERNAL
from desktop_app.domain.money import Price
from desktop_app.domain.ports import Answer
from desktop_app.domain.task import TaskState
from desktop_app.domain.verdict import Verdict


def completion(
    claim: Claim,
    verdict: Verdict,
    *,
    now: float,
    price: Price | None,
    asked: int = 1,
    latency_s: float | None = None,
    answer: Answer | None = None,
    kept: Kept | None = None,
    unread: bool = False,
) -> Completion:
    """The verdict as the store takes it. ``now`` is epoch seconds; what was billed is priced: by
    the answer, or by how many results were ``asked`` for where there is none to go by. ``unread``:
    nobody was there who understands its answer."""
    failure = verdict.failure
    delay_s = verdict.delay_s
    if delay_s is None and verdict.to is TaskState.RETRYING:
        delay_s = 0.0
    price = None if price is None else price.of(claim.request.model)
    cost = _cost(verdict, price, answer, asked)
    return Completion(
        task_pk=claim.task_pk,
        rev=claim.rev,
        attempt_pk=claim.attempt_pk,
        to=verdict.to,
        outcome=verdict.outcome,
        ended_at=now,
        latency_s=latency_s,
        http_status=answer.http_status if answer else failure.http_status if failure else None,
        request_id=answer.request_id if answer else failure.request_id if failure else None,
        failure=failure,
        due_at=None if delay_s is None else now + delay_s,
        delay_s=delay_s,
        spend_retry=verdict.spend_retry,
        spend_timeout=verdict.spend_timeout,
        count_throttled=verdict.count_throttled,
        kept=kept,
        cost=cost,
        currency=None if cost is None or price is None else price.currency,
        billed=verdict.billed,
        new_key=verdict.new_key and not _protects(claim, verdict),
        usage=dict(answer.usage) if answer else {},
        unread=unread or (kept is None and failure is not None and failure.code == INTERNAL),
    )


def _protects(claim: Claim, verdict: Verdict) -> bool:
    """Whether an earlier call with the key may have been billed, and this one's failure says
    nothing of that: under another key the row could be paid for twice."""
    return claim.key_since is not None and verdict.outcome is Outcome.TRANSIENT


def _cost(
    verdict: Verdict, price: Price | None, answer: Answer | None, asked: int
) -> Decimal | None:
    if verdict.billed is not Billed.YES or price is None:
        return None
    if answer is None:
        return price.cost(images=asked)
    return price.cost(images=answer.billed_images, tokens=answer.tokens)
