"""Whoever writes a provider file finds every key that is understood in the one that tells the
format, and every field that can be filled."""

from __future__ import annotations

import re

import pytest

from desktop_app.providers.job_file.call_parts import _MODEL
from desktop_app.providers.job_file.callback_part import _CALLED
from desktop_app.providers.job_file.error_part import MEANINGS
from desktop_app.providers.job_file.model import Signature, State
from desktop_app.providers.job_file.reading import load
from desktop_app.providers.job_file.table import Table
from tests.providers.job_file.desk import SHIPPED

WHOLE = """
[provider]
[key]
[params.size]
[references]
[submit]
keep = { at = "at" }
[poll]
states = { ready = "done" }
lost = [{ text = "no such job" }]
many = { path = "/jobs" }
[result]
fetch = { path = "/results/{id}" }
[cancel]
[callback]
secret_from = { path = "/secret" }
[test]
model = { path = "/models" }
[errors]
rules = [{ means = "busy" }]
[price]
"""
"""Every part, so that everybody asks for their keys."""

NAMED_BY_THE_FILE = {"size", "at", "ready"}


def told() -> str:
    text = (SHIPPED / "replicate.toml").read_text("utf-8")
    return text[: text.index("\n[provider]")]


def understood(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Every key that the reading asks for."""
    asked: set[str] = set()
    real = Table._of

    def of(self: Table, key: str, kind: object, name: str, *, needed: bool = False) -> object:
        asked.add(key)
        return real(self, key, kind, name, needed=needed)

    monkeypatch.setattr(Table, "_of", of)
    load("x.toml", WHOLE.encode())
    load("x.toml", WHOLE.replace("[callback]", "[callback]\nsignature = 'ed25519-jwks'").encode())
    return asked - NAMED_BY_THE_FILE


def test_every_key_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = understood(monkeypatch)
    assert {"base_url", "job_id", "verdicts", "keys_url", "between", "means", "tokens"} <= keys
    words = set(re.findall(r"[a-z0-9_]+", told()))
    assert keys - words == set()


def test_every_word_of_a_choice_is_told() -> None:
    text = told()
    for word in (*MEANINGS, *State, *Signature):
        assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text), word
    for field in (*_MODEL, *_CALLED, "id", "ids", "prompt", "reference", "references"):
        assert f"{{{field}}}" in text, field
