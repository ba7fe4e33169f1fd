"""A vendor's own words for what went wrong, from a provider file into the rules that all vendors'
answers are judged by."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.job_file.model import Words
from desktop_app.providers.job_file.table import Table
from desktop_app.providers.profiles.rule import Rule

MEANINGS: dict[str, tuple[F, str]] = {
    "slow_down": (F.THROTTLED, "throttled"),
    "busy": (F.THROTTLED, "busy"),
    "no_money": (F.ACCOUNT, "balance"),
    "quota": (F.ACCOUNT, "quota"),
    "bad_key": (F.ACCOUNT, "auth"),
    "forbidden": (F.ACCOUNT, "forbidden"),
    "not_enabled": (F.ACCOUNT, "not_enabled"),
    "refused": (F.REFUSED, "refused"),
    "invalid": (F.INVALID, "invalid"),
    "no_model": (F.INVALID, "model_not_found"),
    "too_long": (F.INVALID, "context_long"),
    "try_again": (F.TRANSIENT, "server_error"),
    "gave_up": (F.UNKNOWN, "gateway_timeout"),
    "unknown": (F.UNKNOWN, "broken_answer"),
}
"""What a file may say that a vendor's word means."""

_WINDOWS = ("quota",)
_OF_JOBS = (0,)
_ANSWERS = (0, *(status for status in range(400, 500) if status not in (408, 499)), 500, 501)


@dataclass(frozen=True, slots=True)
class Errors:
    """Rules in the order in which they are asked: structured words, then statuses, then the
    sentence. ``of_jobs`` judge a job that failed, ``of_calls`` any other error; ``otherwise`` are
    for a failed job that no other rule knows."""

    of_calls: tuple[Rule, ...]
    of_jobs: tuple[Rule, ...]
    otherwise: tuple[Rule, ...]
    words: Words
    header: str = ""


def errors_of(whole: Table) -> Errors:
    """What ``[errors]`` says."""
    table = whole.table("errors")
    words = Words(table.paths("code"), table.paths("message"))
    header = table.text("header").lower()
    otherwise = table.choice("otherwise", list(MEANINGS), "invalid")
    rules = [rule for one in table.tables("rules") if (rule := rule_of(one)) is not None]
    table.close()
    kind, said = MEANINGS[otherwise]
    rules.sort(key=lambda rule: (not rule.codes, rule.statuses in ((), _OF_JOBS, _ANSWERS)))
    of_calls = tuple(rule for rule in rules if rule.statuses != _OF_JOBS)
    worded = Rule(kind, said, statuses=_OF_JOBS, codes=("*",))
    wordless = Rule(kind, said, statuses=_OF_JOBS, code="job_failed")
    return Errors(of_calls, tuple(rules), (worded, wordless), words, header)


def rule_of(table: Table) -> Rule | None:
    """One rule; with ``job`` true only of a job that failed, and of no call. One that knows nothing
    but a sentence is asked of answers only, not of gateways."""
    means = table.choice("means", list(MEANINGS), "invalid", needed=True)
    kind, said = MEANINGS[means]
    of_jobs = table.flag("job", False)
    codes = tuple(code.lower() for code in table.texts("codes"))
    statuses = table.statuses("statuses")
    rule = Rule(
        kind,
        said,
        codes=codes,
        statuses=_OF_JOBS if of_jobs else statuses or (() if codes else _ANSWERS),
        text=table.pattern("text"),
        code=table.text("code"),
        unless_soon=means in _WINDOWS,
        window=means in _WINDOWS,
        concurrency=table.flag("concurrency", False),
        billed=table.flag("billed", None),
    )
    table.close()
    if not (codes or rule.text or (statuses and not of_jobs)):
        table.mistakes.add(table.place, "empty_rule")
        return None
    return rule


def lost_of(table: Table, key: str) -> tuple[Rule, ...]:
    """Error answers that say plainly that there is no such job."""
    found = []
    for one in table.tables(key):
        rule = Rule(
            F.UNKNOWN,
            "",
            codes=tuple(code.lower() for code in one.texts("codes")),
            statuses=one.statuses("statuses") or (404, 410),
            text=one.pattern("text"),
        )
        one.close()
        if not (rule.codes or rule.text):
            one.mistakes.add(one.place, "empty_rule")
        else:
            found.append(rule)
    return tuple(found)
