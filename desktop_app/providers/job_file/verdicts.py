"""The failure of a job, as against that of a call about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass
from desktop_app.domain.text import message
from desktop_app.providers.error_body import ErrorBody, parse_error
from desktop_app.providers.error_map import Site, found_wanting, judge, worded
from desktop_app.providers.http.client import Wire
from desktop_app.providers.job_file.model import JobFile

_VAGUE = frozenset({"server_error", "broken_answer", "broken_answer_said", "invalid_said"})
"""Sentences that speak of a call."""


class Verdicts:
    """Judges by the vendor's words for jobs. ``now`` is epoch seconds."""

    def __init__(self, job: JobFile, site: Site, now: Callable[[], float]) -> None:
        self._site = replace(site, profile=job.job_profile)
        self._words = job.words
        self._now = now

    def of_answer(self, wire: Wire, found: Any, state: str = "") -> Failure:
        """Of a job of which an answer with a good status says that it failed. ``state``: the word
        for that, which says nothing more unless the file takes it for the vendor's word."""
        text = wire.body[:65536].decode("utf-8", "replace")
        body = self._site.read(found, text)
        own = [code for path in self._words.codes for code in path.every(found)]
        codes = tuple(code for code in body.codes if code != state or code in own)
        return self._of(wire, replace(body, codes=codes), 0)

    def of_status(self, wire: Wire, before: tuple[Any, Wire] | None = None) -> Failure:
        """Of a job whose result is answered with an error; ``before``: what the answer to the poll
        said of it, which counts where this one says nothing."""
        body = worded(self._site, wire, parse_error(wire.body, self._site.read))
        if before is not None and not body.codes and not body.message:
            return self.of_answer(before[1], before[0])
        return self._of(wire, body, wire.status)

    def wanting(
        self, wire: Wire, kind: FailureClass, said: str, code: str, *, billed: bool | None = None
    ) -> Failure:
        """Of a job that was done and brought nothing of use."""
        failure = found_wanting(self._site, wire, kind, "empty", code=code, billed=billed)
        if said == "empty":
            return failure
        return replace(failure, said=message(f"job_files.{said}", host=self._site.host))

    def _of(self, wire: Wire, body: ErrorBody, status: int) -> Failure:
        # As if it had come at once and well: a slow or failed call says nothing of the job, and
        # that it failed says nothing of money unless the vendor does.
        calm = replace(wire, status=200, elapsed_s=0.0)
        failure = judge(self._site, calm, body, status, self._now())
        said = failure.said
        name = said.code.removeprefix("providers.")
        if name in _VAGUE and (status == 0 or name != "invalid_said"):
            text = self._site.scrub.line(body.message)
            said = message("job_files.failed", host=self._site.host)
            if text:
                said = message("job_files.failed_said", host=self._site.host, text=text)
        elif name == "invalid":
            said = message("job_files.failed", host=self._site.host)
        return replace(failure, said=said, http_status=wire.status, timeout=False)
