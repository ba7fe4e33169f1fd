"""The calls of a provider file: submit, poll, result, cancel, test."""

from __future__ import annotations

from collections.abc import Collection

from desktop_app.providers.job_file.error_part import lost_of
from desktop_app.providers.job_file.mistakes import dotted
from desktop_app.providers.job_file.model import (
    Cancel,
    Many,
    Poll,
    Probe,
    Result,
    State,
    Submit,
    Target,
)
from desktop_app.providers.job_file.provider_part import OWN_WORDS, headers_of
from desktop_app.providers.job_file.table import Table
from desktop_app.providers.job_file.target_part import Home, target_of
from desktop_app.providers.job_file.template import is_field

_MODEL = ("model", "model_app")


def submit_of(whole: Table, params: Collection[str], pictures: bool, home: Home) -> Submit:
    """How work is handed in. ``pictures``: reference pictures can be shown."""
    table = whole.table("submit", needed=True)
    shown = ("reference", "references") if pictures else ()
    fields = ("prompt", "model", *shown, *params)
    target = target_of(
        table, ("model", *params), home, method="POST", needed=table.there, asks=False
    )
    if target is not None and target.url is not None:  # work is handed in at the own host alone
        table.wrong("url", "unknown_key", key="submit.url", known="path")
    table.choice("method", ("POST",), "POST")
    keep = table.table("keep")
    kept = {name: keep.path(name) for name in keep.found}
    for name in kept:
        if name in OWN_WORDS:
            keep.wrong(name, "taken_name", key=f"submit.keep.{name}")
        elif not is_field(name):
            keep.wrong(name, "bad_name", key=f"submit.keep.{name}")
    keep.close()
    hours = table.number("idempotent_h", most=720)
    made = Submit(
        target=target or Target("POST"),
        body=table.template("body", fields),
        rest=tuple(step for step in table.text("rest").split(".") if step),
        headers=headers_of(table, "headers", home.key_header),
        job_id=table.path("job_id"),
        keep={name: path for name, path in kept.items() if path is not None},
        hint=table.path("hint"),
        idempotent_s=None if hours is None else hours * 3600,
    )
    misspelt = made.body.fields.difference(fields)  # which is told already
    if not pictures and table.there and "prompt" not in made.body.fields and not misspelt:
        table.wrong("body", "no_prompt", prompt="{prompt}")
    if pictures and made.body.count(*shown) != 1:
        table.wrong("body", "reference_once", field="{reference}")
    table.close()
    return made


def poll_of(whole: Table, submit: Submit, home: Home) -> Poll | None:
    """How a job is asked for; None where the submit's answer is the result."""
    table = whole.table("poll")
    if not table.there:
        return None
    if submit.job_id is None:
        table.mistakes.add(table.place, "job_without_id")
    target = _of_a_job(table, submit, home)
    status = table.path("status", needed=True)
    words = table.table("states", needed=True)
    states = {word: State(words.choice(word, list(State), State.RUNNING)) for word in words.found}
    words.close()
    if words.there and State.DONE not in states.values():
        words.mistakes.add(words.place, "no_done")
    many = _many_of(table, home)
    failed, hint, lost = table.path("failed_when"), table.path("hint"), lost_of(table, "lost")
    table.close()
    if status is None or target is None:
        return None
    return Poll(target, status, states, failed, hint, lost, many)


def _of_a_job(table: Table, submit: Submit, home: Home, method: str = "GET") -> Target | None:
    """Where a call about one job goes: what does not name the job would be asked for all alike."""
    naming, known = {"id", *submit.keep}, ("id", *_MODEL, *submit.keep)
    target = target_of(table, known, home, method=method)
    if target is None:
        return None
    beside = (*target.query.values(), *(() if target.body is None else (target.body,)))
    is_beside = any(naming & one.fields for one in beside)
    for key, one in (("path", target.path), ("url", target.url)):
        if one is None or one.fields.difference(known):  # an unknown one is told already
            continue
        if not (naming & one.fields) and not (key == "path" and is_beside):
            table.wrong(key, "no_id", key=dotted((*table.place, key)), id="{id}")
    return target


def _many_of(above: Table, home: Home) -> Many | None:
    table = above.table("many")
    if not table.there:
        return None
    target = target_of(table, ("ids",), home)
    most, between = table.whole("most", 20, most=1000), table.text("between", ",")
    jobs, job_id = table.path("jobs", needed=True), table.path("job_id", needed=True)
    table.close()
    if target is None or jobs is None or job_id is None:
        return None
    return Many(target, most, jobs, job_id, between)


def result_of(whole: Table, submit: Submit, makes: str, home: Home) -> Result:
    """Where the result is."""
    table = whole.table("result", needed=True)
    fetch = table.table("fetch")
    made = Result(
        urls=table.path("urls"),
        base64=table.path("base64"),
        text=table.path("text"),
        fetch=_of_a_job(fetch, submit, home) if fetch.there else None,
        verdicts=frozenset(fetch.statuses("verdicts")),
        flagged=table.path("flagged"),
        total=table.path("total"),
        gone=table.path("gone"),
        cut=table.path("cut"),
        model=table.path("model"),
    )
    fetch.close()
    table.close()
    if table.there and sum(key in table.found for key in ("urls", "base64", "text")) != 1:
        table.mistakes.add(table.place, "one_result")
    if makes == "picture" and "text" in table.found:
        table.wrong("text", "text_result", key="result.text")
    return made


def cancel_of(whole: Table, submit: Submit, home: Home) -> Cancel | None:
    """How a job is cancelled; None where it can't be."""
    table = whole.table("cancel")
    if not table.there:
        return None
    target = _of_a_job(table, submit, home, method="POST")
    counts = frozenset(table.statuses("counts")) or frozenset(range(200, 300))
    billed = table.flag("billed", None)
    table.close()
    return None if target is None else Cancel(target, counts, billed)


def probe_of(whole: Table, home: Home) -> Probe:
    """The cheapest call; an empty submit where none is named."""
    table = whole.table("test")
    found = table.table("model")
    made = Probe(
        target=target_of(table, _MODEL, home) if table.there else None,
        proves=frozenset(table.statuses("proves")),
        shows=table.path("shows"),
        model_target=target_of(found, _MODEL, home) if found.there else None,
    )
    found.close()
    table.close()
    return made
