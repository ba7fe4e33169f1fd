"""An answer in JSON: how it is asked for in each vendor's way, and whether it came."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.text import message
from desktop_app.providers.profiles.chat import ChatWays

OBJECT = "object"
"""The setting for "an object of any shape"; any other value is a JSON schema."""

_PLAIN = {"type": "json_object"}
_SAYS_JSON = re.compile(r"json", re.IGNORECASE)
_ASKED = "Answer in JSON."
_ASKED_SHAPE = "Answer in JSON that fits this schema:"


def schema_of(setting: object) -> Mapping[str, Any] | None:
    """The schema that a setting holds, None for one without. Raises ProviderFailure ``invalid``
    for what is neither: nothing was sent then."""
    if isinstance(setting, Mapping):
        return setting
    text = str(setting).strip()
    if text.casefold() == OBJECT:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        said = message("providers.bad_schema")
        failure = Failure(FailureClass.INVALID, "bad_schema", said, sent=False, billed=False)
        raise ProviderFailure(failure)
    return found


def response_format(setting: object, ways: ChatWays) -> Mapping[str, Any]:
    """The field ``response_format``. A schema with a name of its own is taken as it is. Raises
    ProviderFailure, see ``schema_of``."""
    schema = schema_of(setting)
    if schema is None or not ways.json_schema:
        return _PLAIN
    if isinstance(schema.get("schema"), Mapping):
        return {"type": "json_schema", "json_schema": {"name": "answer", **schema}}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def instruction(setting: object, ways: ChatWays, *said: str) -> str:
    """What the model must be told beside what was ``said`` to it: servers refuse to make JSON, or
    models never end, where nobody speaks of JSON; a schema that the server does not take is told
    in words. Raises ProviderFailure, see ``schema_of``."""
    schema = schema_of(setting)
    if schema is not None and not ways.json_schema:
        inner = schema.get("schema")
        shape = inner if isinstance(inner, Mapping) else schema
        return f"{_ASKED_SHAPE} {json.dumps(shape, ensure_ascii=False)}"
    if schema is not None or any(_SAYS_JSON.search(text) for text in said):
        return ""
    return _ASKED


def is_json(text: str) -> bool:
    """Whether it can be read as JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
