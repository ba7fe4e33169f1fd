"""Model names: what a name implies for the request, and whether the asked one answered."""

from __future__ import annotations

import re

ANY_MODEL = "default"
"""As a model's name: whichever the server has."""

_REASONING = re.compile(r"(?:^(?:ft:)?|/)(?:o\d|gpt-[5-9]|gpt-\d\d)")


def wants_completion_tokens(model: str) -> bool:
    """OpenAI's newer models know ``max_completion_tokens`` only."""
    return _REASONING.search(model.lower()) is not None


def is_other_model(asked: str, answered: object) -> bool:
    """Whether another model answered. Dated and tagged variants of the asked one are the same;
    an endpoint id (``ep-...``) says nothing about the model behind it."""
    if not isinstance(answered, str) or not answered or asked.startswith("ep-"):
        return False
    if asked.lower() == ANY_MODEL:
        return False
    wanted, got = _bare(asked), _bare(answered)
    return not (got.startswith(wanted) or wanted.startswith(got))


def _bare(model: str) -> str:
    return model.lower().rpartition("/")[2].removesuffix("-latest").removesuffix(":latest")
