"""A finished job's record: older servers leave parts of it out, and none may be believed whole."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.jobs import JobCancelled, JobDone, JobFailed, JobState
from desktop_app.providers.comfy.history import state_of
from desktop_app.providers.error_map import Site
from desktop_app.providers.profiles.comfyui import COMFYUI
from desktop_app.providers.redact import Scrubber
from tests.contract.test_odd_answers import odd
from tests.providers.comfy.workflows import text_to_picture

SITE = Site("127.0.0.1:8188", "m", COMFYUI, Scrubber())
SAVED = {"filename": "a.png", "subfolder": "", "type": "output"}
SHOWN = {"filename": "b.png", "subfolder": "", "type": "temp"}


def entry(outputs: Any, status: Any = None, *messages: Any) -> dict[str, Any]:
    told = {"status_str": status, "completed": True, "messages": list(messages)}
    return {
        "prompt": [1, "id", text_to_picture(), {}, ["9"]],
        "outputs": outputs,
        "status": told if status else None,
    }


def state(found: Any, *wanted: str) -> JobState:
    return state_of(found, SITE, 1_800_000_000.0, wanted)


def test_without_a_status_the_outputs_count() -> None:
    done = state(entry({"9": {"images": [SAVED]}}))
    assert isinstance(done, JobDone)
    assert done.context == {"files": [SAVED], "seeds": {"3.seed": 156680208700286}}


def test_what_is_only_shown_is_a_result_where_nothing_is_saved() -> None:
    both = {"9": {"images": [SAVED]}, "20": {"images": [SHOWN]}}
    assert state(entry(both)) == state(entry({"9": {"images": [SAVED]}}))
    only = state(entry({"20": {"images": [SHOWN]}}))
    assert isinstance(only, JobDone)
    assert only.context["files"] == [SHOWN]


def test_the_wanted_node_alone_counts() -> None:
    both = {"9": {"images": [SAVED]}, "20": {"images": [SHOWN]}}
    done = state(entry(both), "20")
    assert isinstance(done, JobDone)
    assert done.context["files"] == [SHOWN]


def test_the_last_word_tells_an_interruption_from_an_error() -> None:
    cut = ["execution_interrupted", {"prompt_id": "id", "node_id": "3"}]
    broke = ["execution_error", {"exception_type": "ValueError", "exception_message": "no"}]
    assert state(entry({}, "error", cut)) == JobCancelled(billed=None)
    failed = state(entry({}, "error", broke))
    assert isinstance(failed, JobFailed)
    assert (failed.failure.kind, failed.failure.code) == (F.INVALID, "execution_error.ValueError")


def test_an_error_without_a_word_is_one() -> None:
    failed = state(entry({"9": {"images": [SAVED]}}, "error"))
    assert isinstance(failed, JobFailed)


@pytest.mark.parametrize("outputs", [{}, None, {"9": {"text": ["a"]}}, {"9": {"images": []}}])
def test_nothing_to_look_at_is_no_result(outputs: Any) -> None:
    failed = state(entry(outputs, "success"))
    assert isinstance(failed, JobFailed)
    assert failed.failure.code == "no_output"


def test_no_record_is_a_fault_of_the_program() -> None:
    broke = ["execution_error", {"exception_type": "X", "exception_message": "no", "node_id": "3"}]
    for found in odd(entry({"9": {"images": [SAVED]}}, "error", broke)):
        if isinstance(found, dict):
            assert state(found)
