"""Which trouble a call meets, decided from its prompt and attempt alone, so that runs repeat.

A prompt may carry markers: ``[[500]]`` fails always, ``[[500:2]]`` fails the first two times and
then works, ``[[500:2]] [[drop:1]]`` fails twice, then drops once, then works. Refusals by a limit
do not count as times. A marker with an unknown word is part of the prompt.

| kind | the server | billed |
|---|---|---|
| ``500`` | answers 500 ``server_error`` soon | no |
| ``503`` | answers 503 with Retry-After soon | no |
| ``html502`` | answers 502 with a proxy's HTML page soon | no |
| ``504`` | works for the whole time, then answers 504 without any id | yes |
| ``hang`` | takes the call and never answers | yes |
| ``drop`` | works, bills, then cuts the socket without a byte | yes |
| ``truncated`` | sends half of the body, then cuts the socket | yes |
| ``badjson`` | sends 200 and JSON that breaks off | yes |
| ``badimage`` | sends 200 and bytes that are no picture (chat: an empty text) | yes |
| ``moderate`` | answers 400 ``content_policy_violation`` soon | no |
| ``empty`` | answers 200 with ``data: []`` (chat: ``choices: []``) soon | no |
| ``400`` | answers 400 ``invalid_value`` at once | no |
| ``401`` | answers 401 ``invalid_api_key`` at once | no |
| ``quota`` | answers 429 ``insufficient_quota`` at once | no |
| ``softquota`` | answers 429 whose text says "quota", with a short Retry-After | no |
| ``slow`` | works ``slow_factor`` times as long, then answers well | yes |

Of a stream the same is meant: ``truncated`` breaks it off in its middle; ``badjson`` ends it there;
``slow`` sends it slowly. Of streams (``flow.py``) alone; elsewhere they mean nothing:

| kind | the server | billed |
|---|---|---|
| ``stream-silent`` | falls silent in the middle | yes |
| ``stream-error`` | tells of an error of its own in the middle | yes |
| ``stream-unended`` | cuts the socket once all is said, before the count and ``[DONE]`` | yes |

A text without its ``[DONE]`` may lack words; a picture's last event is its end.

Of jobs (``jobs.py``) alone; elsewhere they mean nothing:

| kind | the server | billed |
|---|---|---|
| ``job-failed`` | takes the job, which ends without a result | no |
| ``job-lost`` | makes and bills it, then knows no such job | yes |
| ``poll-500`` | answers the first three questions after the job with 500 | yes |
| ``callback-lost`` | never calls | yes |
| ``callback-late`` | calls ``callback_late_s`` after the job's end | yes |
| ``callback-doubled`` | calls three times over | yes |
| ``callback-early`` | calls before it answers the submit | yes |
"""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Mapping

KINDS = (
    "500", "503", "html502", "504", "hang", "drop", "truncated", "badjson", "badimage",
    "moderate", "empty", "400", "401", "quota", "softquota", "slow",
    "stream-silent", "stream-error", "stream-unended",
    "job-failed", "job-lost", "poll-500",
    "callback-lost", "callback-late", "callback-doubled", "callback-early",
)  # fmt: skip
"""Every kind of trouble there is."""

OF_JOBS = frozenset(kind for kind in KINDS if kind.startswith(("job-", "poll-", "callback-")))
"""No trouble for a call that is answered at once."""

OF_STREAMS = frozenset(kind for kind in KINDS if kind.startswith("stream-"))
"""No trouble for an answer that comes in one piece."""

AT_ONCE = frozenset({"400", "401", "quota", "softquota"})
"""Answered before any limit is asked: no slot, no token, no latency."""

QUICK = frozenset({"500", "503", "html502", "moderate", "empty"})
"""Answered after ``quick_s``, having made nothing."""

_OF_THE_PROMPT = frozenset({"moderate", "empty", "400"})
_MARKER = re.compile(r"\[\[\s*([a-z0-9][a-z0-9-]*)\s*(?::\s*(\d{1,9})\s*)?\]\]", re.IGNORECASE)


def prompt_hash(prompt: str) -> str:
    """SHA-256 of the prompt as it was received, in hex: its name in the ledger."""
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


def marked(prompt: str, attempt: int) -> str | None:
    """The kind that a marker asks for on this attempt (1 = the first), or None."""
    before = 0
    for found in _MARKER.finditer(prompt):
        kind, times = found[1].lower(), found[2]
        if kind not in KINDS:
            continue
        if times is None or attempt <= before + int(times):
            return kind
        before += int(times)
    return None


def unmarked(prompt: str) -> str:
    """The prompt without its markers, as it is drawn."""

    def keep(found: re.Match[str]) -> str:
        return "" if found[1].lower() in KINDS else found[0]

    return re.sub(r"[ \t]{2,}", " ", _MARKER.sub(keep, prompt)).strip()


def choose(prompt: str, attempt: int, chances: Mapping[str, float], seed: int) -> str | None:
    """The trouble of this attempt: by marker first, else by the chances.

    What a provider decides from the prompt (moderation, an invalid request) is drawn once a
    prompt and stays; everything else is drawn for each attempt.
    """
    kind = marked(prompt, attempt)
    if kind is not None:
        return kind
    name = prompt_hash(prompt)
    for group, dice in (
        (True, random.Random(f"{seed}:{name}")),  # noqa: S311 - dice, no secret
        (False, random.Random(f"{seed}:{name}:{attempt}")),  # noqa: S311
    ):
        roll = dice.random()
        for kind, share in chances.items():
            if (kind in _OF_THE_PROMPT) is not group:
                continue
            if roll < share:
                return kind
            roll -= share
    return None


def latency(prompt: str, attempt: int, mean: float, sigma: float, seed: int) -> float:
    """Seconds this attempt takes: lognormal with this mean, the same for the same arguments."""
    if mean <= 0 or sigma <= 0:
        return max(0.0, mean)
    dice = random.Random(f"{seed}:{prompt_hash(prompt)}:{attempt}:latency")  # noqa: S311
    return dice.lognormvariate(math.log(mean) - sigma * sigma / 2, sigma)
