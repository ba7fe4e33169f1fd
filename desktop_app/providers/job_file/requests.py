"""Writes the calls that a provider file describes, for one connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import Job
from desktop_app.domain.references import REFERENCE
from desktop_app.domain.task import Request
from desktop_app.domain.text import message
from desktop_app.providers.http.client import Wire
from desktop_app.providers.http.key_hosts import may_have_key, names
from desktop_app.providers.job_file.model import JobFile, Target
from desktop_app.providers.job_file.template import Template
from desktop_app.providers.request_fields import setting
from desktop_app.providers.row_model import MODEL
from desktop_app.providers.vendor_line import VendorLine

MODEL_APP = "model_app"
"""A field: the first two parts of the model's name, under which some providers keep its jobs."""

_MODEL_SAFE = "/:@"


class Requests:
    """``key_hosts``: where else the key may go from this connection."""

    def __init__(self, job: JobFile, connection: Connection) -> None:
        self._job = job
        self._connection = connection
        self.key_hosts = _key_hosts(job, connection)

    def body(
        self,
        request: Request,
        pictures: Sequence[str],
        callback: Mapping[str, str | None] | None = None,
    ) -> dict[str, Any]:
        """The JSON of a submit. ``pictures`` are the addresses of the reference pictures, or what
        stands for them; ``callback``: the address that the provider is to call."""
        submit = self._job.submit
        params, extra = setting(self._connection, request.params, request.extra)
        params.pop(REFERENCE, None)
        params.pop(MODEL, None)
        values = {**params, "prompt": request.prompt, MODEL: self.model_of(request)}
        if pictures:
            values |= {"reference": pictures[0], "references": list(pictures)}
        made = submit.body.fill(values) or {}
        placed = submit.body.fields.union(*(one.fields for one in self._written()))
        rest: dict[str, Any] = {name: v for name, v in params.items() if name not in placed}
        for step in reversed(submit.rest):
            rest = {step: rest} if rest else rest
        made = laid_over(laid_over(made, rest), extra)
        if callback and self._job.callback is not None:
            made = laid_over(made, self._job.callback.body.fill(callback) or {})
        return made

    def model_of(self, request: Request) -> str:
        """Which model a request is for: its row's, or else the connection's."""
        return str(request.params.get(MODEL) or "").strip() or self._connection.model

    def submit_path(
        self, request: Request, callback: Mapping[str, str | None] | None = None
    ) -> str:
        """The path and query of a submit. Raises ProviderFailure ``invalid`` where the row lacks
        what the path needs."""
        target = self._job.submit.target
        params, _ = setting(self._connection, request.params, request.extra)
        values = {**params, MODEL: self.model_of(request)}
        path = target.path.line(values, _spelled) if target.path is not None else ""
        if path is None:
            raise _lacking(target.path, values)
        query = {name: one.line(values) for name, one in target.query.items()}
        if callback and self._job.callback is not None:
            query |= {name: one.line(callback) for name, one in self._job.callback.query.items()}
        return path + _query(query)

    def address(self, target: Target, values: Mapping[str, Any], line: VendorLine) -> str:
        """Where a call about a job goes. Raises ProviderFailure where no address is known to which
        the key may go: what an answer hands out is followed to declared hosts only."""
        values = {MODEL: self._connection.model, **values}
        values[MODEL_APP] = _app_of(values[MODEL])
        handed = _handed_out(target, values)
        if handed and may_have_key(handed, self._connection, self.key_hosts):
            return handed
        path = target.path.line(values, _spelled) if target.path is not None else None
        query = {name: one.line(values) for name, one in target.query.items()}
        if path is not None:
            return line.url(path + _query(query))
        host = self._connection.host
        if handed is None:
            raise _not_asked("no_address", host=host)
        other = line.http.scrub.line(_host(handed), 100)
        raise _not_asked("other_host", host=host, other=other, file=self._job.file)

    def content(self, target: Target, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The JSON of a call about a job, None for none."""
        if target.body is None:
            return None
        values = {MODEL: self._connection.model, **values}
        values[MODEL_APP] = _app_of(values[MODEL])
        return target.body.fill(values) or {}

    async def ask(
        self, target: Target, values: Mapping[str, Any], line: VendorLine, **more: float
    ) -> Wire:
        """The answer to a call about a job, whatever its status. Raises ProviderFailure."""
        url = self.address(target, values, line)
        body = self.content(target, values)
        return await line.questions.send(target.method, url, body=body, **more)

    def _written(self) -> Sequence[Any]:
        target = self._job.submit.target
        path = () if target.path is None else (target.path,)
        return (*path, *target.query.values())


def _app_of(model: Any) -> str:
    return "/".join(str(model).split("/")[:2])


def values_of(job: Job) -> dict[str, Any]:
    """What a call about a job is filled with."""
    return {**job.context, "id": job.id}


def model_in(job: Job) -> str | None:
    """The model that a job was handed in for; None of one that was before it was kept."""
    found = job.context.get(MODEL)
    return found if isinstance(found, str) else None


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """``above`` in place of what is at the same places; a None takes a field away."""
    made = dict(below)
    for name, value in above.items():
        inside = made.get(name)
        if isinstance(value, Mapping) and isinstance(inside, Mapping):
            made[name] = laid_over(inside, value)
        elif value is None:
            made.pop(name, None)
        else:
            made[name] = value
    return made


def _key_hosts(job: JobFile, connection: Connection) -> Sequence[str]:
    """The file names the hosts of its own vendor: the key of another server, which speaks like it,
    has no business there."""
    own = urlsplit(job.preset.base_url).netloc.lower()
    at_home = connection.host == own or any(names(connection.host, one) for one in job.key_hosts)
    return job.key_hosts if at_home else ()


def _handed_out(target: Target, values: Mapping[str, Any]) -> str | None:
    if target.url is None:
        return None
    if f"{{{next(iter(target.url.fields), '')}}}" == target.url.pattern:
        found = values.get(next(iter(target.url.fields)))
        return found if isinstance(found, str) and found else None
    return target.url.line(values, _spelled)


def _spelled(name: str, text: str) -> str:
    return quote(text, safe=_MODEL_SAFE if name in (MODEL, MODEL_APP) else "")


def _query(found: Mapping[str, str | None]) -> str:
    given = {name: value for name, value in found.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or "?"
    except ValueError:
        return "?"


def _lacking(path: Template | None, values: Mapping[str, Any]) -> ProviderFailure:
    fields = sorted(path.fields - values.keys()) if path is not None else []
    said = message("job_files.no_value", field=fields)
    return ProviderFailure(
        Failure(FailureClass.INVALID, "no_value", said, sent=False, billed=False)
    )


def _not_asked(code: str, **values: Any) -> ProviderFailure:
    said = message(f"job_files.{code}", **values)
    return ProviderFailure(Failure(FailureClass.TRANSIENT, code, said, sent=False, billed=False))
