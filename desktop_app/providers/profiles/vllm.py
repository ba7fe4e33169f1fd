"""vLLM: the type of its error tells more than its code, which repeats the status."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.chat import STREAMS_AND_SCHEMAS
from desktop_app.providers.profiles.rule import Profile, Rule

VLLM = Profile(
    "vllm",
    chat=STREAMS_AND_SCHEMAS,
    rules=(
        Rule(
            F.INVALID,
            "context_long",
            statuses=(400,),
            text=r"maximum (context|model) length|longer than the maximum|max_model_len",
            code="context_length_exceeded",
        ),
        Rule(F.INVALID, "model_not_found", codes=("notfounderror",), statuses=(404,)),
    ),
)
