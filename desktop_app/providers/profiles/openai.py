"""OpenAI: a 429 may be a matter of money, and then no wait helps."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.chat import ChatWays
from desktop_app.providers.profiles.rule import Profile, Rule

OPENAI = Profile(
    "openai",
    hosts=("api.openai.com",),
    needs_key=True,
    # Reasoning models are streamed to verified organisations only, and say nothing for minutes.
    chat=ChatWays(
        streams=True,
        stream_usage=True,
        unstreamed=r"^(?:ft:)?(?:o\d|gpt-[5-9]|gpt-\d\d)",
        json_schema=True,
    ),
    rules=(
        Rule(
            F.ACCOUNT,
            "quota",
            codes=("*spend_limit_exceeded", "organization_usage_limit_exceeded"),
            window=True,
        ),
        # Not even a Retry-After makes this one pass by itself.
        Rule(F.ACCOUNT, "balance", codes=("insufficient_quota", "credit_balance_exhausted")),
        Rule(
            F.ACCOUNT,
            "not_streamed",
            statuses=(0, 400, 403),
            text=r"verified to (generate|use) .*stream|verified to stream",
            code="not_verified_to_stream",
        ),
        Rule(
            F.ACCOUNT,
            "forbidden",
            statuses=(403,),
            text=r"country, region, or territory not supported",
            code="unsupported_country",
        ),
    ),
)
