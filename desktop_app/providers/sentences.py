"""Chooses the sentence for a finding, with the vendor's own words where they help a person."""

from __future__ import annotations

from typing import Any

from desktop_app.domain.text import Message
from desktop_app.domain.wording.providers import MESSAGES


def sentence(name: str, text: str = "", **values: Any) -> Message:
    """The Message ``providers.<name>``, or ``providers.<name>_said`` where the vendor said
    something and there is a wording that quotes it."""
    quoting = f"providers.{name}_said"
    if text and quoting in MESSAGES:
        return Message(quoting, {**values, "text": text})
    return Message(f"providers.{name}", values)
