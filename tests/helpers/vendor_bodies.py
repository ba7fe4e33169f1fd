"""How five vendors of pictures speak, in the bodies that were recorded of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.contract.server import Seen


@dataclass(frozen=True)
class Vendor:
    """How one of them speaks. Templates of bodies take ``base``, ``id`` and ``url``."""

    preset: str
    root: str
    model: str
    key_header: str
    key_prefix: str
    submit: str
    prompt_of: Callable[[Any], str]
    taken: Callable[[str, str], Any]
    job_of: Callable[[Seen], str | None]
    running: Any
    done: Callable[[str, str], Any]
    failed: tuple[int, Any]
    refused: tuple[int, Any]
    lost: tuple[int, Any] | None
    throttled: tuple[int, Any]
    is_fetch: Callable[[Seen], bool] = lambda _seen: False
    status_done: Any = None
    status_failed: Any = None
    cancel: Callable[[Seen], bool] = lambda seen: seen.target.endswith("/cancel")
    cancelled: tuple[int, Any] = (200, {})
    after_cancel: Any = None


def _segment(pattern: str) -> Callable[[Seen], str | None]:
    compiled = re.compile(pattern)

    def of(seen: Seen) -> str | None:
        found = compiled.search(seen.target)
        return found[1] if found else None

    return of


def _dashscope(state: str, **more: Any) -> Any:
    return {"request_id": "q-1", "output": {"task_id": "{id}", "task_status": state, **more}}


VENDORS = {
    "replicate": Vendor(
        "replicate",
        "/v1",
        "black-forest-labs/flux-schnell",
        "authorization",
        "Bearer ",
        "/v1/predictions",
        lambda body: body["input"]["prompt"],
        lambda base, job: {
            "id": job,
            "status": "starting",
            "error": None,
            "output": None,
            "urls": {
                "get": f"{base}/v1/predictions/{job}",
                "cancel": f"{base}/v1/predictions/{job}/cancel",
            },
        },
        _segment(r"/v1/predictions/([^/?]+)"),
        {"status": "processing", "output": None, "error": None},
        lambda _job, url: {"status": "succeeded", "output": [url], "metrics": {"predict_time": 1}},
        (200, {"status": "failed", "output": None, "error": "CUDA out of memory"}),
        (
            200,
            {
                "status": "failed",
                "error": "The input or output was flagged as sensitive. Please try again with "
                "different inputs. (E005)",
            },
        ),
        None,  # a 404 is vague there
        (
            429,
            {
                "detail": "Request was throttled. Your rate limit resets in ~1s.",
                "status": 429,
                "retry_after": 1,
            },
        ),
        after_cancel={"status": "canceled", "output": None},
    ),
    "fal": Vendor(
        "fal",
        "",
        "fal-ai/flux/dev",
        "authorization",
        "Key ",
        "/fal-ai/flux/dev",
        lambda body: body["prompt"],
        lambda base, job: {
            "request_id": job,
            "response_url": f"{base}/fal-ai/flux/requests/{job}",
            "status_url": f"{base}/fal-ai/flux/requests/{job}/status",
            "cancel_url": f"{base}/fal-ai/flux/requests/{job}/cancel",
            "gateway_request_id": job,
        },
        _segment(r"/requests/([^/?]+)"),
        {"status": "IN_QUEUE", "queue_position": 3},
        lambda _job, url: {
            "images": [{"url": url, "width": 8, "height": 8}],
            "has_nsfw_concepts": [False],
        },
        (504, {"detail": "Request timed out", "error_type": "request_timeout"}),
        (
            422,
            {
                "detail": [
                    {
                        "loc": ["body", "prompt"],
                        "msg": "The content could not be processed because it contained material "
                        "flagged by a content checker.",
                        "type": "content_policy_violation",
                    }
                ]
            },
        ),
        None,
        (429, {"detail": "Too many requests"}),
        is_fetch=lambda seen: not seen.target.endswith("/status"),
        status_done={"status": "COMPLETED", "metrics": {}},
        status_failed={"status": "COMPLETED", "error": "Request failed", "error_type": "x"},
        cancelled=(202, {"status": "CANCELLATION_REQUESTED"}),
    ),
    "bfl": Vendor(
        "bfl",
        "/v1",
        "flux-2-pro",
        "x-key",
        "",
        "/v1/flux-2-pro",
        lambda body: body["prompt"],
        lambda base, job: {"id": job, "polling_url": f"{base}/v1/get_result?id={job}"},
        lambda seen: next(iter(parse_qs(urlsplit(seen.target).query).get("id", ())), None),
        {"id": "{id}", "status": "Pending", "result": None},
        lambda job, url: {"id": job, "status": "Ready", "result": {"sample": url}},
        (200, {"id": "{id}", "status": "Error", "result": None}),
        (200, {"id": "{id}", "status": "Request Moderated", "result": None}),
        (200, {"id": "{id}", "status": "Task not found", "result": None}),
        (429, {"detail": "Too many active tasks"}),
    ),
    "dashscope-wan": Vendor(
        "dashscope-wan",
        "/api/v1",
        "wan2.2-t2i-flash",
        "authorization",
        "Bearer ",
        "/api/v1/services/aigc/text2image/image-synthesis",
        lambda body: body["input"]["prompt"],
        lambda _base, job: {
            "request_id": "q-1",
            "output": {"task_id": job, "task_status": "PENDING"},
        },
        _segment(r"/api/v1/tasks/([^/?]+)"),
        _dashscope("RUNNING"),
        lambda job, url: {
            "request_id": "q-1",
            "output": {
                "task_id": job,
                "task_status": "SUCCEEDED",
                "results": [{"url": url}],
                "task_metrics": {"TOTAL": 1, "SUCCEEDED": 1, "FAILED": 0},
            },
            "usage": {"image_count": 1},
        },
        (200, _dashscope("FAILED", code="InternalError.Algo", message="Algo process error")),
        (
            200,
            _dashscope(
                "FAILED",
                code="DataInspectionFailed",
                message="Input data may contain inappropriate content.",
            ),
        ),
        (200, _dashscope("UNKNOWN")),
        (
            429,
            {"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded"},
        ),
        after_cancel=_dashscope("CANCELED"),
    ),
    "dashscope-qwen-image": Vendor(
        "dashscope-qwen-image",
        "/api/v1",
        "qwen-image",
        "authorization",
        "Bearer ",
        "/api/v1/services/aigc/multimodal-generation/generation",
        lambda body: body["input"]["messages"][0]["content"][-1]["text"],
        lambda _base, _job: {},
        lambda _seen: None,
        None,
        lambda _job, url: {
            "request_id": "q-1",
            "output": {"choices": [{"message": {"content": [{"image": url}]}}]},
            "usage": {"image_count": 1},
        },
        (500, {"code": "InternalError.Algo", "message": "Algo process error"}),
        (
            400,
            {
                "code": "DataInspectionFailed",
                "message": "Input data may contain inappropriate content.",
            },
        ),
        None,
        (429, {"code": "Throttling", "message": "Requests rate limit exceeded"}),
    ),
}
