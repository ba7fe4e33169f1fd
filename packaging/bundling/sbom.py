"""The bill of materials: the parts in a form that programs read, to find what a fault in one of
them concerns."""

from __future__ import annotations

import json
from collections.abc import Iterable

import inner
import purls
import spdx
from parts import Part


def text(parts: Iterable[Part], version: str) -> str:
    """The parts as CycloneDX 1.5 JSON (https://cyclonedx.org/docs/1.5/json/)."""
    listed = [
        {
            "type": "library",
            "name": part.name,
            "version": part.version,
            "purl": purls.of(part.kind, part.name, part.version),
            "licenses": _licences(part.licence),
            **({"components": [_held(held) for held in part.holds]} if part.holds else {}),
        }
        for part in parts
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "batchwright", "version": version}
        },
        "components": listed,
    }
    return json.dumps(document, indent=2) + "\n"


def _held(held: inner.Inner) -> dict[str, object]:
    version = {"version": held.version} if held.version else {}
    scope = {"scope": "optional"} if held.optional else {}
    line = {"copyright": held.copyright} if held.copyright else {}
    told = {"type": "library", "name": held.name, **version, **scope, "purl": held.purl}
    return {**told, "licenses": _licences(held.licence), **line}


def _licences(said: str) -> list[dict[str, object]]:
    """An expression of SPDX's names has a field of its own, loose wording another."""
    return [{"expression": said}] if spdx.is_expression(said) else [{"license": {"name": said}}]
