"""LiteLLM proxy: its status says little, the exception named in the sentence says all."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.chat import STREAMS_AND_SCHEMAS
from desktop_app.providers.profiles.rule import Profile, Rule

LITELLM = Profile(
    "litellm",
    chat=STREAMS_AND_SCHEMAS,
    rules=(
        Rule(F.REFUSED, "refused", codes=("litellm.contentpolicyviolationerror",)),
        Rule(F.INVALID, "context_long", codes=("litellm.contextwindowexceedederror",)),
        Rule(F.ACCOUNT, "balance", codes=("litellm.budgetexceedederror",)),
        Rule(F.ACCOUNT, "auth", codes=("litellm.authenticationerror",)),
        Rule(F.ACCOUNT, "forbidden", codes=("litellm.permissiondeniederror",)),
        Rule(F.THROTTLED, "throttled", codes=("litellm.ratelimiterror", "throttling_error")),
        Rule(F.UNKNOWN, "gateway_timeout", codes=("litellm.timeout",)),
        Rule(F.INVALID, "model_not_found", codes=("litellm.notfounderror",)),
        Rule(
            F.TRANSIENT,
            "server_error",
            codes=(
                "litellm.apiconnectionerror",
                "litellm.internalservererror",
                "litellm.serviceunavailableerror",
            ),
        ),
        Rule(
            F.INVALID,
            "invalid",
            codes=("litellm.badrequesterror", "litellm.unprocessableentityerror"),
        ),
    ),
)
