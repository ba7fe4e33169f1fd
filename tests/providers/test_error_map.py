"""Vendors' real answers, one line each: the class for the engine, the operator's sentence."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure
from desktop_app.domain.errors import FailureClass as F
from desktop_app.domain.text import Translator
from desktop_app.providers.error_body import ErrorBody
from desktop_app.providers.error_map import Site, classify
from desktop_app.providers.http.client import Wire
from desktop_app.providers.profiles import profile_of
from desktop_app.providers.profiles.rule import Profile, Rule
from desktop_app.providers.redact import Scrubber

NOW = 1_800_000_000.0
URLS = {
    "openai": "https://api.openai.com/v1",
    "ark": "https://ark.cn-beijing.volces.com/api/v3",
    "dashscope": "https://dashscope.aliyuncs.com/compatible-mode/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "litellm": "http://10.0.0.7:4000",
    "gateway": "https://gateway.example/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "llamacpp": "http://127.0.0.1:8080/v1",
}


def failure_of(
    vendor: str,
    status: int,
    body: Any,
    headers: dict[str, str] | None = None,
    elapsed_s: float = 0.3,
) -> Failure:
    preset = vendor if vendor in ("ollama", "llamacpp") else None
    connection = Connection("c", "openai-chat", URLS[vendor], "m-1", preset=preset)
    site = Site(connection.host, "m-1", profile_of(connection), Scrubber())
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    given = dict(headers or {})
    if vendor == "litellm":
        given["x-litellm-call-id"] = "call-1"
    return classify(site, Wire(status, given, raw, elapsed_s), NOW)


def said(failure: Failure) -> str:
    return Translator().say(failure.said)


def error(message: str, code: Any = None, kind: Any = None, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code, **more}}


@dataclass(frozen=True)
class Row:
    vendor: str
    status: int
    body: Any
    kind: F
    sentence: str  # part of the English sentence
    code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.vendor}-{self.status}-{self.kind}-{self.sentence[:16]}"


SAFETY = "Your request was rejected by the safety system. safety_violations=[sexual]."
QUOTA = "You exceeded your current quota, please check your plan and billing details."

ROWS = [
    # -- OpenAI
    Row("openai", 400, error(SAFETY, "moderation_blocked", "image_generation_user_error"),
        F.REFUSED, "refused this by its content rules", "moderation_blocked"),
    Row("openai", 400, error("Your request was rejected as a result of our safety system.",
                             "content_policy_violation", "invalid_request_error"),
        F.REFUSED, "The provider refused this by its content rules", "content_policy_violation"),
    Row("openai", 400, error(SAFETY, None, "invalid_request_error"), F.REFUSED, "content rules",
        "moderation"),
    Row("openai", 400, error("Unknown parameter: 'response_format'.", "unknown_parameter",
                             "invalid_request_error"),
        F.INVALID, "can't work with this request: Unknown parameter", "unknown_parameter"),
    Row("openai", 403, error("Your organization must be verified to use the model `gpt-image-1`."),
        F.ACCOUNT, "is not opened for this account", "not_verified"),
    Row("openai", 403, error("Country, region, or territory not supported",
                             "unsupported_country_region_territory", "request_forbidden"),
        F.ACCOUNT, "doesn't allow this key to do that: Country"),
    Row("openai", 401, error("Incorrect API key provided: sk-ab***yz.", "invalid_api_key"),
        F.ACCOUNT, "refused the key", "invalid_api_key"),
    Row("openai", 429, error("Rate limit reached for gpt-image-1. Please try again in 12s.",
                             "rate_limit_exceeded", "requests"),
        F.THROTTLED, "asks to slow down", "rate_limit_exceeded"),
    Row("openai", 429, error(QUOTA, "insufficient_quota", "insufficient_quota"),
        F.ACCOUNT, "has no money left", "insufficient_quota"),
    Row("openai", 429, error("Out of credits", "credit_balance_exhausted", "insufficient_quota"),
        F.ACCOUNT, "has no money left", "credit_balance_exhausted"),
    Row("openai", 429, error("Limit", "project_spend_limit_exceeded", "insufficient_quota"),
        F.ACCOUNT, "quota", "project_spend_limit_exceeded"),
    Row("openai", 503, error("Slow down", "slow_down", "server_error"), F.THROTTLED, "slow down"),
    Row("openai", 400, error("Billing hard limit has been reached", "billing_hard_limit_reached"),
        F.ACCOUNT, "no money left"),
    Row("openai", 404, error("The model `x` does not exist or you do not have access to it.",
                             "model_not_found", "invalid_request_error"),
        F.INVALID, "has no model m-1", "model_not_found"),
    Row("openai", 400, error("This model's maximum context length is 8192 tokens.",
                             "context_length_exceeded", "invalid_request_error"),
        F.INVALID, "too long for m-1", "context_length_exceeded"),
    Row("openai", 500, error("The server had an error. You can retry", None, "server_error"),
        F.TRANSIENT, "an error of its own (HTTP 500)"),
    Row("gateway", 400, {"error": {"message": "The response was filtered", "type": None,
                                   "param": "prompt", "code": "content_filter", "status": 400}},
        F.REFUSED, "content rules", "content_filter"),
    # -- Ark
    Row("ark", 403, error("overdue", "AccountOverdueError", "Forbidden"), F.ACCOUNT, "no money"),
    Row("ark", 404, error("not activated", "ModelNotOpen", "NotFound"), F.ACCOUNT, "not opened"),
    Row("ark", 404, error("no such", "InvalidEndpointOrModel.NotFound", "NotFound"), F.INVALID,
        "has no model"),
    Row("ark", 401, error("bad key", "AuthenticationError", "Unauthorized"), F.ACCOUNT, "the key"),
    Row("ark", 403, error("no", "AccessDenied", "Forbidden"), F.ACCOUNT, "doesn't allow"),
    Row("ark", 400, error("sensitive", "InputTextSensitiveContentDetected", "BadRequest"),
        F.REFUSED, "content rules", "InputTextSensitiveContentDetected"),
    Row("ark", 400, error("x", "OutputImageSensitiveContentDetected.PolicyViolation"), F.REFUSED,
        "content rules"),
    Row("ark", 400, error("x", "InputTextRiskDetection"), F.REFUSED, "content rules"),
    Row("ark", 400, error("size must be", "InvalidParameter", "BadRequest"), F.INVALID, "size"),
    Row("ark", 429, error("rpm", "ModelAccountIpmRateLimitExceeded"), F.THROTTLED, "slow down"),
    Row("ark", 429, error("x", "RateLimitExceeded.EndpointRPMExceeded"), F.THROTTLED, "slow"),
    Row("ark", 429, error("x", "RequestBurstTooFast"), F.THROTTLED, "slow down"),
    Row("ark", 429, error("x", "ServerOverloaded"), F.THROTTLED, "is busy"),
    Row("ark", 429, error("x", "SetLimitExceeded"), F.ACCOUNT, "quota"),
    Row("ark", 500, error("x", "InternalServiceError"), F.TRANSIENT, "error of its own"),
    # -- DashScope, compatible mode: the same word, the other meaning
    Row("dashscope", 429, error(QUOTA, "insufficient_quota", "insufficient_quota"), F.THROTTLED,
        "slow down", "insufficient_quota"),
    Row("dashscope", 429, error("Free allocated quota exceeded.", "insufficient_quota"),
        F.ACCOUNT, "quota"),
    Row("dashscope", 400, error("Access denied, please make sure your account is in good standing.",
                                "Arrearage", "Arrearage"), F.ACCOUNT, "no money", "Arrearage"),
    Row("dashscope", 400, error("Input data may contain inappropriate content.",
                                "data_inspection_failed"), F.REFUSED, "content rules"),
    Row("dashscope", 400, {"code": "DataInspectionFailed", "message": "Output data", "id": 1},
        F.REFUSED, "content rules"),
    Row("dashscope", 400, error("x", "InvalidParameter.DataInspection"), F.INVALID, "can't work"),
    Row("dashscope", 400, error("Range of input length should be [1, 6000]",
                                "invalid_parameter_error"), F.INVALID, "too long"),
    Row("dashscope", 401, error("Incorrect API key", "invalid_api_key"), F.ACCOUNT, "the key"),
    Row("dashscope", 403, error("x", "AccessDenied.Unpurchased"), F.ACCOUNT, "not opened"),
    Row("dashscope", 403, error("does not support synchronous calls", "AccessDenied"), F.INVALID,
        "does not support"),
    Row("dashscope", 404, error("x", "ModelNotFound"), F.INVALID, "has no model"),
    Row("dashscope", 429, error("x", "Throttling.RateQuota"), F.THROTTLED, "slow down"),
    Row("dashscope", 408, error("x", "RequestTimeOut"), F.UNKNOWN, "may have been billed"),
    # -- DeepSeek
    Row("deepseek", 402, error("Insufficient Balance", "invalid_request_error", "unknown_error"),
        F.ACCOUNT, "no money"),
    Row("deepseek", 422, error("bad"), F.INVALID, "can't work"),
    Row("deepseek", 503, error("overloaded"), F.TRANSIENT, "HTTP 503"),
    # -- OpenRouter
    Row("openrouter", 402, error("Insufficient credits", 402), F.ACCOUNT, "no money"),
    Row("openrouter", 402, error("busy", 402,
                                 metadata={"limit_source": "openrouter_in_flight_budget"}),
        F.THROTTLED, "slow down", headers={"retry-after": "2"}),
    Row("openrouter", 403, error("Your chosen model requires moderation and your input was flagged",
                                 403), F.REFUSED, "content rules"),
    Row("openrouter", 403, error("Key limit exceeded (daily limit)", 403,
                                 metadata={"resets_at": "2027-01-16T00:00:00Z"}),
        F.ACCOUNT, "quota"),
    Row("openrouter", 524, error("x", 524), F.UNKNOWN, "may have been billed"),
    Row("openrouter", 529, error("x", 529), F.THROTTLED, "is busy"),
    # -- LiteLLM: the status says little
    Row("litellm", 429, error("litellm.RateLimitError: x", "429", "throttling_error"),
        F.THROTTLED, "slow down", "litellm.RateLimitError"),
    Row("litellm", 400, error("litellm.ContextWindowExceededError: x", "400"), F.INVALID,
        "too long"),
    Row("litellm", 400, error("litellm.ContentPolicyViolationError: x", "400"), F.REFUSED,
        "content rules"),
    Row("litellm", 500, error("litellm.APIConnectionError: x", "500", "internal_server_error"),
        F.TRANSIENT, "HTTP 500"),
    Row("litellm", 500, error("litellm.Timeout: x", "500"), F.UNKNOWN, "may have been billed"),
    Row("litellm", 400, error("No connected db.", "400", "no_db_connection"), F.ACCOUNT, "the key"),
    Row("litellm", 400, error("Invalid model name passed in model=x", "400"), F.INVALID,
        "has no model"),
    Row("litellm", 400, error("Budget has been exceeded!", "400", "budget_exceeded"), F.ACCOUNT,
        "no money"),
    # -- Ollama, llama.cpp
    Row("ollama", 404, error("model 'x' not found, try pulling it first", None, "not_found_error"),
        F.INVALID, 'Run "ollama pull m-1"'),
    Row("ollama", 503, {"error": "server busy, please try again.  maximum pending requests "
                                 "exceeded"}, F.THROTTLED, "is busy"),
    Row("llamacpp", 503, error("Loading model", 503, "unavailable_error"), F.THROTTLED,
        "still loading"),
    Row("llamacpp", 500, error("image input is not supported - hint: provide the mmproj", 500,
                               "server_error"), F.INVALID, "image input is not supported"),
    Row("llamacpp", 400, error("request (4519 tokens) exceeds the available context size", 400,
                               "exceed_context_size_error"), F.INVALID, "too long",
        "exceed_context_size_error"),
    Row("llamacpp", 401, error("Invalid API Key", 401, "authentication_error"), F.ACCOUNT, "key"),
    Row("llamacpp", 404, error("File Not Found", 404, "not_found_error"), F.INVALID, "File Not"),
    # -- shapes of bodies
    Row("gateway", 429, [error("wrapped", "rate_limit_exceeded")], F.THROTTLED, "slow down"),
    Row("gateway", 422, {"detail": [{"loc": ["body", "size"], "msg": "bad size"}]}, F.INVALID,
        "body.size: bad size"),
    Row("gateway", 400, {"detail": "plain words"}, F.INVALID, "plain words"),
    Row("gateway", 400, {"errors": ["first", "second"]}, F.INVALID, "first"),
    Row("gateway", 502, "<html><head><title>502 Bad Gateway</title></head></html>", F.TRANSIENT,
        "HTTP 502", "http_502"),
    Row("gateway", 400, "[" * 9000, F.INVALID, "can't work"),
    Row("gateway", 400, "null", F.INVALID, "can't work"),
    # -- an echoed prompt must not decide
    Row("gateway", 400, error("Invalid prompt: '429 rate limit insufficient_quota'", "bad_prompt"),
        F.INVALID, "can't work with this request", "bad_prompt"),
    Row("gateway", 500, error("failed on '401 unauthorized, moderation, quota'"), F.TRANSIENT,
        "HTTP 500"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_vendor_bodies(row: Row) -> None:
    failure = failure_of(row.vendor, row.status, row.body, row.headers)
    assert failure.kind is row.kind, said(failure)
    assert row.sentence in said(failure)
    assert "{" not in said(failure).replace(str(row.body), "")
    if row.code is not None:
        assert failure.code == row.code


def test_s04_no_money_pauses_and_a_short_quota_wait_only_slows() -> None:
    """OpenAI's insufficient_quota never passes by itself; elsewhere a short wait says it does."""
    openai = error(QUOTA, "insufficient_quota", "insufficient_quota")
    assert failure_of("openai", 429, openai).kind is F.ACCOUNT
    assert failure_of("openai", 429, openai, {"retry-after": "3"}).kind is F.ACCOUNT
    for vendor in ("gateway", "ollama"):
        assert failure_of(vendor, 429, openai).kind is F.ACCOUNT
        slowed = failure_of(vendor, 429, openai, {"retry-after": "3"})
        assert (slowed.kind, slowed.wait.seconds) == (F.THROTTLED, 3.0)
    text = error("Quota exceeded for requests per minute. Retry in 6s.")
    slowed = failure_of("gateway", 429, text)
    assert (slowed.kind, slowed.wait.seconds) == (F.THROTTLED, 6.0)
    text = error(f"{QUOTA} Please retry in 34.5s.")
    assert failure_of("gateway", 429, text).kind is F.THROTTLED
    assert failure_of("gateway", 429, error(QUOTA)).kind is F.ACCOUNT


def test_a_quota_window_names_its_end() -> None:
    body = error("Daily limit reached, resets in 6hr", "project_spend_limit_exceeded")
    failure = failure_of("openai", 429, body)
    assert failure.kind is F.ACCOUNT
    assert failure.wait.until == NOW + 6 * 3600
    far = failure_of("gateway", 429, error("later"), {"retry-after": "7200"})
    assert (far.kind, far.wait.until) == (F.ACCOUNT, NOW + 7200)
    until = {"resets_at": "2027-01-16T00:00:00Z"}
    shut = failure_of("openrouter", 403, error("Forbidden", 403, metadata=until))
    assert (shut.kind, shut.wait.until) == (F.ACCOUNT, 1_800_057_600.0)
    assert failure_of("gateway", 403, error("no"), {"retry-after": "0"}).wait.until is None
    near = failure_of("gateway", 429, error("later"), {"retry-after": "3599"})
    assert (near.kind, near.wait.until) == (F.THROTTLED, None)


def test_a_row_larger_than_the_limit_says_so() -> None:
    alone = error("Request too large for m-1 on tokens per min (TPM): Limit 10000, "
                  "Requested 12000.", "rate_limit_exceeded")  # fmt: skip
    assert failure_of("openai", 429, alone).limit_by_itself
    assert "This row alone" in said(failure_of("openai", 429, alone))
    crowd = error("Rate limit reached on TPM: Limit 10000, Used 9000, Requested 2000. Please try "
                  "again in 6s.", "rate_limit_exceeded")  # fmt: skip
    assert not failure_of("openai", 429, crowd).limit_by_itself


@pytest.mark.parametrize("code", ["InflightBatchsizeExceeded", "concurrency_limit_exceeded"])
def test_too_many_at_once_is_told_from_too_fast(code: str) -> None:
    assert failure_of("ark", 429, error("x", code)).wait.concurrency
    assert failure_of("gateway", 429, error("Too many concurrent requests")).wait.concurrency
    assert failure_of("ollama", 503, {"error": "server busy"}).wait.concurrency
    assert not failure_of("gateway", 429, error("Limit of 3 requests per minute")).wait.concurrency


def test_what_is_known_of_the_bill() -> None:
    assert failure_of("openai", 429, error("x", "rate_limit_exceeded")).billed is False
    assert failure_of("openai", 400, error("x", "bad")).billed is False
    assert failure_of("openai", 504, "").billed is None
    stage = {"moderation_stage": "input", "categories": ["sexual"]}
    before = error(SAFETY, "moderation_blocked", moderation_details=stage)
    after = error(SAFETY, "moderation_blocked", moderation_details={"moderation_stage": "output"})
    assert failure_of("openai", 400, before).billed is False
    assert failure_of("openai", 400, after).billed is None


@pytest.mark.parametrize(
    ("vendor", "status", "body"),
    [
        ("openai", 400, error(SAFETY)),
        ("openai", 400, error(SAFETY, "moderation_blocked")),
        ("gateway", 403, error("blocked by moderation")),
        ("gateway", 422, error("x", "content_policy_violation")),
        ("dashscope", 400, {"code": "DataInspectionFailed", "message": "inappropriate content"}),
        ("litellm", 400, error("litellm.ContentPolicyViolationError: x", "400")),
    ],
)
def test_a_refusal_that_nobody_says_is_of_the_prompt_may_have_been_billed(
    vendor: str, status: int, body: Any
) -> None:
    failure = failure_of(vendor, status, body)
    assert (failure.kind, failure.billed) == (F.REFUSED, None)


def test_a_fault_of_the_server_that_is_not_to_be_tried_again_may_have_been_billed() -> None:
    assert failure_of("openai", 500, "", {"x-should-retry": "false"}).billed is None


def test_a_refusal_of_the_prompt_holds_no_money() -> None:
    prompt = error(SAFETY, "content_policy_violation")
    assert failure_of("openai", 400, prompt).billed is False
    azure = error("The response was filtered due to the prompt", "content_filter")
    assert failure_of("gateway", 400, azure).billed is False
    asked = {"code": "DataInspectionFailed", "message": "Input data may contain inappropriate"}
    assert failure_of("dashscope", 400, asked).billed is False
    assert failure_of("openrouter", 403, error("flagged by moderation")).billed is False
    assert failure_of("ark", 400, error("x", "InputTextSensitiveContentDetected")).billed is False
    result = error("x", "OutputImageSensitiveContentDetected.PolicyViolation")
    assert failure_of("ark", 400, result).billed is None
    filtered = {"code": "DataInspectionFailed", "message": "Output data may contain inappropriate"}
    assert failure_of("dashscope", 400, filtered).billed is None


def test_the_vendor_s_wish_not_to_retry_is_obeyed() -> None:
    assert failure_of("openai", 500, "", {"x-should-retry": "false"}).kind is F.INVALID
    assert failure_of("openai", 409, "", {"x-should-retry": "true"}).kind is F.TRANSIENT
    for wish, kind in (("false", F.INVALID), ("0", F.INVALID), ("true", F.TRANSIENT)):
        assert failure_of("gateway", 500, "", {"x-fal-retryable": wish}).kind is kind
    assert failure_of("gateway", 422, "", {"x-fal-needs-retry": "1"}).kind is F.TRANSIENT
    assert failure_of("gateway", 500, "", {"x-fal-needs-retry": "false"}).kind is F.TRANSIENT
    named = error("litellm.InternalServerError: x")
    assert failure_of("litellm", 500, named, {"x-should-retry": "false"}).kind is F.INVALID


NEVER, AGAIN = {"x-should-retry": "false"}, {"x-should-retry": "true"}


@pytest.mark.parametrize("vendor", ["openai", "ark", "openrouter", "gateway"])
def test_a_429_that_no_other_try_helps_pauses_the_account_and_blames_no_row(vendor: str) -> None:
    failure = failure_of(vendor, 429, error("No more of this."), NEVER)
    assert (failure.kind, failure.code, failure.billed) == (F.ACCOUNT, "http_429", False)
    assert failure.said.code == "providers.no_more_calls"
    assert failure.wait.until is None
    later = failure_of(vendor, 429, error("No more of this."), {**NEVER, "retry-after": "3500"})
    assert (later.kind, later.wait.until) == (F.ACCOUNT, NOW + 3500)


@pytest.mark.parametrize(
    ("vendor", "status", "body", "headers", "kind"),
    [
        # When it is back, or in a word that is known, a limit of calls stays one.
        ("openai", 429, error("x"), {**NEVER, "retry-after": "20"}, F.THROTTLED),
        ("openai", 429, error("x", "rate_limit_exceeded"), NEVER, F.THROTTLED),
        ("openai", 429, error("x", "insufficient_quota"), NEVER, F.ACCOUNT),
        ("gateway", 529, error("x"), NEVER, F.INVALID),
        ("openai", 429, error("x"), AGAIN, F.THROTTLED),
        ("gateway", 429, error("x", "insufficient_quota"), AGAIN, F.THROTTLED),
        ("gateway", 402, error("x"), AGAIN, F.THROTTLED),
        ("openrouter", 402, error("x"), AGAIN, F.THROTTLED),
        ("openai", 429, error("x", "insufficient_quota"), AGAIN, F.ACCOUNT),
        ("openai", 401, error("x"), AGAIN, F.ACCOUNT),
        ("openai", 504, error("x"), NEVER, F.UNKNOWN),
    ],
)
def test_what_a_vendor_wishes_of_another_try(
    vendor: str, status: int, body: Any, headers: dict[str, str], kind: F
) -> None:
    assert failure_of(vendor, status, body, headers).kind is kind


def test_a_vendor_s_own_word_on_money_and_its_last_rule_count() -> None:
    profile = Profile(
        "own",
        rules=(Rule(F.TRANSIENT, "server_error", codes=("no_runner",), billed=False),),
        last=(Rule(F.REFUSED, "refused"),),
    )
    site = Site("h", "m-1", profile, Scrubber())
    none = classify(site, Wire(504, {}, b'{"code": "no_runner"}', 0.1), NOW)
    assert (none.kind, none.billed, none.code) == (F.TRANSIENT, False, "no_runner")
    # The common words are known before what is left over.
    assert classify(site, Wire(400, {}, b'{"code": "arrearage"}', 0.1), NOW).kind is F.ACCOUNT
    assert classify(site, Wire(400, {}, b'{"code": "odd"}', 0.1), NOW).kind is F.REFUSED


def test_a_vendor_s_own_place_for_its_word_is_read() -> None:
    def read(found: Any, text: str) -> ErrorBody:
        return ErrorBody((found["detail"][0]["type"],), "said", text=text)

    site = Site("h", "m-1", profile_of(Connection("c", "a", URLS["gateway"], "m")), Scrubber())
    raw = b'{"detail": [{"type": "content_policy_violation", "msg": "no"}]}'
    assert classify(site, Wire(422, {}, raw, 0.1), NOW).code == "http_422"
    judged = classify(replace(site, read=read), Wire(422, {}, raw, 0.1), NOW)
    assert (judged.kind, judged.code) == (F.REFUSED, "content_policy_violation")


def test_gateways_that_come_late_leave_the_outcome_unknown() -> None:
    for status in (502, 503):
        late = failure_of("gateway", status, "", {"retry-after": "1"}, elapsed_s=50.0)
        assert late.kind is F.UNKNOWN
        assert "may have been billed" in said(late)
        assert failure_of("gateway", status, "", elapsed_s=49.9).kind is F.TRANSIENT


def test_the_body_is_kept_short_and_one_sentence_stays_one_line() -> None:
    failure = failure_of("gateway", 400, error("line one\nline two " + "x" * 9000))
    assert len(failure.body) == 2000
    assert "\n" not in said(failure)
    assert len(said(failure)) < 400


def test_llama_cpp_and_litellm_are_known_by_their_answers() -> None:
    image = error("image input is not supported - hint", 500, "server_error")
    assert failure_of("gateway", 500, image, {"server": "llama.cpp"}).kind is F.INVALID
    timeout = error("litellm.Timeout: x", "500")
    assert failure_of("gateway", 500, timeout, {"x-litellm-call-id": "1"}).kind is F.UNKNOWN
