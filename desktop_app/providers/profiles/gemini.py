"""Google's Gemini and Imagen: a dead key is a bad request, every limit is "your current quota", and
only the name of the quota tells a minute from a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.rule import Profile, Rule

_WINTER = timezone(timedelta(hours=-8))


def next_day(now: float) -> float:
    """When a day's quota comes back (epoch s): at the next midnight of the Pacific coast."""
    local = datetime.fromtimestamp(now, UTC).astimezone(_coast())
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return midnight.timestamp()


def _coast() -> tzinfo:
    try:
        return ZoneInfo("America/Los_Angeles")
    except ZoneInfoNotFoundError:  # a computer without time zones: an hour late in summer
        return _WINTER


GEMINI = Profile(
    "gemini",
    hosts=("generativelanguage.googleapis.com",),
    default_path="/v1beta",
    needs_key=True,
    rules=(
        Rule(F.ACCOUNT, "auth", codes=("api_key_invalid", "api_key_expired")),
        Rule(
            F.ACCOUNT,
            "auth",
            statuses=(400,),
            text=r"api key (not valid|expired)",
            code="api_key_invalid",
        ),
        Rule(
            F.ACCOUNT,
            "forbidden",
            codes=("failed_precondition", "api_key_service_blocked", "service_disabled"),
        ),
        # None at all is no limit that passes.
        Rule(F.ACCOUNT, "not_enabled", statuses=(429,), text=r"limit: 0\b", code="no_quota"),
        Rule(
            F.ACCOUNT,
            "quota",
            statuses=(429,),
            codes=("*perday*",),
            window=True,
            renewed=next_day,
        ),
        Rule(F.THROTTLED, "throttled", statuses=(429,), codes=("resource_exhausted",)),
        Rule(F.INVALID, "model_not_found", statuses=(404,), codes=("not_found",)),
        Rule(
            F.INVALID,
            "context_long",
            statuses=(400,),
            text=r"(input )?token count .{0,40}exceed",
            code="context_length_exceeded",
        ),
        Rule(
            F.REFUSED,
            "refused",
            statuses=(400,),
            text=r"prompt (could not be submitted|contains sensitive)",
            code="responsible_ai",
            of_input=True,
        ),
        Rule(
            F.REFUSED,
            "refused",
            statuses=(400,),
            text=r"responsible ai|error code: \d{8}|violat\w+ .{0,60}(polic|guideline)",
            code="responsible_ai",
        ),
        Rule(F.THROTTLED, "busy", statuses=(503,), codes=("unavailable",)),
        Rule(F.UNKNOWN, "gateway_timeout", codes=("deadline_exceeded",)),
    ),
)
