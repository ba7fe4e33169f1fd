"""From the text of a provider file to the parts that calls need, or to everything that is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from desktop_app.domain.money import PriceUnit
from desktop_app.domain.ports import Capabilities, Param, Preset
from desktop_app.domain.text import Message, message
from desktop_app.providers.job_file.call_parts import (
    cancel_of,
    poll_of,
    probe_of,
    result_of,
    submit_of,
)
from desktop_app.providers.job_file.callback_part import callback_of
from desktop_app.providers.job_file.error_part import errors_of
from desktop_app.providers.job_file.lines import Lines
from desktop_app.providers.job_file.mistakes import Mistakes, dotted, spoken
from desktop_app.providers.job_file.model import JobFile, Submit
from desktop_app.providers.job_file.preset import nameless
from desktop_app.providers.job_file.provider_part import (
    Provider,
    params_of,
    provider_of,
    references_of,
)
from desktop_app.providers.job_file.shelf import MOST_BYTES
from desktop_app.providers.job_file.table import Table
from desktop_app.providers.job_file.target_part import Home
from desktop_app.providers.profiles.rule import Profile, Rule
from desktop_app.providers.row_model import MODEL, MODEL_PARAM
from desktop_app.providers.urls import BadUrl, path_of

SYNC_TIMEOUT_S = 300.0

_AT = re.compile(r"\(at line (\d+), column \d+\)")
_NUMBER = "n"
_PARTS = frozenset(
    [
        "provider",
        "key",
        "params",
        "references",
        "submit",
        "poll",
        "result",
        "cancel",
        "callback",
        "test",
        "errors",
        "price",
    ]
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one file: ``job`` only where nothing is ``wrong``. ``preset`` holds what could
    be understood all the same."""

    file: str
    preset: Preset
    wrong: Sequence[Message] = ()
    job: JobFile | None = None


def load(file: str, raw: bytes) -> Loaded:
    """Read the provider file of this name. Never raises."""
    preset_id = file.removesuffix(".toml")
    nobody = nameless(preset_id)
    if len(raw) > MOST_BYTES:
        said = message("job_files.too_large", file=file, kilobytes=MOST_BYTES // 1024)
        return Loaded(file, nobody, (said,))
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return Loaded(file, nobody, (message("job_files.not_utf8", file=file),))
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as trouble:
        at = _AT.search(str(trouble))
        line = int(at[1]) if at else max(1, text.rstrip("\n").count("\n") + 1)
        why = _AT.sub("", str(trouble)).strip() or "?"
        return Loaded(file, nobody, (spoken(file, line, "syntax", {"text": why}),))
    mistakes = Mistakes(file, Lines(text))
    whole = Table(mistakes, (), found)
    provider = provider_of(whole, preset_id)
    job = _job(whole, provider)
    whole.close()
    wrong = tuple(one.said for one in mistakes.in_order())
    return Loaded(file, provider.preset, wrong, None if wrong else job)


def unreadable(file: str, trouble: OSError) -> Loaded:
    """One that could not even be opened."""
    text = trouble.strerror or type(trouble).__name__
    said = message("job_files.unreadable", file=file, text=text)
    return Loaded(file, nameless(file.removesuffix(".toml")), (said,))


def _model_param(submit: Submit) -> tuple[Param, ...]:
    """Rows may name their model where a submit has a place for it."""
    target = submit.target
    places = [submit.body, *target.query.values(), *([target.path] if target.path else ())]
    return (MODEL_PARAM,) if any(MODEL in one.fields for one in places) else ()


def _job(whole: Table, provider: Provider) -> JobFile:
    home = Home(provider.preset.base_url, provider.key_hosts, provider.key_header)
    params = params_of(whole)
    rule, pictures, bare = references_of(whole)
    submit = submit_of(whole, [param.name for param in params], rule is not None, home)
    poll = poll_of(whole, submit, home)
    cancel = cancel_of(whole, submit, home)
    errors = errors_of(whole)
    times = provider.times
    is_job = "poll" in whole.found
    if not is_job and _PARTS.issuperset(whole.found):  # else it is misspelt, which is told
        _tell_what_needs_jobs(whole)
    callback = callback_of(whole, home)
    stated = "timeout_s" in whole.found.get("provider", {})
    capabilities = Capabilities(
        makes=provider.makes,
        default_timeout_s=times.timeout if is_job or stated else SYNC_TIMEOUT_S,
        idempotent_s=submit.idempotent_s,
        cancel=cancel is not None,
        jobs=is_job,
        calls_back=is_job and callback is not None,
        callback_secret_entered=callback is not None and callback.entered,
        params=(*_model_param(submit), *params, *pictures),
        polls_many=poll.many.most if poll is not None and poll.many is not None else 1,
        typical_job_s=times.typical,
        poll_after_s=times.poll_after,
        job_deadline_s=times.deadline,
        lost_after_s=times.lost_after,
        several_results=_takes_several(params, submit.body.fields),
        references=() if rule is None else (rule,),
        price_units=_units(provider),
        tells_limits=True,
    )
    return JobFile(
        file=whole.mistakes.file,
        preset=provider.preset,
        capabilities=capabilities,
        profile=_profile(provider, errors.of_calls, errors.header),
        job_profile=replace(
            _profile(provider, errors.of_jobs, errors.header), last=errors.otherwise
        ),
        words=errors.words,
        key_hosts=provider.key_hosts,
        key_header=provider.key_header,
        key_prefix=provider.key_prefix,
        headers=provider.headers,
        submit=submit,
        result=result_of(whole, submit, provider.makes, home),
        poll=poll,
        cancel=cancel,
        callback=callback,
        probe=probe_of(whole, home),
        figures=provider.figures,
        bare_pictures=bare,
    )


def _tell_what_needs_jobs(whole: Table) -> None:
    for steps in (("submit", "job_id"), ("result", "fetch"), ("cancel",), ("callback",)):
        inside: object = whole.found
        for step in steps:
            inside = inside.get(step) if isinstance(inside, Mapping) else None
        if inside is not None:
            whole.mistakes.add(steps, "no_poll", key=dotted(steps))


def _units(provider: Provider) -> tuple[PriceUnit, ...]:
    """Tokens only where the file says where an answer tells them."""
    told = {PriceUnit.CALL}
    if provider.makes == "picture":
        told.add(PriceUnit.IMAGE)
    if provider.figures.tokens is not None:
        told |= {unit for unit in PriceUnit if unit.tokens}
    return tuple(unit for unit in PriceUnit if unit in told)


def _takes_several(params: Sequence[Param], fields: frozenset[str]) -> bool:
    return _NUMBER in fields or any(param.name == _NUMBER for param in params)


def _profile(provider: Provider, rules: tuple[Rule, ...], header: str) -> Profile:
    try:
        path = path_of(provider.preset.base_url)
    except BadUrl:
        path = ""
    return Profile(
        provider.preset.id,
        rules=rules,
        default_path=path,
        needs_key=provider.preset.needs_key,
        word_header=header,
    )
