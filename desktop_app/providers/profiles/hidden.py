"""Words that say too little beside a status, and all there is to know where a good one hides it."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.rule import Rule

HIDDEN: tuple[Rule, ...] = (
    Rule(
        F.ACCOUNT,
        "forbidden",
        statuses=(0,),
        codes=("accessdenied*", "permission_error", "permission_denied", "unsupported_country*"),
    ),
    Rule(
        F.TRANSIENT,
        "server_error",
        statuses=(0,),
        codes=(
            "internal*error*",
            "server_error",
            "api_error",
            "modelservicefailed",
            "serviceunavailable*",
            "service_unavailable*",
        ),
    ),
    Rule(
        F.INVALID,
        "invalid",
        statuses=(0,),
        codes=(
            "invalid_request_error",
            "invalidparameter*",
            "invalid_parameter*",
            "invalidendpoint*",
            "missingparameter",
            "bad_request*",
        ),
    ),
)
