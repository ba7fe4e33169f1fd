"""OpenRouter: 402 can pass by itself, 403 can be a matter of the prompt."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.chat import STREAMS_AND_SCHEMAS
from desktop_app.providers.profiles.rule import Profile, Rule

OPENROUTER = Profile(
    "openrouter",
    hosts=("openrouter.ai",),
    default_path="/api/v1",
    needs_key=True,
    open_models=True,
    chat=STREAMS_AND_SCHEMAS,
    rules=(
        Rule(
            F.THROTTLED,
            "throttled",
            codes=("openrouter_in_flight_budget", "in_flight_budget_exhausted"),
            statuses=(402,),
            concurrency=True,
        ),
        Rule(
            F.INVALID,
            "model_not_found",
            statuses=(404,),
            text=r"no endpoints found",
            code="model_not_found",
        ),
        Rule(
            F.REFUSED,
            "refused",
            statuses=(403,),
            text=r"moderation|guardrail|flagged|blocked by",
            code="moderation",
            of_input=True,
        ),
        Rule(
            F.ACCOUNT,
            "quota",
            statuses=(403,),
            text=r"limit exceeded|budget|resets",
            code="key_limit",
            window=True,
        ),
    ),
    # What is promised back within moments was only held for calls in flight.
    last=(Rule(F.ACCOUNT, "balance", statuses=(402,), unless_soon=True),),
)
