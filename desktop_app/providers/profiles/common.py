"""Words that mean the same at every vendor; gateways pass them on under foreign hosts, too."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.rule import Rule

CODES: tuple[Rule, ...] = (
    # -- the prompt or the result was refused
    Rule(
        F.REFUSED,
        "refused",
        codes=(
            "inputtext*sensitivecontent*",
            "inputimage*sensitivecontent*",
            "inputvideo*sensitivecontent*",
            "inputaudio*sensitivecontent*",
            "sensitivecontentdetected*",
            "inputtextriskdetection*",
        ),
        of_input=True,
    ),
    # fal answers with 422 and the same word, and may bill that.
    Rule(
        F.REFUSED,
        "refused",
        codes=("content_policy_violation", "content_filter"),
        statuses=(400,),
        of_input=True,
    ),
    Rule(F.REFUSED, "refused", codes=("content_moderation",), statuses=(403,), of_input=True),
    Rule(
        F.REFUSED,
        "refused",
        codes=("datainspectionfailed", "data_inspection_failed"),
        text=r"^\W*input\b",
        of_input=True,
    ),
    Rule(
        F.REFUSED,
        "refused",
        codes=(
            "moderation_blocked",
            "content_policy*",
            "content_filter*",
            "content_moderation",
            "responsibleaipolicyviolation",
            "datainspectionfailed",
            "data_inspection_failed",
            "*sensitivecontent*",
            "*riskdetection*",
            "prohibited_content",
            "safety",
        ),
    ),
    # -- quota windows come before balances: they share the type insufficient_quota
    Rule(
        F.ACCOUNT,
        "quota",
        codes=(
            "*spend_limit_exceeded",
            "organization_usage_limit_exceeded",
            "enforced_spend_limit_reached",
            "setlimitexceeded",
            "quotaexceeded",
        ),
        unless_soon=True,
        window=True,
    ),
    Rule(
        F.ACCOUNT,
        "balance",
        codes=(
            "arrearage",
            "accountoverdueerror",
            "operationdenied.serviceoverdue",
            "credit_balance_exhausted",
            "payment_required",
            "billing_hard_limit_reached",
            "billing_not_active",
            "billing_error",
            "budget_exceeded",
            "weight_exceeds_budget",
            # Of One API and its kin, through which many buy several vendors' models.
            "insufficient_user_quota",
            "pre_consume_token_quota_failed",
        ),
    ),
    Rule(F.ACCOUNT, "balance", codes=("insufficient_quota",), unless_soon=True),
    # -- the key
    Rule(
        F.ACCOUNT,
        "auth",
        codes=(
            "invalid_api_key",
            "invalidapikey",
            "api_key_invalid",
            "authentication_error",
            "authenticationerror",
            "account_deactivated",
            "ip_not_authorized",
            "no_db_connection",
        ),
    ),
    Rule(
        F.ACCOUNT,
        "not_enabled",
        codes=("modelnotopen", "accessdenied.unpurchased", "*.modelidaccessdisabled"),
    ),
    # -- slow down
    Rule(
        F.THROTTLED,
        "throttled",
        codes=("inflight*", "*concurrency*", "in_flight_budget_exhausted"),
        concurrency=True,
    ),
    Rule(
        F.THROTTLED,
        "throttled",
        codes=(
            "rate_limit_exceeded",
            "rate_limit_error",
            "throttling*",
            "requestbursttoofast",
            "*ratelimitexceeded*",
            "slow_down",
        ),
    ),
    Rule(F.THROTTLED, "busy", codes=("serveroverloaded", "overloaded_error")),
    # -- the request
    Rule(
        F.INVALID,
        "model_not_found",
        codes=("model_not_found", "modelnotfound", "invalidendpointormodel.notfound"),
    ),
    Rule(
        F.INVALID,
        "context_long",
        codes=(
            "context_length_exceeded",
            "exceed_context_size_error",
            "token_limit_exceeded",
            "outofcontexterror",
        ),
    ),
)
"""Judged by the vendor's structured word."""

TEXTS: tuple[Rule, ...] = (
    # Speaks of content, and is no matter of the row: the whole account is shut out.
    Rule(
        F.ACCOUNT,
        "forbidden",
        statuses=(0, 403),
        text=r"resource has been (temporarily )?blocked",
        code="resource_blocked",
    ),
    Rule(
        F.ACCOUNT,
        "not_enabled",
        statuses=(0, 400, 403),
        text=r"must be verified|verify (your )?organization",
        code="not_verified",
    ),
    Rule(
        F.REFUSED,
        "refused",
        statuses=(0, 400, 403, 422, 451),
        text=r"safety system|content (management |filter(ing)? )?polic|moderation"
        r"|inappropriate content|sensitive (content|information|words)|flagged (as|by|for)"
        r"|违规|敏感",
        code="moderation",
    ),
    Rule(
        F.ACCOUNT,
        "quota",
        statuses=(0, 429),
        text=r"per[- _]?day|daily (limit|quota)|free allocated quota",
        code="daily_quota",
        unless_soon=True,
        window=True,
    ),
    Rule(
        F.ACCOUNT,
        "balance",
        statuses=(0, 429, 403),
        text=r"exceeded your current quota|exhausted balance|insufficient balance|余额不足|欠费"
        r"|额度不足|quota is not enough",
        code="insufficient_quota",
        unless_soon=True,
    ),
    Rule(
        F.ACCOUNT,
        "balance",
        statuses=(0, 400),
        text=r"credit balance is too low|insufficient balance|spend limit reached"
        r"|account is in good standing",
        code="insufficient_balance",
    ),
    Rule(
        F.INVALID,
        "context_long",
        statuses=(0, 400, 413, 500),
        text=r"maximum context length|context size|context window|prompt is too long"
        r"|range of input length",
        code="context_length_exceeded",
    ),
    Rule(
        F.INVALID,
        "model_not_found",
        statuses=(400, 404),
        text=r"model\b.{0,200}(not found|does not exist|not exist)|invalid model name",
        code="model_not_found",
    ),
)
"""Judged by status (0: a good one hides it) and sentence, when no word was known."""
