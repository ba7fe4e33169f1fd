"""The test of a connection to a provider that a file describes: the cheapest call the file names,
and what it found in sentences."""

from __future__ import annotations

from urllib.parse import urlsplit

from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.domain.ports import TestReport
from desktop_app.domain.text import Message, message
from desktop_app.providers.http.client import Wire
from desktop_app.providers.job_file.model import JobFile, Target
from desktop_app.providers.job_file.paths import Path
from desktop_app.providers.job_file.requests import Requests
from desktop_app.providers.json_work import decode_json
from desktop_app.providers.probe import closing, ending, no_endpoint, unreached
from desktop_app.providers.vendor_line import VendorLine

TEST_TIMEOUT_S = 10.0
"""A person waits for it."""

_GOOD = ("providers.test_key_ok", "providers.test_answers", "providers.test_busy")


async def test_of(job: JobFile, line: VendorLine, requests: Requests) -> TestReport:
    """Never bills: the call that the file names, else none that bears the key, and so none that
    could begin a job."""
    sound = message("job_files.good", file=job.file)
    probe = job.probe
    try:
        if probe.target is None:
            return await _without_a_call(job, line, sound)
        wire = await _ask(line, requests, probe.target)
    except ProviderFailure as trouble:
        return TestReport(False, unreached(line, trouble.failure))
    said = [sound, await _standing(line, wire, probe.proves, probe.shows)]
    ok = said[-1].code in _GOOD
    if ok:
        model = await _model(job, line, requests)
        ok = model.code != "providers.model_not_found"
        said += [model, *closing(line, wire)]
    return TestReport(ok, tuple(said), wire.elapsed_s, tuple(job.preset.models))


async def _without_a_call(job: JobFile, line: VendorLine, sound: Message) -> TestReport:
    """What can be seen without a call: the file, a key, and whether the host answers a stranger.
    Raises ProviderFailure."""
    line.headers()  # a key that is missing, or can't be one
    home = urlsplit(line.url(""))
    wire = await line.http.send(
        "HEAD",
        f"{home.scheme}://{home.netloc}/",
        headers={},
        body=None,
        timeout_s=TEST_TIMEOUT_S,
    )
    said = [sound, message("job_files.host_answers", host=line.connection.host)]
    if line.has_key:
        said.append(message("job_files.key_unasked"))
    said += [message("job_files.no_test", file=job.file), *ending(line, wire)]
    return TestReport(True, tuple(said), wire.elapsed_s, tuple(job.preset.models))


async def _ask(line: VendorLine, requests: Requests, target: Target) -> Wire:
    return await requests.ask(target, {}, line, timeout_s=TEST_TIMEOUT_S)


async def _standing(
    line: VendorLine, wire: Wire, proves: frozenset[int], shows: Path | None
) -> Message:
    host = line.connection.host
    failure = line.questions.failure_of(wire)
    if 200 <= wire.status < 300:
        pass
    elif failure.kind is FailureClass.THROTTLED:
        return message("providers.test_busy", host=host)
    elif wire.status not in proves or failure.kind is FailureClass.ACCOUNT:
        return no_endpoint(line, wire) if failure.kind is FailureClass.INVALID else failure.said
    try:
        found = await decode_json(wire.body)
    except ValueError:
        return no_endpoint(line, wire)  # such as a network's sign-in page
    if shows is not None and not shows.find(found):
        return no_endpoint(line, wire)
    return message("providers.test_key_ok" if line.has_key else "providers.test_answers", host=host)


async def _model(job: JobFile, line: VendorLine, requests: Requests) -> Message:
    model = line.connection.model
    target = job.probe.model_target
    if target is None:
        return message("providers.test_unlisted", model=model)
    try:
        wire = await _ask(line, requests, target)
    except ProviderFailure:
        return message("providers.test_unlisted", model=model)
    if 200 <= wire.status < 300:
        return message("providers.test_model_ok", model=model)
    if wire.status == 404:
        return message("providers.model_not_found", host=line.connection.host, model=model)
    return message("providers.test_unlisted", model=model)
