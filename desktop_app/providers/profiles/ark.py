"""Volcengine Ark (Seedream): the structured code decides; statuses are shared."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.chat import STREAMS
from desktop_app.providers.profiles.pictures import PictureWays
from desktop_app.providers.profiles.rule import Profile, Rule

ARK = Profile(
    "ark",
    hosts=("volces.com", "bytepluses.com"),
    default_path="/api/v3",
    needs_key=True,
    chat=STREAMS,
    pictures=PictureWays(fixed={"watermark": False}, shows="image", groups=True),
    rules=(
        Rule(F.TRANSIENT, "server_error", codes=("internalserviceerror",)),
        Rule(F.ACCOUNT, "forbidden", codes=("accessdenied",), statuses=(403,)),
    ),
)
