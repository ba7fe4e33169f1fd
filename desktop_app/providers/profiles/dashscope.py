"""DashScope's compatible mode: ``insufficient_quota`` is its word for "slow down"."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.chat import STREAMS
from desktop_app.providers.profiles.rule import Profile, Rule

_QUOTA = ("insufficient_quota", "throttling.allocationquota")

DASHSCOPE = Profile(
    "dashscope",
    hosts=(
        "dashscope.aliyuncs.com",
        "dashscope-intl.aliyuncs.com",
        "dashscope-us.aliyuncs.com",
    ),
    default_path="/compatible-mode/v1",
    needs_key=True,
    chat=STREAMS,
    rules=(
        Rule(F.ACCOUNT, "quota", codes=_QUOTA, text=r"free (allocated )?quota"),
        Rule(F.THROTTLED, "throttled", codes=_QUOTA),
        Rule(
            F.INVALID,
            "invalid",
            codes=("accessdenied",),
            text=r"does not support (a?synchronous)",
        ),
        # "InvalidParameter.DataInspection" is a file that can't be read, not a refusal.
        Rule(F.INVALID, "invalid", codes=("invalidparameter*", "badrequest*", "invalidurl")),
        Rule(F.UNKNOWN, "gateway_timeout", codes=("requesttimeout",)),
    ),
)
