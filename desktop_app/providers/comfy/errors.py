"""Why a server takes no workflow: it says it node by node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from desktop_app.providers.error_body import ErrorBody, error_of

_NODES_SHOWN = 3
_DETAIL_CHARS = 160


def read_error(found: Any, text: str = "") -> ErrorBody:
    """As ``error_of``; where single nodes are to blame, with their names and reasons."""
    body = error_of(found, text)
    if not isinstance(found, Mapping):
        return body
    blamed = list(node_errors(found.get("node_errors")))
    if blamed:
        said = "; ".join(said for _, said in blamed[:_NODES_SHOWN])
        codes = tuple(dict.fromkeys((*(code for code, _ in blamed[:1]), *body.codes)))
        return replace(body, codes=codes, message=said)
    details = body.fields.get("details")
    if isinstance(details, str) and details and details not in body.message:
        return replace(body, message=f"{body.message} ({_short(details)})")
    return body


def node_errors(found: object) -> Iterator[tuple[str, str]]:
    """The server's word and a person's line for each fault."""
    for node, errors in found.items() if isinstance(found, Mapping) else ():
        name = errors.get("class_type") if isinstance(errors, Mapping) else None
        listed = errors.get("errors") if isinstance(errors, Mapping) else None
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, Mapping):
                reason = str(one.get("message") or one.get("type") or "")
                details = _short(str(one.get("details") or ""))
                said = f"{reason}: {details}" if details else reason
                yield str(one.get("type") or ""), f"{name or '?'} ({node}): {said}"


def _short(text: str) -> str:
    return text if len(text) <= _DETAIL_CHARS else text[: _DETAIL_CHARS - 1] + "…"
