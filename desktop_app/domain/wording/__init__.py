"""English templates by code, one file a room, so that codes stay while wording improves."""

from __future__ import annotations

from desktop_app.domain.wording import (
    alerts,
    callbacks,
    comfyui,
    engine,
    exports,
    faults,
    ingest,
    job_files,
    known_sheets,
    mappings,
    practice,
    provider_tests,
    providers,
    run_ends,
    services,
    settings,
    store,
)

_PLAIN = {"text.plain": "{text}"}

_ALL: dict[str, str] = {
    **_PLAIN,
    **ingest.MESSAGES,
    **mappings.MESSAGES,
    **store.MESSAGES,
    **engine.MESSAGES,
    **providers.MESSAGES,
    **provider_tests.MESSAGES,
    **comfyui.MESSAGES,
    **job_files.MESSAGES,
    **practice.MESSAGES,
    **callbacks.MESSAGES,
    **exports.MESSAGES,
    **settings.MESSAGES,
    **services.MESSAGES,
    **known_sheets.MESSAGES,
    **run_ends.MESSAGES,
    **faults.MESSAGES,
    **alerts.MESSAGES,
}


_ONE = "_one"
"""What a code ends with whose template says ``code`` of one thing alone."""


def template(code: str, n: object = None) -> str:
    """The English template of a code; an unknown code is shown as it is. ``n`` is what the message
    counts, as a number or as it is shown: of one some templates speak otherwise."""
    one = _ALL.get(code + _ONE) if str(n) == "1" else None
    return one or _ALL.get(code, code)


def codes() -> frozenset[str]:
    """Every code there is, for the tests that hold catalogues against it."""
    return frozenset(_ALL)
