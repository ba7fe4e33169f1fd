"""What the record of a finished job says: a server counts as an error what was interrupted, and as
a success what made no picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.jobs import JobCancelled, JobDone, JobFailed, JobState
from desktop_app.domain.text import message
from desktop_app.providers.comfy.workflow import BadWorkflow, Workflow, by_number
from desktop_app.providers.error_body import ErrorBody
from desktop_app.providers.error_map import Site, judge
from desktop_app.providers.http.client import Wire

EXECUTION_ERROR = "execution_error"
_BODY_CHARS = 20_000


def state_of(entry: Mapping[str, Any], site: Site, now: float, wanted: Sequence[str]) -> JobState:
    """The state that a record tells. ``wanted``: nodes whose pictures are the results; none: all
    those that are saved, else those that are shown. ``now`` is epoch seconds."""
    status = entry.get("status")
    status = status if isinstance(status, Mapping) else {}
    for kind, data in reversed(list(_messages(status))):
        if kind == "execution_interrupted":
            return JobCancelled(billed=None)
        if kind == EXECUTION_ERROR:
            return JobFailed(_failure(data, site, now))
    if status.get("status_str") == "error":
        return JobFailed(_failure({}, site, now))
    files = _files(entry, wanted)
    if not files:
        said = message("comfyui.no_output")
        body = site.scrub(json.dumps(entry.get("outputs"), ensure_ascii=False), 2000)
        return JobFailed(Failure(FailureClass.INVALID, "no_output", said, body=body))
    return JobDone({"files": files, "seeds": _seeds(entry)})


def _messages(status: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    listed = status.get("messages")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, list) and len(one) == 2 and isinstance(one[1], Mapping):
            yield str(one[0]), one[1]


def _failure(data: Mapping[str, Any], site: Site, now: float) -> Failure:
    kind = str(data.get("exception_type") or "unknown")
    node = " ".join(str(data[key]) for key in ("node_type", "node_id") if data.get(key))
    words = str(data.get("exception_message") or "").strip() or kind
    told = {key: data.get(key) for key in ("exception_message", "traceback")}
    body = ErrorBody(
        codes=(f"{EXECUTION_ERROR}.{kind.rpartition('.')[2]}",),
        message=f"{node}: {words}" if node else words,
        text=json.dumps(told, ensure_ascii=False)[:_BODY_CHARS],
    )
    return judge(site, Wire(200, {}, b"", 0.0), body, 0, now)


def _files(entry: Mapping[str, Any], wanted: Sequence[str]) -> list[dict[str, str]]:
    outputs = entry.get("outputs")
    outputs = outputs if isinstance(outputs, Mapping) else {}
    found = [
        {key: str(image.get(key) or "") for key in ("filename", "subfolder", "type")}
        for node in sorted(outputs, key=by_number)
        if not wanted or node in wanted
        for image in _images(outputs[node])
    ]
    saved = [file for file in found if file["type"] != "temp"]
    return saved if saved and not wanted else found


def _images(output: object) -> list[Mapping[str, Any]]:
    listed = output.get("images") if isinstance(output, Mapping) else None
    images = listed if isinstance(listed, list) else []
    return [one for one in images if isinstance(one, Mapping) and one.get("filename")]


def _seeds(entry: Mapping[str, Any]) -> dict[str, int]:
    """By input, as they were worked with."""
    prompt = entry.get("prompt")
    graph = prompt[2] if isinstance(prompt, list) and len(prompt) > 2 else None
    try:
        return {one.id: one.value for one in Workflow(graph).seeds()}
    except BadWorkflow:
        return {}
