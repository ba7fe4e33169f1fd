"""Every error that a vendor of chats and pictures is known to send: what it means to the engine,
whether it was billed, and what the operator reads in either language."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.text import Translator
from desktop_app.providers.error_body import has_error, parse_error
from desktop_app.providers.error_map import Site, classify, judge
from desktop_app.providers.http.client import Wire
from desktop_app.providers.profiles import profile_of
from desktop_app.providers.redact import Scrubber

LOCALES = Path(__file__).parents[2] / "resources" / "locale"
NOW = 1_800_000_000.0
URLS = {
    "openai": "https://api.openai.com/v1",
    "azure": "https://acme.openai.azure.com/openai/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "dashscope": "https://dashscope.aliyuncs.com/compatible-mode/v1",
    "ark": "https://ark.cn-beijing.volces.com/api/v3",
    "litellm": "http://10.0.0.7:4000",
    "vllm": "http://10.0.0.7:8000/v1",
    "gateway": "https://gateway.example/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "llamacpp": "http://127.0.0.1:8080/v1",
}
SENTENCES = {
    "auth": ("refused the key", "密钥"),
    "balance": ("has no money left", "余额"),
    "big": ("larger than", "超过"),
    "broken": ("It may have been billed", "可能已计费"),
    "busy": ("is busy", "繁忙"),
    "content": ("refused this by its content rules", "内容"),
    "forbidden": ("doesn't allow this key to do that", "不允许"),
    "gateway": ("gave up waiting for the result", "放弃等待"),
    "invalid": ("can't work with this request", "无法处理"),
    "loading": ("is still loading its model", "加载"),
    "long": ("is too long for m-1", "长度限制"),
    "no_model": ("has no model m-1", "没有模型"),
    "not_enabled": ("is not opened for this account", "开通"),
    "not_pulled": ('Run "ollama pull m-1"', "ollama pull m-1"),
    "not_streamed": ("only to verified organisations", "验证"),
    "quota": ("quota at", "配额"),
    "server": ("had an error of its own", "内部出错"),
    "slow": ("asks to slow down", "放慢"),
}


@dataclass(frozen=True)
class Row:
    vendor: str
    status: int
    body: Any
    kind: F
    said: str
    billed: bool | None = False
    code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    concurrency: bool = False

    def __str__(self) -> str:
        return f"{self.vendor}-{self.status}-{self.kind}-{self.said}-{self.code}"


def error(message: str, code: Any = None, kind: Any = None, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code, **more}}


def failure_of(row: Row, *, hidden: bool = False) -> Failure:
    """``hidden``: the body came with HTTP 200."""
    known = ("ollama", "llamacpp", "litellm", "vllm")
    preset = row.vendor if row.vendor in known else None
    connection = Connection("c", "openai-chat", URLS[row.vendor], "m-1", preset=preset)
    site = Site(connection.host, "m-1", profile_of(connection), Scrubber())
    raw = row.body.encode() if isinstance(row.body, str) else json.dumps(row.body).encode()
    if not hidden:
        return classify(site, Wire(row.status, row.headers, raw, 0.3), NOW)
    assert has_error(json.loads(raw))
    body = parse_error(raw)
    return judge(site, Wire(200, row.headers, raw, 0.3), body, body.status or 0, NOW)


SAFETY = "Your request was rejected by the safety system. safety_violations=[sexual]."
QUOTA = "You exceeded your current quota, please check your plan and billing details."
VERIFY = "Your organization must be verified to use the model `gpt-image-1`. Please go to: x."
STREAM = "Your organization must be verified to stream this model. Please go to: x."
A, N, R, T, X, U = F.ACCOUNT, F.INVALID, F.REFUSED, F.THROTTLED, F.TRANSIENT, F.UNKNOWN


def openai(status: int, message: str, code: str | None, kind: F, said: str, **more: Any) -> Row:
    given = {k: more.pop(k) for k in ("type", "moderation_details") if k in more}
    body = error(message, code, given.pop("type", "invalid_request_error"), **given)
    return Row("openai", status, body, kind, said, code=more.pop("as_code", code), **more)


OPENAI = [
    openai(429, "Rate limit reached for images", "rate_limit_exceeded", T, "slow", type="images"),
    openai(429, "Too fast a ramp", "slow_down", T, "slow"),
    openai(503, "Slow down", "slow_down", T, "slow", type="server_error"),
    *(openai(429, QUOTA, code, A, said, type="insufficient_quota") for code, said in (
        ("insufficient_quota", "balance"),
        ("credit_balance_exhausted", "balance"),
        ("organization_spend_limit_exceeded", "quota"),
        ("project_spend_limit_exceeded", "quota"),
        ("organization_usage_limit_exceeded", "quota"),
    )),
    openai(400, "Billing hard limit has been reached", "billing_hard_limit_reached", A, "balance"),
    openai(401, "Incorrect API key provided: sk-ab***yz.", "invalid_api_key", A, "auth"),
    openai(401, "Your IP is not authorized.", "ip_not_authorized", A, "auth"),
    openai(403, VERIFY, None, A, "not_enabled", as_code="not_verified"),
    openai(400, VERIFY, None, A, "not_enabled", as_code="not_verified"),
    openai(400, STREAM, "unsupported_value", A, "not_streamed",
           as_code="not_verified_to_stream"),
    openai(403, "Country, region, or territory not supported",
           "unsupported_country_region_territory", A, "forbidden", as_code=None),
    openai(404, "The model `x` does not exist or you do not have access to it.",
           "model_not_found", N, "no_model"),
    openai(400, SAFETY, "moderation_blocked", R, "content",
           moderation_details={"moderation_stage": "input"}),
    openai(400, SAFETY, "moderation_blocked", R, "content", billed=None,
           moderation_details={"moderation_stage": "output"}),
    openai(400, SAFETY, "content_policy_violation", R, "content"),
    openai(400, "Unknown parameter: 'style'.", "unknown_parameter", N, "invalid"),
    openai(400, "Invalid value: '5x5'.", "invalid_value", N, "invalid"),
    openai(400, "This model's maximum context length is 8192 tokens.",
           "context_length_exceeded", N, "long"),
    openai(400, "Error while downloading file. Upstream status code: 403.",
           "invalid_image_url", N, "invalid"),
    openai(400, "Failed to download image.", "failed_to_download_image", N, "invalid"),
    openai(500, "The server had an error.", None, X, "server", type="server_error", billed=None,
           as_code="server_error"),
]  # fmt: skip
AZURE = [
    Row("azure", 400, error("The response was filtered", "content_filter", None, status=400,
                            innererror={"code": "ResponsibleAIPolicyViolation"}),
        R, "content", code="content_filter"),
    Row("azure", 403, error("Your resource has been temporarily blocked because we detected "
                            "behavior that may violate our content policy."),
        A, "forbidden", code="resource_blocked"),
]  # fmt: skip
DEEPSEEK = [
    Row("deepseek", 400, error("Invalid Format"), N, "invalid"),
    Row("deepseek", 401, error("Authentication Fails", "invalid_request_error",
                               "authentication_error"), A, "auth"),
    Row("deepseek", 402, error("Insufficient Balance", "invalid_request_error", "unknown_error"),
        A, "balance"),
    Row("deepseek", 422, error("Invalid Parameters"), N, "invalid"),
    Row("deepseek", 429, error("Rate Limit Reached"), T, "slow"),
    Row("deepseek", 429, error("Too many concurrent requests"), T, "slow", concurrency=True),
    Row("deepseek", 500, error("Server Error"), X, "server", None),
    Row("deepseek", 503, error("Server Overloaded"), X, "server", None),
]  # fmt: skip
VLLM = [
    Row("vllm", 400, error("This model's maximum context length is 4096 tokens. However, you "
                           "requested 5000 tokens.", 400, "BadRequestError"),
        N, "long", code="context_length_exceeded"),
    Row("vllm", 400, {"object": "error", "message": "The decoder prompt (length 5000) is longer "
                      "than the maximum model length of 4096.", "type": "BadRequestError",
                      "param": None, "code": 400}, N, "long", code="context_length_exceeded"),
    Row("vllm", 404, error("The model `x` does not exist.", 404, "NotFoundError"), N, "no_model"),
    Row("vllm", 404, {"object": "error", "message": "The model `x` does not exist.",
                      "type": "NotFoundError", "param": None, "code": 404}, N, "no_model"),
    Row("vllm", 404, {"detail": "Not Found"}, N, "invalid"),
    Row("vllm", 401, {"error": "Unauthorized"}, A, "auth"),
    Row("vllm", 400, error("x is not a multimodal model", 400, "BadRequestError"), N, "invalid"),
    Row("vllm", 500, error("Internal Server Error", 500, "InternalServerError"), X, "server",
        None),
]  # fmt: skip
OLLAMA = [
    Row("ollama", 400, error("invalid message format", None, "invalid_request_error"), N,
        "invalid"),
    Row("ollama", 404, error("model 'x' not found, try pulling it first", None,
                             "not_found_error"), N, "not_pulled"),
    Row("ollama", 404, {"error": "model \"x\" not found, try pulling it first"}, N, "not_pulled",
        code="model_not_found"),
    Row("ollama", 500, error("llama runner process has terminated", None, "api_error"), X,
        "server", None),
    Row("ollama", 503, error("server busy, please try again.  maximum pending requests exceeded",
                             None, "api_error"), T, "busy", concurrency=True),
    Row("ollama", 499, error("request cancelled"), U, "broken", None),
]  # fmt: skip


def llama(status: int, message: str, kind: str, *rest: Any, **more: Any) -> Row:
    body = {"error": {"code": status, "message": message, "type": kind}}
    return Row("llamacpp", status, body, *rest, **more)


LLAMACPP = [
    llama(400, "Field 'max_tokens': Value must be between -1 <= value <= 2147483647, but got -5",
          "invalid_request_error", N, "invalid"),
    llama(400, "Unable to generate parser for this template", "invalid_request_error", N,
          "invalid"),
    llama(400, "request (4519 tokens) exceeds the available context size (256 tokens), try "
               "increasing it", "exceed_context_size_error", N, "long",
          code="exceed_context_size_error"),
    llama(401, "Invalid API Key", "authentication_error", A, "auth"),
    llama(403, "no", "permission_error", A, "forbidden"),
    llama(404, "File Not Found", "not_found_error", N, "invalid"),
    llama(500, "image input is not supported - hint: if this is unexpected, you may need to "
               "provide the mmproj", "server_error", N, "invalid"),
    llama(500, "oops", "server_error", X, "server", None),
    llama(501, "This server does not support metrics endpoint.", "not_supported_error", N,
          "invalid"),
    llama(503, "Loading model", "unavailable_error", T, "loading"),
]  # fmt: skip
SOON = {"retry-after": "2"}
OPENROUTER = [
    Row("openrouter", 400, error("bad", 400), N, "invalid"),
    Row("openrouter", 400, error("too many tokens", "context_length_exceeded"), N, "long"),
    Row("openrouter", 400, error("too many tokens", "token_limit_exceeded"), N, "long"),
    Row("openrouter", 401, error("No auth credentials found", 401), A, "auth"),
    Row("openrouter", 402, error("Insufficient credits", 402), A, "balance"),
    Row("openrouter", 402, error("x", 402, metadata={"limit_source": "weight_exceeds_budget"}), A,
        "balance"),
    Row("openrouter", 402, error("x", 402,
                                 metadata={"limit_source": "openrouter_in_flight_budget"}),
        T, "slow", headers=SOON, concurrency=True),
    Row("openrouter", 402, error("x", 402), T, "slow", headers=SOON),
    Row("openrouter", 402, error("x", 402, metadata={"limit_source": "weight_exceeds_budget"}), A,
        "balance", headers=SOON),
    Row("openrouter", 402, error("x", 402), A, "balance", headers={"retry-after": "7200"}),
    Row("openrouter", 403, error("Forbidden", 403,
                                 metadata={"resets_at": "2027-01-16T00:00:00Z"}), A, "quota"),
    Row("openrouter", 403, error("Forbidden", 403), A, "forbidden"),
    Row("openrouter", 402, error("x", "in_flight_budget_exhausted"), T, "slow", headers=SOON,
        concurrency=True),
    Row("openrouter", 403, error("Your chosen model requires moderation and your input was "
                                 "flagged", 403, metadata={"reasons": ["violence"]}), R, "content"),
    Row("openrouter", 403, error("Blocked by a guardrail", 403), R, "content"),
    Row("openrouter", 403, error("Key limit exceeded", 403,
                                 metadata={"resets_at": "2027-01-16T00:00:00Z"}), A, "quota"),
    Row("openrouter", 404, error("No endpoints found for x.", 404), N, "no_model"),
    Row("openrouter", 408, error("Timed out", 408), U, "gateway", None),
    Row("openrouter", 413, error("Payload too large", 413), N, "big"),
    Row("openrouter", 422, error("bad", 422), N, "invalid"),
    Row("openrouter", 429, error("Rate limited", 429), T, "slow", headers=SOON),
    Row("openrouter", 500, error("x", 500), X, "server", None),
    Row("openrouter", 502, error("Provider returned error", 502), X, "server", None),
    Row("openrouter", 503, error("x", 503), X, "server", None),
    Row("openrouter", 503, error("x", 503), T, "busy", headers=SOON),
    Row("openrouter", 524, error("x", 524), U, "gateway", None),
    Row("openrouter", 529, error("x", 529), T, "busy"),
]  # fmt: skip


def litellm(status: int, message: str, kind: str, *rest: Any, **more: Any) -> Row:
    return Row("litellm", status, error(message, str(status), kind), *rest, **more)


LITELLM = [
    litellm(429, "litellm.RateLimitError: x", "throttling_error", T, "slow",
            code="litellm.RateLimitError"),
    litellm(429, "Deployment over user-defined ratelimit.", "throttling_error", T, "slow"),
    litellm(400, "litellm.ContextWindowExceededError: x", "invalid_request_error", N, "long"),
    litellm(400, "litellm.ContentPolicyViolationError: x", "invalid_request_error", R, "content",
            None),
    litellm(401, "litellm.AuthenticationError: x", "auth_error", A, "auth"),
    litellm(403, "litellm.PermissionDeniedError: x", "x", A, "forbidden"),
    litellm(404, "litellm.NotFoundError: x", "x", N, "no_model"),
    litellm(400, "litellm.BadRequestError: x", "invalid_request_error", N, "invalid"),
    litellm(500, "litellm.APIConnectionError: x", "internal_server_error", X, "server", None),
    litellm(500, "litellm.InternalServerError: x", "internal_server_error", X, "server", None),
    litellm(503, "litellm.ServiceUnavailableError: x", "x", X, "server", None),
    litellm(500, "litellm.Timeout: x", "x", U, "gateway", None),
    litellm(400, "Invalid model name passed in model=x", "invalid_request_error", N, "no_model"),
    litellm(400, "No connected db.", "no_db_connection", A, "auth"),
    litellm(400, "Budget has been exceeded!", "budget_exceeded", A, "balance"),
]  # fmt: skip


def dashscope(status: int, code: str, message: str, *rest: Any, **more: Any) -> tuple[Row, Row]:
    """In the compatible mode's shape, and in the house's own."""
    compatible = Row("dashscope", status, error(message, code, code), *rest, code=code, **more)
    own = {"request_id": "r", "code": code, "message": message}
    return compatible, Row("dashscope", status, own, *rest, code=code, **more)


DASHSCOPE = [
    *dashscope(400, "Arrearage", "Access denied, please make sure your account is in good "
               "standing.", A, "balance"),
    *dashscope(400, "DataInspectionFailed", "Input data may contain inappropriate content.", R,
               "content"),
    *dashscope(400, "data_inspection_failed", "Output data may contain inappropriate content.", R,
               "content", None),
    *dashscope(400, "InvalidParameter", "Size not supported", N, "invalid"),
    *dashscope(400, "InvalidParameter.DataInspection", "Unable to download the media.", N,
               "invalid"),
    *dashscope(400, "InvalidURL", "Invalid URL.", N, "invalid"),
    *dashscope(400, "BadRequest.EmptyInput", "Required input parameter missing.", N, "invalid"),
    *dashscope(401, "InvalidApiKey", "Invalid API-key provided.", A, "auth"),
    *dashscope(401, "invalid_api_key", "Incorrect API key provided.", A, "auth"),
    *dashscope(403, "AccessDenied", "Access denied.", A, "forbidden"),
    *dashscope(403, "AccessDenied.Unpurchased", "Access denied.", A, "not_enabled"),
    *dashscope(403, "AccessDenied", "current user api does not support asynchronous calls.", N,
               "invalid"),
    *dashscope(404, "ModelNotFound", "Model not exist.", N, "no_model"),
    *dashscope(408, "RequestTimeOut", "Request timed out.", U, "gateway", None),
    *dashscope(413, "BadRequest.TooLarge", "Payload Too Large.", N, "invalid"),
    *dashscope(429, "Throttling", "Requests throttling triggered.", T, "slow"),
    *dashscope(429, "Throttling.RateQuota", "Requests rate limit exceeded.", T, "slow"),
    *dashscope(429, "Throttling.AllocationQuota", "Allocated quota exceeded.", T, "slow"),
    *dashscope(429, "Throttling.AllocationQuota", "Free allocated quota exceeded.", A, "quota"),
    *dashscope(429, "insufficient_quota", QUOTA, T, "slow"),
    *dashscope(429, "insufficient_quota", "Free allocated quota exceeded.", A, "quota"),
    *dashscope(500, "InternalError", "An internal error has occured.", X, "server", None),
    *dashscope(500, "InternalError.Algo", "inference internal error.", X, "server", None),
    *dashscope(503, "ModelServiceFailed", "x", X, "server", None),
    Row("dashscope", 400, error("Range of input length should be [1, 6000]",
                                "invalid_parameter_error"), N, "long"),
]  # fmt: skip


def ark(status: int, code: str, *rest: Any, **more: Any) -> Row:
    return Row("ark", status, error("words", code, "x"), *rest, code=code, **more)


_INPUTS = ("Text", "Image", "Video", "Audio")
ARK = [
    ark(400, "MissingParameter", N, "invalid"),
    ark(400, "InvalidParameter", N, "invalid"),
    ark(400, "InvalidEndpoint.ClosedEndpoint", N, "invalid"),
    ark(400, "OutofContextError", N, "long"),
    *(ark(400, f"Input{what}SensitiveContentDetected", R, "content") for what in _INPUTS),
    ark(400, "InputTextSensitiveContentDetected.PolicyViolation", R, "content"),
    ark(400, "InputImageSensitiveContentDetected.PrivacyInformation", R, "content"),
    ark(400, "InputTextRiskDetection", R, "content"),
    *(ark(400, f"Output{what}SensitiveContentDetected", R, "content", None) for what in _INPUTS),
    *(ark(400, f"SensitiveContentDetected{more}", R, "content")
      for more in ("", ".SevereViolation", ".Violence")),
    ark(401, "AuthenticationError", A, "auth"),
    ark(403, "AccountOverdueError", A, "balance"),
    ark(403, "OperationDenied.ServiceOverdue", A, "balance"),
    ark(403, "AccessDenied", A, "forbidden"),
    ark(404, "InvalidEndpointOrModel.NotFound", N, "no_model"),
    ark(404, "InvalidEndpointOrModel.ModelIDAccessDisabled", A, "not_enabled"),
    ark(404, "ModelNotOpen", A, "not_enabled"),
    *(ark(429, code, T, "slow") for code in (
        "RateLimitExceeded.EndpointRPMExceeded",
        "RateLimitExceeded.EndpointTPMExceeded",
        "ModelAccountRpmRateLimitExceeded",
        "ModelAccountTpmRateLimitExceeded",
        "ModelAccountIpmRateLimitExceeded",
        "APIAccountRpmRateLimitExceeded",
        "AccountRateLimitExceeded",
        "RequestBurstTooFast",
    )),
    ark(429, "InflightBatchsizeExceeded", T, "slow", concurrency=True),
    ark(429, "ServerOverloaded", T, "busy"),
    ark(429, "SetLimitExceeded", A, "quota"),
    ark(429, "QuotaExceeded", A, "quota"),
    ark(500, "InternalServiceError", X, "server", None),
]  # fmt: skip

DENIED = ("Your request was flagged by our content moderation system, as a result your request was "
          "denied and you were not charged.")  # fmt: skip


def stability(status: int, name: str, *rest: Any, **more: Any) -> Row:
    """Stability's errors, as who passes them on leaves them."""
    said = more.pop("said_by", "words")
    return Row("gateway", status, {"id": "i", "name": name, "errors": [said]}, *rest, code=name,
               **more)  # fmt: skip


STABILITY = [
    stability(403, "content_moderation", R, "content", said_by=DENIED),
    stability(401, "unauthorized", A, "auth"),
    stability(402, "payment_required", A, "balance"),
    stability(413, "payload_too_large", N, "big"),
    stability(422, "invalid_prompts", N, "invalid"),
    stability(429, "rate_limit_exceeded", T, "slow"),
    stability(500, "internal_error", X, "server", None),
]

ONE_API = [
    Row("gateway", 403, error("用户额度不足", "insufficient_user_quota", "new_api_error"),
        A, "balance", code="insufficient_user_quota"),
    Row("gateway", 403, error("token quota is not enough", "pre_consume_token_quota_failed"),
        A, "balance", code="pre_consume_token_quota_failed"),
    Row("gateway", 403, error("该令牌额度不足"), A, "balance", code="insufficient_quota"),
]  # fmt: skip

ROWS = [*OPENAI, *AZURE, *DEEPSEEK, *VLLM, *OLLAMA, *LLAMACPP, *OPENROUTER, *LITELLM, *DASHSCOPE,
        *ARK, *STABILITY, *ONE_API]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_what_a_vendor_says(row: Row) -> None:
    failure = failure_of(row)
    english = Translator().say(failure.said)
    chinese = Translator("zh_CN", LOCALES).say(failure.said)
    assert failure.kind is row.kind, english
    part, teil = SENTENCES[row.said]
    assert part in english
    assert teil in chinese, chinese
    assert "{" not in english
    assert failure.billed is row.billed
    assert failure.wait.concurrency is row.concurrency
    assert row.code in (None, failure.code)


STATUS_ALONE = ("Authentication Fails", "Invalid Format", "Invalid Parameters",
                "Rate Limit Reached", "Too many concurrent requests", "Server Error",
                "Server Overloaded", "Not Found", "Unauthorized")  # fmt: skip
"""What these say is no more than a status in words."""


def is_told(row: Row) -> bool:
    """Whether its body says without the status what it means."""
    said = parse_error(json.dumps(row.body).encode())
    return row not in STABILITY and said.message not in STATUS_ALONE


@pytest.mark.parametrize("row", [row for row in ROWS if is_told(row)], ids=str)
def test_under_a_good_status_it_means_the_same(row: Row) -> None:
    failure = failure_of(row, hidden=True)
    assert failure.kind is row.kind, Translator().say(failure.said)
    assert failure.http_status == 200
    assert failure.billed in (row.billed, None)


def test_the_same_word_means_no_money_here_and_wait_a_moment_there() -> None:
    body = error(QUOTA, "insufficient_quota", "insufficient_quota")
    assert failure_of(Row("openai", 429, body, A, "")).kind is F.ACCOUNT
    assert failure_of(Row("dashscope", 429, body, T, "")).kind is F.THROTTLED
