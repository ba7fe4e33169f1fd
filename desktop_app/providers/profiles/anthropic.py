"""Anthropic: money and limits come under the same word as a bad request, and only the sentence
tells them apart."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.rule import Profile, Rule

ANTHROPIC = Profile(
    "anthropic",
    hosts=("api.anthropic.com",),
    needs_key=True,
    rules=(
        Rule(
            F.ACCOUNT,
            "quota",
            codes=("enforced_spend_limit_reached",),
            window=True,
        ),
        Rule(
            F.ACCOUNT,
            "quota",
            statuses=(400, 403, 429),
            text=r"spend(ing)? limit|(specified|reached your) .{0,20}usage limit",
            code="spend_limit",
            window=True,
        ),
        Rule(F.INVALID, "request_big", codes=("request_too_large",)),
        # It may come from what stands before the vendor, and bear no word of its.
        Rule(
            F.INVALID,
            "request_big",
            statuses=(413,),
            text=r"too large|413",
            code="request_too_large",
        ),
        Rule(
            F.INVALID,
            "context_long",
            statuses=(400,),
            text=r"exceed context limit|prompt is too long",
            code="context_length_exceeded",
        ),
        Rule(F.INVALID, "model_not_found", codes=("not_found_error",), text=r"model"),
        Rule(F.UNKNOWN, "gateway_timeout", codes=("timeout_error",)),
        Rule(F.ACCOUNT, "forbidden", codes=("permission_error",)),
    ),
)
