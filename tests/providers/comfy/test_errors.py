"""Why a server takes no workflow, word by word as older and newer ones say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.text import Translator
from desktop_app.providers.comfy.errors import read_error
from desktop_app.providers.error_map import Site, classify
from desktop_app.providers.http.client import Wire
from desktop_app.providers.profiles.comfyui import COMFYUI
from desktop_app.providers.redact import Scrubber

LOCALES = Path(__file__).parents[3] / "resources" / "locale"
SITE = Site("gpu:8188", "shoe", COMFYUI, Scrubber(), read=read_error)

OF_ALL = (
    "no_prompt",
    "invalid_prompt",
    "invalid_prompt_id",
    "missing_node_type",
    "prompt_no_outputs",
)
OF_A_NODE = (
    "invalid_input_type",
    "value_smaller_than_min",
    "value_bigger_than_max",
    "value_not_in_list",
    "required_input_missing",
    "custom_validation_failed",
    "return_type_mismatch",
    "bad_linked_input",
    "dependency_cycle",
    "exception_during_validation",
    "exception_during_inner_validation",
)


def whole(word: str) -> Any:
    error = {"type": word, "message": "It does not fit", "details": "why", "extra_info": {}}
    return {"error": error, "node_errors": {}}


def single(word: str) -> Any:
    found = whole("prompt_outputs_failed_validation")
    errors = [{"type": word, "message": "It does not fit", "details": "why", "extra_info": {}}]
    blamed = {"errors": errors, "dependent_outputs": ["9"], "class_type": "KSampler"}
    return {**found, "node_errors": {"3": blamed}}


@pytest.mark.parametrize(
    ("word", "body", "words"),
    [
        *((word, whole(word), "It does not fit (why)") for word in OF_ALL),
        *((word, single(word), "KSampler (3): It does not fit: why") for word in OF_A_NODE),
        (
            "prompt_outputs_failed_validation",
            whole("prompt_outputs_failed_validation"),
            "It does not fit (why)",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "_" in value else "",
)
def test_each_word(word: str, body: Any, words: str) -> None:
    failure = classify(SITE, Wire(400, {}, json.dumps(body).encode(), 0.1), 0.0)
    assert (failure.kind, failure.code, failure.billed) == (F.INVALID, word, False)
    assert Translator().say(failure.said) == f"gpu:8188 can't run the workflow: {words}"
    chinese = Translator("zh_CN", LOCALES).say(failure.said)
    assert chinese == f"gpu:8188 无法运行该工作流：{words}"


def test_what_can_not_be_read_is_its_own_fault() -> None:
    """It answers a broken body with 500; ours are whole."""
    assert classify(SITE, Wire(500, {}, b"500 Internal Server Error", 0.1), 0.0).kind is F.TRANSIENT
