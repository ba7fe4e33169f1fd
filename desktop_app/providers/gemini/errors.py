"""Google puts what matters of an error into its details: the reason, and which quota it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from desktop_app.providers.error_body import ErrorBody, error_of


def read_error(found: Any, text: str = "") -> ErrorBody:
    """As ``error_of``, with the details' words before the others."""
    body = error_of(found, text)
    details = body.fields.get("details")
    words = tuple(_words(details)) if isinstance(details, list) else ()
    return replace(body, codes=tuple(dict.fromkeys((*words, *body.codes)))) if words else body


def _words(details: list[Any]) -> Iterator[str]:
    for one in details:
        if not isinstance(one, Mapping):
            continue
        if isinstance(one.get("reason"), str):
            yield one["reason"]
        violations = one.get("violations")
        quotas = (v.get("quotaId") for v in violations or () if isinstance(v, Mapping))
        # A day's quota says more than a minute's that is used up with it.
        yield from sorted(
            (quota for quota in quotas if isinstance(quota, str)), key=lambda q: "PerDay" not in q
        )
