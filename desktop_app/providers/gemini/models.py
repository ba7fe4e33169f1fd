"""What a model's name tells: which call it answers, and what it makes."""

from __future__ import annotations

import re

_PICTURES = re.compile(r"image|imagen|banana")


def is_imagen(model: str) -> bool:
    """Whether it is one of the models that make pictures and nothing else, by a call of its own."""
    return bare(model).startswith("imagen")


def makes_pictures(model: str) -> bool:
    """Whether pictures are wanted of it."""
    return _PICTURES.search(bare(model)) is not None


def bare(model: str) -> str:
    """Without the folder that lists write before it."""
    return model.strip().lower().removeprefix("models/")


def path_of(model: str, method: str) -> str:
    """The endpoint for one method of a model."""
    return f"/models/{model.strip().removeprefix('models/')}:{method}"
