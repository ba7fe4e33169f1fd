"""Which of a request's fields are sent: the row's win over the connection's, and what an operator
added by hand over all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.domain.connection import Connection


def setting(
    connection: Connection, params: Mapping[str, Any], extra: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters and extra fields in force: the request's win over the connection's. Parameters
    that are blank count as not given."""
    merged = {**connection.params, **params}
    given = {k: v for k, v in merged.items() if v is not None and v != ""}
    return given, {**connection.extra, **extra}


def results_asked(fields: object, name: str) -> int:
    """How many results these fields of a body ask for: one, where they say nothing else."""
    count = fields.get(name) if isinstance(fields, Mapping) else None
    return count if isinstance(count, int) and count > 0 else 1


def with_extra(body: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """``extra`` laid over the body as it is; a null takes the field away."""
    return {k: v for k, v in {**body, **extra}.items() if k not in extra or v is not None}
