"""What practice may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "practice.name": N_("Practice server"),
    "practice.jobs_name": N_("Practice server (jobs)"),
    "practice.texts_name": N_("Practice server (texts)"),
    "practice.config_unreadable": N_(
        "The practice server's settings file {file} can't be read. Check its name and place."
    ),
    "practice.config_not_parsed": N_(
        "The practice server's settings file {file} is neither JSON nor TOML: {why}."
    ),
    "practice.config_no_table": N_(
        "The practice server's settings must be a table of names and values."
    ),
    "practice.config_unknown": N_('The practice server has no setting "{key}". It knows: {known}.'),
    "practice.config_value": N_(
        'The practice server can\'t use the value of "{key}". Write it like: {wanted}.'
    ),
    "practice.config_kind": N_(
        'The practice server has no trouble called "{kind}". It knows: {known}.'
    ),
    "practice.port_taken": N_(
        "Port {port} is used by another program. Choose another one, or 0 for a free one."
    ),
    "practice.no_font": N_(
        "The practice server can't read its font {file}. Install Batchwright again."
    ),
    "practice.no_start": N_("The practice server did not start: {why}"),
    "practice.ended_early": N_("it ended with code {exit}."),
    "practice.no_answer": N_("it gave no answer in {seconds} s."),
    "practice.ready": N_(
        "The practice server is ready. It makes practice pictures and costs nothing."
    ),
    "practice.ready_url": N_("Base URL: {url}"),
    "practice.ready_key": N_("Key: {key}"),
    "practice.ready_stop": N_("Press Ctrl+C to stop it."),
    "practice.stopped": N_("The practice server has stopped. Calls: {calls}, billed: {billed}."),
}
