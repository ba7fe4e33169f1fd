"""The model that a mapping names decides which parameters its rows may have."""

from __future__ import annotations

import pytest

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.connection import Connection
from desktop_app.providers.registry import AdapterRegistry
from desktop_app.services.plan_rows import caps_of

CONNECTION = Connection("c", "openai-images", "https://x.example/v1", "gpt-image-1")


@pytest.mark.parametrize(
    ("model", "has_style"),
    [(None, False), ("", False), ("dall-e-3", True), ("@which", False)],
)
def test_parameters_are_those_of_the_model_that_all_rows_name(
    model: str | None, has_style: bool
) -> None:
    mapping = SheetMapping(params={} if model is None else {"model": model})
    names = {param.name for param in caps_of(AdapterRegistry(), CONNECTION, mapping).params}
    assert ("style" in names) is has_style
    assert {"model", "size"} <= names
