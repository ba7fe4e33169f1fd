"""Servers on the operator's own machine: Ollama and llama.cpp."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.chat import ChatWays
from desktop_app.providers.profiles.rule import Profile, Rule

OLLAMA = Profile(
    "ollama",
    chat=ChatWays(streams=True, stream_usage=True, json_schema=True, cuts_prompts=True),
    rules=(
        Rule(
            F.INVALID,
            "model_not_pulled",
            statuses=(0, 404),
            text=r"try pulling it first",
            code="model_not_found",
        ),
        Rule(
            F.THROTTLED,
            "busy",
            statuses=(0, 503),
            text=r"server busy|maximum pending requests",
            code="server_busy",
            concurrency=True,
        ),
    ),
)

LLAMACPP = Profile(
    "llamacpp",
    open_models=True,
    chat=ChatWays(streams=True, stream_usage=True, json_schema=True, counts_one=True),
    rules=(
        # Still loading: it will answer in a moment, so no retry should be spent on it.
        Rule(F.THROTTLED, "loading", codes=("unavailable_error",), statuses=(503,)),
        # A 500, yet the same for ever: a model without eyes.
        Rule(
            F.INVALID,
            "invalid",
            statuses=(500,),
            text=r"image input is not supported",
            code="image_not_supported",
        ),
        Rule(
            F.INVALID,
            "invalid",
            statuses=(500,),
            text=r"is required|is missing",
            code="field_missing",
        ),
        Rule(F.INVALID, "invalid", codes=("not_supported_error",), statuses=(501,)),
    ),
)
