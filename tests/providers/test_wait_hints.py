from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.ports import RateNews
from desktop_app.providers.error_body import error_of
from desktop_app.providers.wait_hints import (
    MOST_S,
    duration,
    rate_news,
    reset_seconds,
    wait_hint,
)

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


def seconds(headers: dict[str, str], body: Any = None) -> float | None:
    return wait_hint(headers, error_of(body or {}), NOW).seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("12ms", 0.012),
        ("1m12.5s", 72.5),
        ("1h2m3s", 3723.0),
        ("345ms", 0.345),
        ("6 hours", 21600.0),
        ("2 minutes, 5 seconds", 125.0),
        ("600.5s", 600.5),
        ("250µs", 0.00025),
        ("250μs", 0.00025),
        ("40ns", 4e-8),
        ("soon", None),
        ("12", None),
        ("5 apples", None),
        ("", None),
    ],
)
def test_durations(text: str, expected: float | None) -> None:
    assert duration(text) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("6m0s", 360.0),
        ("30", 30.0),
        ("0", None),
        ("-1", None),
        (str(NOW + 9), 9.0),
        (str((NOW + 9) * 1000), 9.0),
        ("2023-11-14T22:13:30Z", 10.0),
        ("2023-11-14T22:13:30", 10.0),
        ("2023-11-14t22:13:30z", 10.0),
        ("2023-11-14T22:13:30.5Z", 10.5),
        ("2023-11-15T06:13:30.5+08:00", 10.5),
        ("2001-01-01T00:00:00Z", None),
        ("nan", None),
        ("inf", None),
        ("junk", None),
        (None, None),
    ],
)
def test_resets(value: str | None, expected: float | None) -> None:
    assert reset_seconds(value, NOW) == (None if expected is None else pytest.approx(expected))


def test_the_order_of_belief() -> None:
    spoken = {"error": {"message": "Please try again in 20s."}}
    headers = {
        "retry-after-ms": "1500",
        "retry-after": "7",
        "x-ratelimit-reset-requests": "40s",
    }
    assert seconds(headers, spoken) == 1.5
    del headers["retry-after-ms"]
    assert seconds(headers, spoken) == 7.0
    del headers["retry-after"]
    assert seconds(headers, spoken) == 20.0
    assert seconds(headers) == 40.0
    assert seconds({}) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", 0.0),
        ("-5", 0.0),
        ("2.5", 2.5),
        ("Tue, 14 Nov 2023 22:13:50 GMT", 30.0),
        ("Tue, 14 Nov 2000 22:13:50 GMT", 0.0),
        ("Wed, 15 Nov 2023 06:13:50 +0800", 30.0),
        ("Tue, 14 Nov 2023 22:13:50 +99999999999999", None),
        ("Tue, 14 Nov 99999999999999999999 22:13:50 GMT", None),
        ("2023-11-14t22:13:50z", 30.0),
        (str(NOW + 30), 30.0),
        (str(int(NOW + 30) * 1000), 30.0),
        (str(NOW - 30), 0.0),
        ("7, 60", 60.0),
        ("60,7", 60.0),
        ("7, soon", None),
        ("nan", None),
        ("inf", None),
        ("86400", 86400.0),
        ("1m", 60.0),
        ("whenever", None),
    ],
)
def test_retry_after(value: str, expected: float | None) -> None:
    assert seconds({"retry-after": value}) == expected


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system's zone is set elsewhere")
@pytest.mark.parametrize(
    "value", ["Tue, 14 Nov 2023 22:13:50 -0000", "Tue, 14 Nov 2023 22:13:50", "2023-11-14T22:13:50"]
)
def test_a_date_without_a_zone_is_not_in_this_computers(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        assert seconds({"retry-after": value}) == 30.0
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"detail": "Request was throttled. Your rate limit resets in ~30s."}, 30.0),
        ({"detail": "x", "status": 429, "retry_after": 5}, 5.0),
        ({"error": {"details": [{"retryDelay": "34s"}]}}, 34.0),
        ({"error": {"message": "Please try again in 1m12.5s. Visit x"}}, 72.5),
        ({"error": {"message": "Please try again in 345ms."}}, 0.345),
        ({"error": {"message": "resets in 6hr"}}, 21600.0),
        ({"error": {"message": "x", "metadata": {"resets_at": NOW + 60}}}, 60.0),
        ({"error": {"message": "try again later; error 12"}}, None),
        ({"error": {"message": "Limit 3 / min. Requested 5s"}}, None),
    ],
)
def test_hints_in_the_body(body: Any, expected: float | None) -> None:
    found = seconds({}, body)
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"retry-after": "99999999999999"}, None),
        ({"retry-after-ms": "1e308"}, None),
        ({}, {"error": {"message": "no", "resets_at": 99_999_999_999_999_999}}),
        ({}, {"error": {"message": "Please try again in 99999999999h."}}),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9e8"}, None),
    ],
)
def test_no_wait_is_longer_than_any_window(headers: dict[str, str], body: Any) -> None:
    assert seconds(headers, body) == MOST_S


def test_only_buckets_that_are_used_up_count() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "2s",
        "x-ratelimit-remaining-tokens": "9000",
        "x-ratelimit-reset-tokens": "6m0s",
    }
    assert seconds(headers) == 2.0
    headers["x-ratelimit-remaining-tokens"] = "0"
    assert seconds(headers) == 360.0


@pytest.mark.parametrize("bucket", ["input-images", "tokens_usage_based", "project-tokens"])
def test_a_bucket_of_any_name_counts_once_it_is_told_to_be_used_up(bucket: str) -> None:
    headers = {
        "x-ratelimit-remaining-requests": "40",
        "x-ratelimit-reset-requests": "1s",
        f"x-ratelimit-reset-{bucket}": "12s",
    }
    assert seconds(headers) is None  # nobody says that it is used up
    headers[f"x-ratelimit-remaining-{bucket}"] = "3"
    assert wait_hint(headers, error_of({}), NOW).spare
    headers[f"x-ratelimit-remaining-{bucket}"] = "0"
    hint = wait_hint(headers, error_of({}), NOW)
    assert (hint.seconds, hint.spare) == (12.0, False)
    assert rate_news(headers, NOW).no_tokens_s == (12.0 if "token" in bucket else None)
    assert (
        seconds(
            {
                f"anthropic-ratelimit-{bucket}-remaining": "0",
                f"anthropic-ratelimit-{bucket}-reset": "2023-11-14T22:13:30Z",
            }
        )
        == 10.0
    )


@pytest.mark.parametrize(
    ("headers", "spare"),
    [
        ({}, False),
        ({"x-ratelimit-remaining-requests": "40"}, True),
        ({"anthropic-ratelimit-requests-remaining": "40"}, True),
        ({"x-ratelimit-remaining-requests": "0"}, False),
        ({"x-ratelimit-remaining-requests": "40", "x-ratelimit-remaining-tokens": "0"}, False),
        ({"x-ratelimit-remaining-requests": "40", "retry-after": "2"}, False),
    ],
)
def test_calls_left_and_no_wait_named_speak_against_the_rate(
    headers: dict[str, str], spare: bool
) -> None:
    assert wait_hint(headers, error_of({}), NOW).spare is spare


def test_news_of_the_request_bucket() -> None:
    headers = {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
    }
    assert rate_news(headers, NOW) == RateNews(60.0, 59.0, 1.0)
    assert rate_news({"x-ratelimit-limit": "5"}, NOW) == RateNews(5.0, None, None)
    assert rate_news({}, NOW) == RateNews()


def test_news_of_tokens_that_are_used_up() -> None:
    headers = {
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "6m0s",
        "anthropic-ratelimit-output-tokens-remaining": "12000",
        "anthropic-ratelimit-output-tokens-reset": "2023-11-14T23:13:20Z",
    }
    assert rate_news(headers, NOW).no_tokens_s == 360.0
    headers["x-ratelimit-remaining-tokens"] = "900"
    assert rate_news(headers, NOW).no_tokens_s is None
    del headers["x-ratelimit-remaining-tokens"]
    assert rate_news(headers, NOW).no_tokens_s is None
    headers["anthropic-ratelimit-output-tokens-remaining"] = "0"
    assert rate_news(headers, NOW).no_tokens_s == 3600.0


@given(st.text(max_size=200), st.text(max_size=60))
def test_no_text_breaks_it(message: str, header: str) -> None:
    found = wait_hint(
        {"retry-after": header, "x-ratelimit-reset-requests": header},
        error_of({"error": {"message": f"try again in {message}"}}),
        NOW,
    ).seconds
    assert found is None or found >= 0
