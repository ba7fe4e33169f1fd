"""From a vendor's answer to the taxonomy: its structured word first, then its status, then text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from desktop_app.domain.errors import Failure, FailureClass, WaitHint
from desktop_app.domain.text import Message
from desktop_app.providers.error_body import ErrorBody, Reading, error_of, parse_error
from desktop_app.providers.http.client import Wire
from desktop_app.providers.profiles import seen_in
from desktop_app.providers.profiles.common import CODES, TEXTS
from desktop_app.providers.profiles.hidden import HIDDEN
from desktop_app.providers.profiles.rule import Profile, Rule, wordless
from desktop_app.providers.redact import Scrubber
from desktop_app.providers.sentences import sentence
from desktop_app.providers.wait_hints import retry_wish, wait_hint

BODY_CHARS = 2000
LATE_S = 50.0
"""From here on a 502 or 503 is a gateway that gave up waiting, while the provider may go on."""
SOON_S = 120.0
"""A promised wait up to this is a rate limit, whatever word the vendor has for it."""
WINDOW_S = 3600.0
"""A promised wait from here on is a quota window: the account rests until it ends."""

_ALONE = re.compile(r"request too large|limit:?\s*(\d+)\b.{0,80}requested:?\s*(\d+)", re.IGNORECASE)
_OUTPUT = re.compile(r"output|generated (image|content)|输出", re.IGNORECASE)
_GATEWAY_TIMEOUTS = frozenset({408, 504, 522, 524})
_NO_MORE = Rule(FailureClass.ACCOUNT, "no_more_calls", unless_soon=True, window=True)
"""A 429 with which the vendor says that another try does not help."""
_NO_CHARGE = frozenset({FailureClass.THROTTLED, FailureClass.ACCOUNT, FailureClass.INVALID})


@dataclass(frozen=True, slots=True)
class Site:
    """Whose answers are judged: the connection's host and model, the vendor, the scrubber,
    whether calls carry a key, and how the vendor's error bodies are read."""

    host: str
    model: str
    profile: Profile
    scrub: Scrubber
    has_key: bool = True
    read: Reading = error_of


@dataclass(frozen=True, slots=True)
class _Verdict:
    kind: FailureClass
    said: str
    code: str
    rule: Rule | None = None
    timeout: bool = False


def classify(site: Site, wire: Wire, now: float) -> Failure:
    """The failure an answer with a status outside 2xx means. ``now`` is epoch seconds."""
    return judge(site, wire, parse_error(wire.body, site.read), wire.status, now)


def judge(site: Site, wire: Wire, body: ErrorBody, status: int, now: float) -> Failure:
    """As ``classify``, for an error found inside an answer; ``status`` is the one it means
    (0 where a 200 names none)."""
    body = worded(site, wire, body)
    wait = wait_hint(wire.headers, body, now)
    verdict = _soften(_verdict(site, wire, body, status), wait, retry_wish(wire.headers))
    until = None
    if verdict.kind is FailureClass.ACCOUNT and verdict.rule is not None and verdict.rule.window:
        if verdict.rule.renewed is not None:
            wait = replace(wait, seconds=None)
            until = verdict.rule.renewed(now)
        elif wait.seconds is not None:
            until = now + wait.seconds
    elif _is_window(verdict, wait):
        verdict = _Verdict(FailureClass.ACCOUNT, "quota", verdict.code)
        until = now + (wait.seconds or 0.0)
    said = verdict.said
    if said == "auth" and not site.has_key:
        said = "no_key"
    alone = verdict.kind is FailureClass.THROTTLED and _exceeds_alone(body.message)
    busy = wait.concurrency or (verdict.rule is not None and verdict.rule.concurrency)
    return Failure(
        verdict.kind,
        site.scrub(verdict.code, 200),
        _say(site, "too_big" if alone else said, body, wire.status),
        http_status=wire.status,
        request_id=wire.request_id,
        body=site.scrub(body.text or wire.body[:65536].decode("utf-8", "replace"), BODY_CHARS),
        wait=replace(wait, concurrency=busy, until=until),
        billed=_billed(verdict, wire.status, body),
        limit_by_itself=alone,
        timeout=verdict.timeout,
    )


def worded(site: Site, wire: Wire, body: ErrorBody) -> ErrorBody:
    """With the vendor's word that a header of the answer has, where the body has none."""
    word = wire.headers.get(site.profile.word_header, "").strip()
    return replace(body, codes=(word,)) if word and not body.codes else body


def found_wanting(
    site: Site,
    wire: Wire,
    kind: FailureClass,
    said: str,
    *,
    code: str,
    text: str = "",
    billed: bool | None = None,
) -> Failure:
    """A failure of an answer whose status was good; ``said`` names the sentence."""
    return Failure(
        kind,
        code,
        _say(site, said, ErrorBody(message=text), wire.status),
        http_status=wire.status,
        request_id=wire.request_id,
        body=site.scrub(wire.body[:65536].decode("utf-8", "replace"), BODY_CHARS),
        billed=billed,
    )


def _verdict(site: Site, wire: Wire, body: ErrorBody, status: int) -> _Verdict:
    if wire.status in (502, 503) and wire.elapsed_s >= LATE_S:
        return _Verdict(FailureClass.UNKNOWN, "late_gateway", f"late_{wire.status}")
    profile = seen_in(wire.headers, site.profile)
    wish = retry_wish(wire.headers)
    for rule in (*profile.rules, *CODES, *TEXTS, *HIDDEN, *profile.last):
        word = rule.match(status, body)
        if word is not None:
            if wish is False and rule.kind is FailureClass.TRANSIENT:
                return _Verdict(FailureClass.INVALID, "invalid", word)
            timeout = rule.kind is FailureClass.UNKNOWN
            return _Verdict(rule.kind, rule.said, word, rule, timeout)
    return _as_wished(_by_status(status, body, wire), wish)


def _as_wished(verdict: _Verdict, wish: bool | None) -> _Verdict:
    """What a status means where the vendor says whether another try may help."""
    if wish is False and verdict.said == "throttled":
        # As many clients do, it leaves this to a person: no wait helps, and no row is to blame.
        return _Verdict(_NO_MORE.kind, _NO_MORE.said, verdict.code, _NO_MORE)
    if wish is False and (verdict.kind is FailureClass.TRANSIENT or verdict.said == "busy"):
        return _Verdict(FailureClass.INVALID, "invalid", verdict.code)
    if wish and verdict.kind is FailureClass.INVALID:
        return _Verdict(FailureClass.TRANSIENT, "server_error", verdict.code)
    if wish and verdict.said == "balance":
        return _Verdict(FailureClass.THROTTLED, "throttled", verdict.code)
    return verdict


def _by_status(status: int, body: ErrorBody, wire: Wire) -> _Verdict:
    code = body.code or wordless(status)
    kind, said = FailureClass.INVALID, "invalid"
    if status in _GATEWAY_TIMEOUTS:
        return _Verdict(FailureClass.UNKNOWN, "gateway_timeout", code, timeout=True)
    if status in (0, 499, 520):
        kind, said = FailureClass.UNKNOWN, "broken_answer"
    elif status == 401:
        kind, said = FailureClass.ACCOUNT, "auth"
    elif status == 402:
        kind, said = FailureClass.ACCOUNT, "balance"
    elif status == 403:
        kind, said = FailureClass.ACCOUNT, "forbidden"
    elif status == 413:
        said = "request_big"
    elif status == 407:
        kind, said = FailureClass.OFFLINE, "proxy_login"
    elif status == 429:
        kind, said = FailureClass.THROTTLED, "throttled"
    elif status == 529 or (status == 503 and _asks_to_wait(wire)):
        kind, said = FailureClass.THROTTLED, "busy"
    elif 300 <= status < 400:
        kind, said = FailureClass.ACCOUNT, "moved"
    elif status == 501:
        kind, said = FailureClass.INVALID, "invalid"
    elif status >= 500:
        kind, said = FailureClass.TRANSIENT, "server_error"
    return _Verdict(kind, said, code)


def _asks_to_wait(wire: Wire) -> bool:
    return "retry-after" in wire.headers or "retry-after-ms" in wire.headers


def _soften(verdict: _Verdict, wait: WaitHint, wish: bool | None) -> _Verdict:
    """S04: a "quota" that is back within moments, or worth another try, is a rate limit."""
    soon = wish is True or (wait.seconds is not None and wait.seconds <= SOON_S)
    if verdict.rule is not None and verdict.rule.unless_soon and soon:
        return _Verdict(FailureClass.THROTTLED, "throttled", verdict.code)
    return verdict


def _is_window(verdict: _Verdict, wait: WaitHint) -> bool:
    """Whether it passes by itself, but not soon, whatever word the vendor has for it."""
    if verdict.kind is FailureClass.THROTTLED:
        return (wait.seconds or 0.0) >= WINDOW_S
    return verdict.said == "forbidden" and (wait.seconds or 0.0) > 0


def _exceeds_alone(text: str) -> bool:
    found = _ALONE.search(text)
    if found is None:
        return False
    return found[1] is None or int(found[2]) > int(found[1])


def _billed(verdict: _Verdict, status: int, body: ErrorBody) -> bool | None:
    if verdict.rule is not None and verdict.rule.billed is not None:
        return verdict.rule.billed
    if verdict.kind is FailureClass.OFFLINE:
        return False
    if status < 400:
        return None
    if verdict.kind is FailureClass.REFUSED:
        return False if _is_of_the_input(verdict, body) else None
    # Nobody knows what was done before a fault of the server that is merely not to be tried again.
    is_clear = status < 500 or verdict.rule is not None or verdict.kind is not FailureClass.INVALID
    return False if verdict.kind in _NO_CHARGE and is_clear else None


def _is_of_the_input(verdict: _Verdict, body: ErrorBody) -> bool:
    """Only where it is said or documented: a result that was made and held back may be billed."""
    details = body.fields.get("moderation_details")
    stage = details.get("moderation_stage") if isinstance(details, dict) else None
    if isinstance(stage, str):
        return stage == "input"
    if _OUTPUT.search(" ".join((*body.codes, body.message))):
        return False
    return verdict.rule is not None and verdict.rule.of_input


def _say(site: Site, said: str, body: ErrorBody, status: int) -> Message:
    return sentence(
        said,
        site.scrub.line(body.message),
        host=site.host,
        model=site.model,
        status=status,
    )
