"""The program's own failures, said alike at once and at the next start."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "services.unexpected": N_("Something in the program failed ({what}). The log says more."),
    "services.crashed": N_(
        "Batchwright went down at {at}. Every row is safe; a report without keys or prompts says "
        "where it happened."
    ),
    "services.faulted": N_(
        "Something in Batchwright failed at {at}, and it went on. Every row is safe; a report "
        "without keys or prompts says where it happened."
    ),
    "services.report_gone": N_("The report {file} can't be read: {why}"),
}
